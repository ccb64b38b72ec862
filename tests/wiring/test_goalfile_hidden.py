"""The key `hidden`: a file or a list outside the repository, read whole; what lies inside is refused with its line."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentloop.checks import KINDS
from agentloop.core.goal import Goal
from agentloop.errors import GoalFileError, Refused
from agentloop.wiring.goalfile import goal_from, load_goal
from agentloop.wiring.goalfile.hidden import differs
from agentloop.wiring.secrecy import refuse_exposed
from tests.repos import write

HEAD = "goal: x\nrepo: work\naccept:\n  - pytest: tests\n"


def load(folder: Path, hidden: str, files: dict[str, str] | None = None, name: str = "goal.yaml") -> Goal:
    write(folder, {"work/calc.py": "", "work/tests/test_a.py": "", **(files or {}), name: HEAD + hidden})
    return load_goal(folder / name, KINDS)


def refused(folder: Path, hidden: str, files: dict[str, str] | None = None, name: str = "goal.yaml") -> str:
    with pytest.raises(GoalFileError) as found:
        load(folder, hidden, files, name)
    return str(found.value)


def brought(goal: Goal, number: int = 0) -> dict[str, str]:
    return {file.path: base64.b64decode(file.data).decode() for file in goal.hidden[number].files}


def test_what_a_check_names_beside_its_file_is_brought_along(tmp_path: Path) -> None:
    """A file, a folder whole, a word of a command; what is not beside is a path of the tree."""
    checks = (
        "- pytest: [suite, 'test_b.py::test_x']\n"
        "- run: python probe.py && cat data/in.txt; ls calc.py\n"
        "- pytest: tests/test_a.py\n"
        "- schema: {file: out.json, schema: schema.json}\n"
    )
    files = {"suite/conftest.py": "c", "suite/deep/test_s.py": "s", "suite/__pycache__/x.pyc": "", "test_b.py": "b",
             "probe.py": "p", "data/in.txt": "d", "data/other.txt": "", "schema.json": "{}"}  # fmt: skip
    goal = load(tmp_path, "hidden: away/h.yaml\n", {f"away/{name}": text for name, text in files.items()}
                | {"away/h.yaml": checks})  # fmt: skip
    assert brought(goal) == {"suite/conftest.py": "c", "suite/deep/test_s.py": "s", "test_b.py": "b"}
    assert brought(goal, 1) == {"data/in.txt": "d", "probe.py": "p"}
    assert brought(goal, 2) == {}
    assert brought(goal, 3) == {"schema.json": "{}"}
    assert goal.hidden_from == "away/h.yaml"


def test_cases_are_read_at_once_and_never_brought_into_a_tree(tmp_path: Path) -> None:
    """They hold the answers: a file or a folder of pairs becomes part of the parameters."""
    files = {
        "away/h.yaml": "- io: {call: 'calc:add', cases: c.json}\n- io: {run: python calc.py, cases: pairs}\n",
        "away/c.json": json.dumps([{"args": [1], "returns": 2}]),
        "away/pairs/one.in": "1",
        "away/pairs/one.out": "2",
    }
    goal = load(tmp_path, "hidden: away/h.yaml\n", files)
    assert goal.hidden[0].params["cases"] == [{"args": [1], "returns": 2}]
    assert goal.hidden[1].params["cases"] == [{"name": "one", "stdin": "1", "stdout": "2"}]
    assert [spec.files for spec in goal.hidden] == [(), ()]


def test_the_contract_includes_every_byte_of_the_hidden_checks(tmp_path: Path) -> None:
    """Another content is another contract and another check; a run notices it when it is resumed."""
    files = {"away/h.yaml": "- pytest: test_b.py\n", "away/test_b.py": "one"}
    first = load(tmp_path, "hidden: away/h.yaml\n", files)
    problems_of = lambda kind, params: KINDS[kind].problems(params)  # noqa: E731
    assert differs(first, problems_of) == ""
    (tmp_path / "away/test_b.py").write_text("two")
    second = load_goal(tmp_path / "goal.yaml", KINDS)
    assert first.digest != second.digest
    assert first.hidden[0].key != second.hidden[0].key
    assert "no longer those that the run began with" in differs(first, problems_of)
    (tmp_path / "away/h.yaml").unlink()
    assert "can't be read any more" in differs(first, problems_of)
    assert Goal.model_validate_json(first.model_dump_json()) == first


def test_a_list_may_stand_in_a_goal_file_outside_the_repository(tmp_path: Path) -> None:
    """Its files lie beside the goal file. The same list inside the repository is refused, with its line."""
    inline = "hidden:\n  - pytest: test_b.py\n"
    goal = load(tmp_path, inline, {"test_b.py": "b"})
    assert brought(goal) == {"test_b.py": "b"}
    write(tmp_path, {"work/goal.yaml": HEAD.replace("repo: work\n", "") + "hidden:\n  - pytest: t.py\n"})
    with pytest.raises(GoalFileError, match=r"goal\.yaml:5:3: the goal file lies inside the repository"):
        load_goal(tmp_path / "work/goal.yaml", KINDS)
    data = {"goal": "x", "accept": [{"pytest": "t"}], "hidden": [{"run": "make it"}]}
    assert len(goal_from(data, tmp_path / "work", KINDS).hidden) == 1


CHECKS = "- pytest: test_b.py\n"
WRONG: list[tuple[str, dict[str, str], str]] = [
    ("hidden: h.yaml\n", {}, "goal.yaml:5:9: h.yaml: there is no such file"),
    ("hidden: work/h.yaml\n", {"work/h.yaml": CHECKS}, "goal.yaml:5:9: work/h.yaml lies inside the repository"),
    ("hidden: h.yaml\n", {"h.yaml": ""}, "h.yaml is empty"),
    ("hidden: h.yaml\n", {"h.yaml": "[]"}, "h.yaml:1:1: 0 items"),
    ("hidden: h.yaml\n", {"h.yaml": "- pytst: x\n"}, "h.yaml:1:3: unknown check kind 'pytst'"),
    ("hidden: h.yaml\n", {"h.yaml": "- run: 'true'\n"}, "can't fail"),
    ("hidden: h.yaml\n", {"h.yaml": "- run: cat work/tests/test_a.py\n"}, "work/tests/test_a.py lies inside the repo"),
    ("hidden: away/h.yaml\n", {"away/h.yaml": "- io: {call: 'a:b', cases: c.json}\n", "away/c.json": "[{}]"},
     "c.json: case 1: exactly one of returns and raises"),
    ("hidden: 3\n", {}, "found '3', text is right here"),
    ("hidden: {a: b}\n", {}, "goal.yaml:5:9: found a map; a list is right here"),
    ("hidden: h.yaml\nevidence:\n  - file: test_b.py\n", {"h.yaml": CHECKS, "test_b.py": "b"},
     "a file of the hidden checks is listed under `evidence`"),
    ("hidden: h.yaml\n", {"h.yaml": CHECKS * 16}, "more than 16 checks in `accept`, `guard` and `hidden` together"),
]  # fmt: skip


@pytest.mark.parametrize(("hidden", "files", "said"), WRONG)
def test_what_can_not_be_hidden_is_refused(tmp_path: Path, hidden: str, files: dict[str, str], said: str) -> None:
    """With the place, in the goal file or in the hidden file itself."""
    assert said in refused(tmp_path, hidden, files)


def test_links_are_refused_wherever_they_lead(tmp_path: Path) -> None:
    """A link in the hidden folder, and a hidden file that is a link into the repository."""
    write(tmp_path, {"h.yaml": CHECKS, "work/h.yaml": CHECKS})
    os.symlink(tmp_path / "work/calc.py", tmp_path / "test_b.py")
    assert "test_b.py, which is a link" in refused(tmp_path, "hidden: h.yaml\n")
    os.symlink(tmp_path / "work/h.yaml", tmp_path / "linked.yaml")
    assert "linked.yaml lies inside the repository" in refused(tmp_path, "hidden: linked.yaml\n")


def test_what_workers_could_read_is_refused_before_the_run(tmp_path: Path) -> None:
    """Without a sandbox of our own where models work, and below a folder that every sandbox shows."""
    goal = load(tmp_path, "hidden: away/h.yaml\n", {"away/h.yaml": CHECKS, "away/test_b.py": "b"})
    plain: dict[str, Any] = {"readable": (), "models": True}
    for level in ("none", "external"):
        with pytest.raises(Refused, match="can read all of this machine"):
            refuse_exposed(goal, level, **plain)  # type: ignore[arg-type]
    refuse_exposed(goal, "none", (), models=False)
    refuse_exposed(goal, "landlock", **plain)
    with pytest.raises(Refused, match="away"):
        refuse_exposed(goal, "full", (str(tmp_path / "away"),), models=True)
