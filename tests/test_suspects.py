"""The search's localisation in the hands of an executor model: real tests, real tracing, a scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentloop.errors import NoViablePlan
from tests.repos import repository
from tests.test_incident import MEND, SHOP, start, use
from tests.wire import WireServer
from tests.wire_replies import anthropic_reply

BRANCHED = (
    "def total(prices, coupons):\n"
    "    amount = sum(prices)\n"
    "    if len(coupons) == 1:\n"
    "        return amount * (1 - coupons[0])\n"
    "    return amount - amount * sum(coupons)\n"
)
RIGHT = "total([amount * (1 - coupons[0])], coupons[1:]) if coupons else amount"
NOTHING = anthropic_reply(json.dumps({"roadmap": "", "assumptions": [], "tasks": []}))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", {**SHOP, "shop/coupons.py": BRANCHED, "incident/alert.json": "{}"})


def results(server: WireServer) -> list[str]:
    """What the executor was told by its tools."""
    return [m["content"] for m in server.log[-1].body["messages"] if m["role"] == "tool"]


def offered(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body["tools"]]


def test_suspects_names_the_faulty_line_first_and_follows_what_was_changed(shop: Path) -> None:
    """By the task's checks or by named tests, on the tree as it is at the desk; the planner may also order a search."""
    ready = MEND.replace('"needs": ["look"]', '"needs": []')
    with WireServer() as planner, WireServer() as executor:
        planner.push(anthropic_reply(ready))
        executor.push(
            use(("suspects", {}), ("suspects", {"tests": ["tests/test_coupons.py::test_two_coupons"]}),
                ("suspects", {"tests": ["tests/nowhere.py"]})),
            use(("edit", {"path": "shop/coupons.py", "old": "amount - amount * sum(coupons)", "new": RIGHT}),
                ("suspects", {})),
            use(("report", {"claim": "done"})),
        )  # fmt: skip
        models = {
            "planner": {"model": "anthropic:p", "base_url": planner.anthropic_url},
            "executor": {"model": "openai:e", "base_url": executor.openai_url},
        }
        start(shop, planner, models=models)
        by_checks, by_name, absent, _, after = results(executor)
        assert "suspects" in offered(executor.log[0].body)
        assert "- repair:" in json.dumps(planner.log[0].body)
    for told in (by_checks, by_name):
        first = told.partition("most suspicious lines first:\n")[2]
        assert first.startswith("shop/coupons.py:5: return amount - amount * sum(coupons)\n")
    assert "'tests/nowhere.py' is neither a file nor a folder of the tree" in absent
    assert "no suspicious lines" in after


def test_without_python_tests_neither_the_search_nor_its_tool_is_offered(shop: Path) -> None:
    """What can't work here is not on the list: a planner is shown no `repair`."""
    accept = [{"run": "grep -q fixed README.md"}]
    with WireServer() as server:
        server.push(NOTHING)
        with pytest.raises(NoViablePlan):
            start(shop, server, accept=accept, guard=[])
        shown = json.dumps(server.log[0].body)
    assert "- repair:" not in shown
    assert "- code:" in shown
