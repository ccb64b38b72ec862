"""What hidden checks bring along, and what the goal's checks fence off."""

from __future__ import annotations

import base64

from agentloop.core import events as e
from agentloop.core.check import Beside, CheckResult, CheckSpec, HiddenSpec
from agentloop.core.fold import HIDDEN_FAILED
from agentloop.core.goal import Goal
from agentloop.core.records import Usable
from agentloop.core.tree import EXECUTABLE
from agentloop.ports import Bench
from agentloop.roles.contract import fence_of, with_files
from agentloop.roles.preflight import examine
from agentloop.roles.verifier import Verifier
from tests.fakes import FakeBlobs, FakeCheck, tree_of
from tests.world import World, bench_on, done, plan, task, world


def beside(**files: str) -> tuple[Beside, ...]:
    return tuple(
        Beside(path=path.replace("__", "/"), data=base64.b64encode(text.encode()).decode(), executable=True)
        for path, text in files.items()
    )


def test_files_that_stand_in_the_way_give_way() -> None:
    """A file of the same name, a file where a folder is needed, a folder where a file is; all else stays."""
    blobs = FakeBlobs()
    tree = tree_of(blobs, {"a": b"theirs", "b": b"file", "c/x": b"x", "c/y": b"y", "d": b"kept"})
    spec = HiddenSpec(kind="fake", params="a", files=beside(a="ours", b__in="i", c="c"))
    made = with_files(spec, tree, blobs.put)
    assert {path: blobs.get(entry.blob) for path, entry in made.items()} == {
        "a": b"ours", "b/in": b"i", "c": b"c", "d": b"kept"
    }  # fmt: skip
    assert made["a"].mode == EXECUTABLE


class Naming(FakeCheck):
    """A fake check that names its parameter."""

    def files(self, params: str) -> list[str]:
        return [params]


def test_what_is_brought_along_is_not_fenced_off() -> None:
    """A fence tells whoever runs into it that there is something; a file of the tree is fenced off as ever."""
    hidden = (
        HiddenSpec(kind="fake", params="suite", files=beside(suite__test_x="x")),
        HiddenSpec(kind="fake", params="check.sh"),
    )
    goal = Goal(goal="x", accept=(CheckSpec(kind="fake", params="tests"),), hidden=hidden)
    assert set(fence_of(goal, {"fake": Naming()}).named) == {"check.sh", "tests"}


def secret(*paths: str, **files: str) -> World:
    """A world with hidden checks of `paths`, taken on base by preflight."""
    made = world(accept=("a",), base={"a": "bad", "h": "bad"})
    hidden = tuple(HiddenSpec(kind="fake", params=path, name=path, files=beside(**files)) for path in paths)
    goal = made.goal.model_copy(update={"hidden": hidden})
    made.verifier = Verifier(goal, {"fake": made.check}, made.log, bench_on(made.log, made.state.base))
    rows = examine(goal, made.verifier, made.state.base)
    made.state.record(e.Prepared(checks=tuple(row.usable for row in rows)))
    return made


def test_hidden_checks_are_taken_only_where_all_others_pass() -> None:
    """While one is red, another answer would only help whoever tries again; one that fails becomes one fixed fact."""
    made = secret("h")
    assert [(check.check, check.role) for check in made.state.folded.usable] == [("a", "accept"), ("h", "hidden")]
    made.state.record(made.verify_goal(made.state))
    assert len(made.state.folded.outcomes) == 1
    one = task("one", "a")
    made.state.record(made.state.keep_plan(plan(one)))
    artifact = done(made, {"a": "good", "h": "bad"})
    ruling = made.verify(one, artifact, made.state)
    assert ruling.status == "passed"
    made.state.record(e.Verified.of(one, artifact, ruling))
    made.state.record(made.verify_goal(made.state))
    folded = made.state.folded
    assert (folded.satisfied, folded.unmet(), [check.check for check in folded.hidden]) == (False, [], ["h"])
    assert [(fact.text, fact.measured) for fact in folded.facts] == [(HIDDEN_FAILED, True)]
    assert "h is bad" not in str(made.state.summary())


def test_a_passing_hidden_check_is_of_strength_hidden_and_bound_to_the_candidate() -> None:
    """What it brought along is not part of the tree that its verdict is about."""
    made = secret("t", t="good")
    (result,) = [made.verifier.take(made.verifier.goal.hidden[0], made.state.base)]
    assert (result.status, result.strength, result.tree) == ("passed", "hidden", made.state.base.digest)
    assert "t" not in made.state.base


class Broken(FakeCheck):
    """A fake check that can't run."""

    def run(self, spec: CheckSpec, bench: Bench) -> CheckResult:
        return CheckResult(check=spec.label, key=spec.key, status="error", reason="no such file")


def test_preflight_takes_a_hidden_check_red_or_green_but_not_one_that_can_not_run() -> None:
    """Each id that it has on base counts at the end."""
    made = secret("h", "a", a="good")
    kinds = {"fake": made.check}
    verifier = Verifier(made.verifier.goal, kinds, made.log, bench_on(made.log, made.state.base))
    rows = examine(made.verifier.goal, verifier, made.state.base)
    told = [(row.usable.role, row.result.status, row.refused) for row in rows]
    assert told == [("accept", "failed", ""), ("hidden", "failed", ""), ("hidden", "passed", "")]
    assert rows[1].expected == {"h": "failed"}
    broken = Verifier(made.verifier.goal, {"fake": Broken()}, made.log, bench_on(made.log, made.state.base))
    assert [row.refused for row in examine(made.verifier.goal, broken, made.state.base)][1:] == ["no such file"] * 2


def test_the_key_of_a_hidden_check_is_never_that_of_a_visible_one() -> None:
    """The same kind and parameters: verdicts, expected ids and plans can't be mixed up."""
    plain = CheckSpec(kind="pytest", params="tests")
    assert HiddenSpec(kind="pytest", params="tests").key != plain.key
    usable = Usable.model_validate({"check": "x", "key": plain.key, "role": "hidden"})
    assert usable.role == "hidden"
