"""prometheus/agent.yml: a real agent sends what it scrapes to a Prometheus that evaluates the shipped rules on it."""

import json
from pathlib import Path

import pytest
import yaml

from support.fleet import Fleet, serving
from support.prometheus import Daemon, PrometheusServer, binary, free_port
from support.promtool import SHIPPED, indented_lines, output_of

TEXT = (SHIPPED / "agent.yml").read_text(encoding="utf-8")

pytestmark = pytest.mark.prometheus


def test_promtool_accepts_the_configuration_of_an_agent() -> None:
    assert "SUCCESS" in output_of("promtool", "check", "config", "--agent", "agent.yml")


def test_it_scrapes_as_the_whole_prometheus_does() -> None:
    agent, whole = yaml.safe_load(TEXT), yaml.safe_load((SHIPPED / "prometheus.yml").read_text(encoding="utf-8"))
    [[one], [other]] = agent["scrape_configs"], whole["scrape_configs"]
    assert one == other | {"relabel_configs": one["relabel_configs"]}
    assert agent["global"]["scrape_interval"] == whole["global"]["scrape_interval"]


def agent(folder: Path, receiver: str) -> Daemon:
    """Return an agent with the shipped configuration, but for the address that it writes to and how often it scrapes."""
    [url] = [each["url"] for each in yaml.safe_load(TEXT)["remote_write"]]
    text = TEXT.replace(url, f"{receiver}/api/v1/write").replace("scrape_interval: 15s", "scrape_interval: 1s")
    (folder / "agent.yml").write_text(text)
    address = f"127.0.0.1:{free_port()}"
    flags = ["--enable-feature=agent", "--config.file=agent.yml", "--storage.agent.path=agent"]
    command = [binary("prometheus"), *flags, f"--web.listen-address={address}"]
    return Daemon("agent", folder, command, f"http://{address}", "/-/ready")


@pytest.mark.slow
def test_what_an_agent_sends_says_where_it_is_from_and_feeds_the_rules(tmp_path: Path) -> None:
    rules = SHIPPED / "rules/recording.yml"
    (tmp_path / "targets").mkdir()
    fleet = Fleet(1)
    config = "global: {evaluation_interval: 1s}\nrule_files: [rules/*.yml]\n"
    flags = ["--web.enable-remote-write-receiver"]
    with serving(fleet) as port, PrometheusServer(tmp_path, config, [rules], flags) as server:
        (tmp_path / "targets/sglang-exporter.yml").write_text(json.dumps(fleet.file_sd(port)))
        with agent(tmp_path, server.url):
            recorded = "server:sglang_server_running_requests:sum"
            server.wait(lambda: bool(server.query(recorded)), 60, "a rule is evaluated on what was sent")
            [up] = server.query("up")
            labels = up["metric"]
            assert (labels["cluster"], labels["job"]) == ("eu-1", "sglang-exporter")
            assert labels["instance"] == f"eu-1/127.0.0.1:{port}"
            assert {each["metric"]["cluster"] for each in server.query(recorded)} == {"eu-1"}


def test_each_query_about_several_exporters_has_a_case() -> None:
    queries = indented_lines((SHIPPED / "many-machines.md").read_text(encoding="utf-8"))
    cases = yaml.safe_load((SHIPPED / "tests/several_exporters.yml").read_text(encoding="utf-8"))
    assert queries
    assert set(queries) == {case["expr"] for test in cases["tests"] for case in test["promql_expr_test"]}
