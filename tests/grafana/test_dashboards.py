import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

from grafana.committed import FILES, GRAFANA, all_panels, each_dashboard, load, panels


def test_the_committed_files_are_what_the_code_makes() -> None:
    check = subprocess.run(
        [sys.executable, GRAFANA / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (check.returncode, check.stdout, check.stderr) == (0, "", "")
    assert FILES


def test_a_file_that_was_edited_by_hand_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "grafana"
    for source in GRAFANA.rglob("*.*"):
        if source.suffix in {".py", ".json"}:
            target = copy / source.relative_to(GRAFANA)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    edited = copy / "json" / FILES[0].name
    edited.write_text(edited.read_text().replace("30s", "5s"))
    (copy / "json" / "left-behind.json").write_text("{}")
    run = [sys.executable, str(copy / "generate.py")]

    check = subprocess.run([*run, "--check"], capture_output=True, text=True, check=False)
    assert check.returncode == 1
    assert check.stdout == f"left-behind.json is not up to date\n{edited.name} is not up to date\n"

    subprocess.run(run, capture_output=True, check=True)
    assert edited.read_bytes() == FILES[0].read_bytes()
    assert sorted(path.name for path in edited.parent.iterdir()) == [path.name for path in FILES]


@each_dashboard
def test_the_frame(path: Path) -> None:
    dashboard = load(path)
    assert dashboard["uid"] == path.stem
    assert len(dashboard["uid"]) <= 40
    assert dashboard["id"] is None
    assert dashboard["schemaVersion"] >= 39
    assert dashboard["tags"] == ["sglang"]
    assert dashboard["refresh"] == "30s"
    assert dashboard["timezone"] == "browser"
    start = "now-24h" if path.stem == "sglang-before-after" else "now-6h"
    assert dashboard["time"] == {"from": start, "to": "now"}


@each_dashboard
def test_links_keep_time_and_variables(path: Path) -> None:
    links = load(path)["links"]
    assert links
    for link in links:
        assert (link["keepTime"], link["includeVars"]) == (True, True)


@each_dashboard
def test_ids_are_unique(path: Path) -> None:
    ids = [panel["id"] for panel in all_panels(path)]
    assert all(isinstance(one, int) and one > 0 for one in ids)
    assert len(ids) == len(set(ids))


@each_dashboard
def test_panels_lie_in_24_columns_and_none_on_another(path: Path) -> None:
    places = [panel["gridPos"] for panel in all_panels(path)]
    for place in places:
        assert place["w"] > 0
        assert place["h"] > 0
        assert 0 <= place["x"] <= 24 - place["w"]
    for one, other in combinations(places, 2):
        assert not _overlap(one, other), f"{one} and {other}"


@each_dashboard
def test_each_panel_says_what_it_is_when_there_is_nothing_to_show(path: Path) -> None:
    for panel in panels(path):
        assert panel["fieldConfig"]["defaults"]["noValue"], panel["title"]


@each_dashboard
def test_each_description_names_the_source_and_what_is_good(path: Path) -> None:
    for panel in panels(path):
        assert re.search(r"[Ff]rom (the log|the output files|the exporter:|Prometheus:)", panel["description"]), panel[
            "title"
        ]
        assert re.search(r"\bGood\b[^.]*:", panel["description"]), panel["title"]


@each_dashboard
def test_gaps_stay_gaps_and_axes_start_at_zero(path: Path) -> None:
    for panel in panels(path):
        defaults = panel["fieldConfig"]["defaults"]
        if panel["type"] in {"timeseries", "state-timeline"}:
            assert defaults["custom"]["spanNulls"] is False, panel["title"]
        if panel["type"] == "timeseries":
            scale = defaults["custom"].get("scaleDistribution", {"type": "linear"})
            assert defaults["min"] == 0 or scale["type"] == "log", panel["title"]


@each_dashboard
def test_the_colour_of_a_number_means_something(path: Path) -> None:
    for panel in panels(path):
        defaults = panel["fieldConfig"]["defaults"]
        if panel["type"] == "stat":
            assert [step["value"] for step in defaults["thresholds"]["steps"]] != [None, 80], panel["title"]


@each_dashboard
def test_a_number_of_now_is_never_an_old_one(path: Path) -> None:
    for panel in panels(path):
        if panel["type"] in {"stat", "table"}:
            assert all(target["instant"] for target in panel["targets"]), panel["title"]


@each_dashboard
def test_graphs_show_last_mean_and_max_in_the_legend(path: Path) -> None:
    for panel in panels(path):
        if panel["type"] == "timeseries":
            assert panel["options"]["legend"]["calcs"] == ["lastNotNull", "mean", "max"], panel["title"]


@each_dashboard
def test_ways_down_lead_to_a_dashboard_and_name_columns_that_are_there(path: Path) -> None:
    for panel in panels(path):
        columns = {
            name
            for transformation in panel.get("transformations", [])
            for name in transformation["options"].get("renameByName", {}).values()
        }
        text = json.dumps(panel["fieldConfig"])
        assert set(re.findall(r"/d/([\w-]+)", text)) <= {file.stem for file in FILES}, panel["title"]
        assert set(re.findall(r"__data\.fields\.(\w+)", text)) <= columns, panel["title"]


def test_the_fleet_leads_down_to_each_server() -> None:
    (table,) = [one for one in panels(GRAFANA / "json" / "sglang-fleet.json") if one["title"] == "How is each server?"]
    assert "/d/sglang-server?" in json.dumps(table["fieldConfig"])


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
    above = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    return not (beside or above)
