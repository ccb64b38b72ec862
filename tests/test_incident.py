"""From an incident to a patch with models, through both real SDKs: the first theory is wrong, as the record shows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentloop import run
from agentloop.core import events as e
from agentloop.errors import BudgetExhausted, NoViablePlan, ProviderFailed, Refused, Tampered
from agentloop.host.log import FileLog
from agentloop.state import State
from tests.repos import QUICK, fingerprint, git, repository, write
from tests.wire import WireServer
from tests.wire_replies import anthropic_reply, error_reply, openai_reply
from tests.wire_streams import streamed

SHOP = {
    "pytest.ini": QUICK,
    "shop/__init__.py": "",
    "shop/coupons.py": (
        "def total(prices, coupons):\n"
        '    """What an order costs after its coupons, each a fraction taken off what is left."""\n'
        "    amount = sum(prices)\n"
        "    for coupon in coupons:\n"
        "        amount = amount - sum(prices) * coupon\n"
        "    return round(amount, 2)\n"
    ),
    "tests/test_coupons.py": (
        "from shop.coupons import total\n\n\n"
        "def test_one_coupon():\n    assert total([100], [0.1]) == 90\n\n\n"
        "def test_two_coupons():\n    assert total([100], [0.5, 0.5]) == 25\n"
    ),
}
ALERT = {"alert": "order total wrong", "orders": [4711, 4712]}
LOG = "\n".join(f"order={n} coupons=2 charged={c}" for n, c in ((4711, "0.00"), (4712, "0.00"))) + "\n"
USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}


def goal(server: WireServer, **more: Any) -> dict[str, Any]:
    return {
        "goal": "Orders with two coupons are charged wrongly. Find out why and fix it.",
        "repo": "repo",
        "evidence": [{"file": "repo/incident/alert.json"}],
        "allow": ["shop/**", "tests/test_new_*.py"],
        "accept": [{"pytest": "tests/test_coupons.py", "name": "coupons"}],
        "guard": [{"pytest": "tests", "name": "suite"}],
        "budget": {"usd": 1.0, "ticks": 6, "minutes": 5},
        "models": {
            "planner": {"model": "anthropic:planner-1", "base_url": server.anthropic_url},
            "executor": {"model": "openai:executor-1", "base_url": server.openai_url},
        },
        **more,
    }


def plan(**task: Any) -> str:
    entry = {
        "reads": [], "writes": [], "needs": [], "assumes": [], "may_break": [], "toward": ["coupons"], **task
    }  # fmt: skip
    return json.dumps({"roadmap": "find the cause, then mend it", "assumptions": [], "tasks": [entry]})


def check(kind: str, params: Any) -> dict[str, str]:
    return {"kind": kind, "params": params if isinstance(params, str) else json.dumps(params), "expect": "green"}


def calls(*made: tuple[str, dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(f"call-{number}", name, json.dumps(arguments)) for number, (name, arguments) in enumerate(made)]


def use(*made: tuple[str, dict[str, Any]]) -> Any:
    return openai_reply("", calls(*made), usage=USAGE)


THEORY = plan(
    id="reproduce", capability="code", directive="Show that rounding is at fault, in a new test.",
    acceptance=[check("new_test", "tests/test_new_rounding.py")],
)  # fmt: skip
LOOK = plan(
    id="look", capability="research", directive="Find out from incident/app.log whether the alert is real.",
    acceptance=[check("contains", {"artifact": "findings", "text": "charged=0.00"}), check("evidence", "1")],
)  # fmt: skip
MEND = plan(
    id="mend", capability="code", directive="Take each coupon off what is left, not off the full sum.",
    acceptance=[check("pytest", "tests/test_coupons.py")], needs=["look"], writes=["shop/coupons.py"],
)  # fmt: skip
GOOD = "amount * (1 - coupon)"
WRONG_TEST = "from shop.coupons import total\n\n\ndef test_rounding():\n    assert total([0.1], [0.5]) == 0.05\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    repo = repository(tmp_path / "repo", {**SHOP, "incident/app.log": LOG})
    write(repo, {"incident/alert.json": json.dumps(ALERT)})
    return repo


def start(shop: Path, server: WireServer, **more: Any) -> Any:
    file = shop.parent / "goal.yaml"
    file.write_text(json.dumps(goal(server, **more)))
    environ = {"ANTHROPIC_API_KEY": "sk-ant-secret-canary", "OPENAI_API_KEY": "sk-secret-canary"}
    return run(file, runs=str(shop.parent / "runs"), environ=environ)


def events(shop: Path) -> list[Any]:
    (folder,) = (shop.parent / "runs").iterdir()
    return [stamped.event for stamped in FileLog.read_only(folder)]


def hashes(folder: Path) -> list[str]:
    return State(FileLog.read_only(folder), lambda: 0).folded.hashes


def test_the_first_theory_fails_the_alert_is_checked_then_the_cause_is_mended(shop: Path) -> None:
    """A new test that passes at once is a failed verification, not an error; the planner reads it and goes on."""
    with WireServer() as planner, WireServer() as executor:
        planner.push(*(streamed(anthropic_reply(text), 40) for text in (THEORY, LOOK, MEND)))
        executor.push(
            use(("write", {"path": "tests/test_new_rounding.py", "content": WRONG_TEST})),
            use(("report", {"claim": "done", "note": "reproduced"})),
            use(("run", {"argv": ["grep", "charged=0.00", "incident/app.log"]})),
            use(("report", {"claim": "done", "findings": [
                {"text": "both orders were charged=0.00", "command": "grep charged=0.00 incident/app.log",
                 "output": LOG}]})),
            use(("edit", {"path": "shop/coupons.py", "old": "amount - sum(prices) * coupon", "new": GOOD}),
                ("run", {"argv": ["python", "-m", "pytest", "-q", "tests/test_coupons.py"]})),
            use(("report", {"claim": "done", "note": "all pass"})),
        )  # fmt: skip
        models = goal(planner)["models"]
        models["executor"]["base_url"] = executor.openai_url
        before = fingerprint(shop)
        done = start(shop, planner, models=models)
        asked = [request.body["messages"][0]["content"] for request in planner.log]
        tried = executor.log
    (first_run,) = (shop.parent / "runs").iterdir()
    recorded = events(shop)
    verdicts = [(event.task, event.ruling.status) for event in recorded if isinstance(event, e.Verified)]
    assert verdicts == [("reproduce", "failed"), ("look", "passed"), ("mend", "passed")]
    first = next(event for event in recorded if isinstance(event, e.Verified))
    assert "passes on base" in first.ruling.reason
    assert first.ruling.reason in _text(asked[1])
    assert "order total wrong" in _text(asked[0])
    assert "both orders were charged=0.00" in json.dumps(tried[4].body)
    assert "all pass" not in _text(asked[-1])
    assert "measured, finding, tick 2, from look] <data>`grep charged=0.00 incident/app.log` prints:" in _text(asked[2])
    assert git(shop, "show", f"{done.branch}:shop/coupons.py").count("amount * (1 - coupon)") == 1
    assert git(shop, "diff", "--name-only", "main", done.branch) == "shop/coupons.py"
    assert fingerprint(shop, branches=False) == before
    assert not any(b"secret-canary" in path.read_bytes() for path in shop.parent.rglob("*") if path.is_file())
    _again_from_its_cassette(shop, first_run)


def _again_from_its_cassette(shop: Path, first: Path) -> None:
    """Offline, for nothing: both services are gone, and the run takes the same way to the same state hashes."""
    again = run(shop.parent / "goal.yaml", runs=str(shop.parent / "runs"), environ={}, cassette=first.name)
    assert hashes(again.folder) == hashes(first)
    assert len(hashes(first)) == 4
    purse = State(FileLog.read_only(again.folder), lambda: 0).folded.purse
    assert (purse.nano, purse.reserved_nano) == (0, 0)
    assert git(shop, "diff", "--name-only", "main", again.branch) == "shop/coupons.py"


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def test_a_spent_budget_stops_before_the_next_call(shop: Path) -> None:
    """The worst case of a call that does not fit is not asked for: no request leaves, and the end says what helps."""
    with WireServer() as server:
        models = goal(server)["models"]
        for role in models.values():
            role["price"] = {"input": 1000.0, "output": 1000.0}
        with pytest.raises(BudgetExhausted, match="usd: the next call may cost") as stop:
            start(shop, server, models=models)
        assert server.log == []
    assert "agentloop resume" in stop.value.summary.advice
    assert "--usd 2" in stop.value.summary.advice


def test_a_dead_service_is_exit_14_and_resumable(shop: Path) -> None:
    """A refused key is not retried; the run says which role failed, and how to go on."""
    with WireServer() as server:
        server.push(error_reply(401, "invalid key"))
        with pytest.raises(ProviderFailed, match="planner") as stop:
            start(shop, server)
        assert len(server.log) == 1
    assert stop.value.code == 14
    assert stop.value.summary.advice.startswith("to go on: agentloop resume")


def test_a_cheat_ends_as_tampering_and_the_test_is_as_it_was(shop: Path) -> None:
    """An executor that rewrites the failing test through the shell is refused by the gate; exit 13."""
    cheat = "import pathlib; pathlib.Path('tests/test_coupons.py').write_text('def test_two_coupons(): pass')"
    task = {"id": "cheat", "capability": "code", "directive": "Make the tests pass.",
            "acceptance": [check("pytest", "tests/test_coupons.py")]}  # fmt: skip
    with WireServer() as planner, WireServer() as executor:
        planner.push(
            anthropic_reply(plan(**task)), anthropic_reply(json.dumps({"roadmap": "", "assumptions": [], "tasks": []}))
        )
        executor.push(
            use(("edit", {"path": "tests/test_coupons.py", "old": "== 25", "new": "== 0"})),
            use(("run", {"argv": ["python3", "-c", cheat]})),
            use(("report", {"claim": "done", "note": "all tests pass"})),
        )
        models = goal(planner)["models"]
        models["executor"]["base_url"] = executor.openai_url
        with pytest.raises(Tampered, match=r"tests/test_coupons\.py.*protected") as stop:
            start(shop, planner, models=models)
        refused = json.dumps(executor.log[1].body)
    assert "is protected" in refused
    assert stop.value.code == 13
    (folder,) = (shop.parent / "runs").iterdir()
    result = json.loads((folder / "result.json").read_text())
    assert result["also"].startswith("NoViablePlan")
    assert (folder / "patch.diff").read_bytes() == b""


def test_a_model_without_a_known_price_is_refused_under_a_usd_budget(shop: Path) -> None:
    """No silent zero: the remedy names the key to state."""
    models = {"planner": "openai:nobody-knows-this-model", "executor": "openai:nobody-knows-this-model"}
    with WireServer() as server, pytest.raises(Refused, match="price"):
        start(shop, server, models=models)


def test_nonsense_from_the_planner_ends_as_no_viable_plan(shop: Path) -> None:
    """Three answers that are no plan: exit 11, each refusal on record with its reason."""
    with WireServer() as server:
        server.push(*(anthropic_reply("All tests pass, we are done!") for _ in range(3)))
        with pytest.raises(NoViablePlan):
            start(shop, server)
    assert [event.attempt for event in events(shop) if isinstance(event, e.PlanRefused)] == [1, 2, 3]


SHELL = """#!/bin/sh
# A planner and an executor in ten lines: which one is asked shows in the model's name.
asked=$(cat)
case "$asked" in
  *'"model": "plan"'*) text=$PLAN calls='[]' stop=end ;;
  *'amount * (1 - coupon)'*) text='' stop=tool
    calls='[{"id": "2", "name": "report", "arguments": {"claim": "done"}}]' ;;
  *) text='' calls=$EDIT stop=tool ;;
esac
echo '{"text": "'"$text"'", "tool_calls": '"$calls"', "stop": "'$stop'"}'
"""


def test_a_program_of_ten_lines_drives_a_run(shop: Path) -> None:
    """A `command` provider: a shell script plans and edits; without usage each call is estimated and marked so."""
    script = shop.parent / "model.sh"
    script.write_text(SHELL)
    arguments = {"path": "shop/coupons.py", "old": "amount - sum(prices) * coupon", "new": GOOD}
    edit = json.dumps([{"id": "1", "name": "edit", "arguments": arguments}])
    ready = MEND.replace('"needs": ["look"]', '"needs": []')
    environ = {**os.environ, "PLAN": json.dumps(ready)[1:-1], "EDIT": edit}
    models = {role: {"model": f"command:{name}", "argv": ["sh", "model.sh"]} for role, name in
              (("planner", "plan"), ("executor", "edit"))}  # fmt: skip
    file = shop.parent / "goal.yaml"
    with WireServer() as nobody:
        file.write_text(json.dumps(goal(nobody, models=models, budget={"tokens": 200_000, "ticks": 3})))
        done = run(file, runs=str(shop.parent / "runs"), environ=environ)
    assert git(shop, "diff", "--name-only", "main", done.branch) == "shop/coupons.py"
    replied = [event for event in events(shop) if isinstance(event, e.Replied)]
    assert [(event.model, event.usage.estimated) for event in replied] == [
        ("command:plan", True),
        ("command:edit", True),
        ("command:edit", True),
    ]
