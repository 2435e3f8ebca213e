"""A Prometheus to look at dashboards with: it has lived through the worked example, which ends now.

`PYTHONPATH=tests .venv/bin/python -m support.looked_at DIR` makes it in a few minutes and runs it until Ctrl-C.
"""

import sys
import time
from pathlib import Path

from support.history import CONFIG, SCRAPE_SECONDS, Box, add_rules, store
from support.prometheus import PrometheusServer
from support.worked_example import RUNS, TOTAL, Simulation

RULES = Path(__file__).parents[2] / "prometheus" / "rules"


def main(folder: Path) -> None:
    """Make the past in the folder, say where it is, and serve it."""
    seconds = RUNS[-1].ends
    began = time.time() // SCRAPE_SECONDS * SCRAPE_SECONDS - seconds
    folder.mkdir(parents=True)
    box = Box(folder / "box", "glm-8x", began, TOTAL)
    store(folder, [box.live(Simulation(began).deliveries(), seconds)])
    add_rules(folder, sorted(RULES.glob("*.yml")), began, began + seconds)
    with PrometheusServer(folder, CONFIG) as server:
        print(f"{server.url} from {began:.0f} to {began + seconds:.0f}", flush=True)
        try:
            server.run_on(float("inf"))
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
