"""The stories of output files in data/scenarios.json, told to the exporter as it follows them."""

import json
from pathlib import Path
from typing import Any

import pytest

from sources.followed import Followed, files, job, line
from support.exporter import Samples

STORIES = json.loads((Path(__file__).parent / "data" / "scenarios.json").read_text())
Step = dict[str, Any]


class Writer:
    """Does what a step of a story says."""

    def __init__(self, folder: Path, files: str) -> None:
        self.folder = folder
        self._only = files

    def do(self, step: Step) -> None:
        path = self.folder / step.get("file", self._only)
        content = self.content(step)
        match step["op"]:
            case "append":
                with path.open("a") as file:
                    file.write(content)
            case "overwrite":
                with path.open("w") as file:
                    file.write(content)
            case "replace":
                new = self.folder / "new"
                new.write_text(content)
                new.replace(path)
            case "rename":
                path.rename(self.folder / step["to"])
            case "delete":
                path.unlink()
            case "cut":
                with path.open("r+b") as file:
                    file.truncate(path.stat().st_size - step["bytes"])

    @staticmethod
    def content(step: Step) -> str:
        lines = "\n".join(map(line, step.get("records", [])))
        ends = "\n" if lines and step.get("newline", True) else ""
        return f"{step.get('lead', '')}{lines}{ends}{step.get('text', '')}"


def told(page: Samples, followed: Followed) -> dict[str, float | None]:
    slots = followed.state.slots.files.values()
    return {
        "records": job(page, "records_total"),
        "completions": job(page, "completions_total"),
        "errors": job(page, "errors_total"),
        "output_tokens": job(page, "output_tokens_total"),
        "unique": job(page, "done"),
        "unique_ok": job(page, "succeeded"),
        "restarts": job(page, "restarts_total"),
        "rewrites": job(page, "rewrites_total"),
        "files": files(page),
        "state_records": sum(slot.current.counts.get("records", 0) for slot in slots),
    }


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story["name"])
def test_story(story: dict[str, Any], tmp_path: Path) -> None:
    followed = Followed(f"{tmp_path}/{story['files']}")
    writer = Writer(tmp_path, story["files"])
    for number, step in enumerate(story["steps"]):
        if step["op"] != "poll":
            writer.do(step)
            continue
        found = told(followed.poll(idle=step.get("idle", False)), followed)
        assert {name: found[name] for name in step["expect"]} == step["expect"], f"step {number}"
