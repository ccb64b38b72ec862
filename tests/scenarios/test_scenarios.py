"""The ways in which planning agents fail, each played with scripted models through the real SDKs."""

from __future__ import annotations

import json
from pathlib import Path

from agentloop.core import events as e
from agentloop.errors import NoProgress, NoViablePlan
from tests.scenarios.stage import Step, has, plan, play, report, task, words, write

GOOD_A, GOOD_B = has("a.txt", "good"), has("b.txt", "good")
BOTH = [write("a.txt", "good\n"), write("b.txt", "good\n"), report()]


def test_a_wrong_spec_is_revised_and_not_retried(tmp_path: Path) -> None:
    """The executor does as told, the check says no; the same specification again, in other case and punctuation, is
    refused and a fact; the revised one passes."""
    plans = [
        plan(task("one", "Write 'fine' into a.txt.", GOOD_A)),
        plan(task("two", "write 'FINE' into a.txt!", GOOD_A)),
        plan(task("three", "Write 'good' into both files.", GOOD_A, GOOD_B)),
    ]
    played = play(tmp_path, plans, [[write("a.txt", "fine\n"), report()], BOTH])
    assert played.stop is None
    assert played.ticks() == [("one", "failed"), ("three", "passed")]
    assert "this very task already failed on the same tree with the same facts" in played.refusals()
    assert any("was planned again after it had failed" in text for text in played.facts("repeated"))
    (failed,) = played.facts("failed")
    assert "task one (code) failed (it claimed 'done')" in failed
    assert "[measured, failed, tick 1, from one]" in played.planner[1]


def test_a_replan_keeps_finished_work(tmp_path: Path) -> None:
    """Middleware X, not Y: the second task fails, the next plan changes that one; what the first did stays, and
    planning it again is refused."""
    plans = [
        plan(task("base", "Make a.txt good.", GOOD_A), task("y", "Put middleware Y into b.txt.", GOOD_B, toward=["b"])),
        plan(task("again", "Make a.txt good once more.", GOOD_A)),
        plan(task("x", "Put middleware X, which is good, into b.txt.", GOOD_B, toward=["b"])),
    ]
    work = [
        [write("a.txt", "good\n"), report()],
        [write("b.txt", "Y\n"), report()],
        [write("b.txt", "X good\n"), report()],
    ]
    played = play(tmp_path, plans, work)
    assert played.stop is None
    assert played.ticks() == [("base", "passed"), ("y", "failed"), ("x", "passed")]
    assert "all its checks already pass" in played.refusals()
    assert "`toward` names no unmet goal check; unmet are: b" in played.refusals()
    accepted = [event.task for event in played.events if isinstance(event, e.Verified) and event.accepted]
    assert accepted == ["base", "x"]
    assert "- 'a' (accept): passed" in played.planner[1]


def test_a_program_that_is_not_there_is_not_planned_for_a_third_time(tmp_path: Path) -> None:
    """Tool X is unavailable: the second try makes a standing fact, and every plan that uses X is refused, whether as a
    command line or in words."""
    plans = [
        plan(task("scan", "jqq . a.txt", GOOD_A, capability="command")),
        plan(task("look", "Find out what is wrong in the files.", GOOD_A)),
        plan(task("third", "jqq -r . b.txt", GOOD_A, capability="command")),
        plan(task("fourth", "Use jqq to mend a.txt.", GOOD_A)),
        plan(task("last", "Write 'good' into both files.", GOOD_A, GOOD_B)),
    ]
    work = [[words("jqq . a.txt"), report("abort", note="no jqq")], BOTH]
    played = play(tmp_path, plans, work, commands=["jqq *", "cat *"])
    assert played.stop is None
    assert played.ticks() == [("scan", "failed"), ("look", "failed"), ("last", "passed")]
    assert played.refusals().count("it uses `jqq`, which could not be started here") == 2
    (standing,) = played.facts("unavailable")
    assert standing.startswith("`jqq` could not be started: ")
    assert "no plan may use it until it runs or a person's hint names it" in standing
    assert standing in played.planner[2]


def test_a_plan_of_seventeen_tasks_is_refused(tmp_path: Path) -> None:
    """Over-decomposed work goes back with the number that is right; none of the seventeen is run."""
    many = [task(f"t{n}", f"Do part {chr(97 + n)} of it.", GOOD_A) for n in range(17)]
    played = play(tmp_path, [plan(*many), plan(task("all", "Make both good.", GOOD_A, GOOD_B))], [BOTH])
    assert played.stop is None
    assert "17 tasks; plan one, at most 3: you are asked again after each" in played.refusals()
    assert played.ticks() == [("all", "passed")]


def test_endless_rewording_is_no_progress(tmp_path: Path) -> None:
    """New words for the same failure move nothing; the end shows the ticks that led to the same state side by side."""
    ways = ["try hard", "really try", "make an effort", "give all", "do your best", "go on", "be bold", "be brave"]
    played = play(
        tmp_path,
        lambda n: plan(task(f"t{n}", f"Please {ways[n % 8]} with a.txt, way {chr(96 + n)}.", GOOD_A)),
        lambda n: [write("a.txt", f"attempt {n}\n"), report(note=f"surely done {n}")],
    )
    assert isinstance(played.stop, NoProgress)
    assert played.state.folded.executed == 4
    (line,) = played.stop.summary.still
    assert line.count(" | ") == 2
    assert "tick 2: t2 (code): failed" in line
    assert "tick 4: t4 (code): failed" in line
    assert "led to the same state" in (played.folder / "summary.md").read_text()


def test_two_plans_in_turn_are_refused_as_oscillation(tmp_path: Path) -> None:
    """A, B, A, B: the third is the first one again with other ids, and so is the fourth; that is no plan."""
    ways = ["Turn left in a.txt.", "Turn right in a.txt."]
    played = play(
        tmp_path,
        lambda n: plan(task(f"t{n}", ways[n % 2], GOOD_A)),
        lambda n: [write("a.txt", f"{'left' if n % 2 else 'right'}\n"), report()],
        budget={"tokens": 5_000_000, "ticks": 12},
    )
    assert isinstance(played.stop, NoViablePlan)
    assert played.refusals().count("oscillation: an earlier plan had these very tasks") == 3
    assert played.ticks() == [("t1", "failed"), ("t2", "failed")]


def test_done_in_the_planners_mouth_ends_nothing_well(tmp_path: Path) -> None:
    """A planner that declares the goal reached can only stop planning: the checks say no, and the end is loud."""
    done = json.dumps({"roadmap": "All done! Every check passes.", "assumptions": [], "tasks": [], "status": "done"})
    played = play(tmp_path, ["The goal is reached.", done, plan(roadmap="All done! Every check passes.")], [])
    assert isinstance(played.stop, NoViablePlan)
    assert not played.state.folded.satisfied
    assert played.stop.summary.checks[0][1] == "failed"


def test_dependents_of_a_failed_task_are_skipped_unrun(tmp_path: Path) -> None:
    """The second needs the first, the third the second: neither is run, both say why, at no cost."""
    chain = [
        task("one", "Make a.txt good.", GOOD_A),
        task("two", "Go on from it in b.txt.", GOOD_B, needs=["one"]),
        task("three", "Finish it.", GOOD_B, needs=["two"]),
    ]
    played = play(tmp_path, [plan(*chain)], [[report("abort", note="I can't")]])
    assert isinstance(played.stop, NoViablePlan)
    assert played.ticks() == [("one", "failed"), ("two", "skipped"), ("three", "skipped")]
    assert len(played.executor) == 1
    assert any("it needs two, which did not pass" in text for text in played.facts("stale"))


def test_the_queue_goes_on_behind_a_stale_task(tmp_path: Path) -> None:
    """What the second task reads was changed by the first: it is skipped, and the third is run all the same."""
    queue = [
        task("one", "Make a.txt good.", GOOD_A),
        task("late", "Copy what a.txt says.", has("c.txt", "bad"), reads=["a.txt"]),
        task("two", "Make b.txt good.", GOOD_B, toward=["b"]),
    ]
    work = [[write("a.txt", "good\n"), report()], [write("b.txt", "good\n"), report()]]
    played = play(tmp_path, [plan(*queue)], work)
    assert played.stop is None
    assert played.ticks() == [("one", "passed"), ("late", "skipped"), ("two", "passed")]


def test_a_goal_whose_checks_contradict_each_other_never_ends_well(tmp_path: Path) -> None:
    """Impossible goals end without success, whatever the executor claims, and what was won stays won."""
    accept = [
        {"contains": {"file": "a.txt", "text": "good"}, "name": "a"},
        {"contains": {"file": "a.txt", "text": "bad"}, "name": "b"},
        {"contains": {"file": "b.txt", "text": "good"}, "name": "c"},
        {"contains": {"file": "b.txt", "text": "good", "count": 0}, "name": "d"},
    ]

    def work(n: int) -> list[Step]:
        return [write("b.txt", "good\n"), write("a.txt", "good\n"), report(note="all checks pass now")]

    played = play(
        tmp_path, lambda n: plan(task(f"t{n}", f"Way {chr(96 + n)}: make it good.", GOOD_A)), work, accept=accept
    )
    assert isinstance(played.stop, (NoProgress, NoViablePlan))
    assert not played.state.folded.satisfied
    assert {name: status for name, status, _ in played.stop.summary.checks}["guard b"] == "passed"


def test_a_stale_catalogue_is_refused_in_words(tmp_path: Path) -> None:
    """A plan pinned to another catalogue goes back with the version that is right; the shown one is taken."""
    sound = task("all", "Make both good.", GOOD_A, GOOD_B)
    played = play(tmp_path, [plan(sound, catalogue="000000000000"), plan(sound)], [BOTH])
    assert played.stop is None
    version = next(event.version for event in played.events if isinstance(event, e.Offered))
    assert f"the plan is for catalogue '000000000000'; the present one is '{version}'" in played.refusals()
    assert f"## Catalogue\nversion {version}" in played.planner[0]


def test_an_assumption_is_looked_at_before_and_while_it_is_relied_on(tmp_path: Path) -> None:
    """One that fails now refuses the plan and is a measured fact; what rests on one that a task undid is stale."""
    false = {"id": "h1", "text": "c.txt is empty", "checks": [has("c.txt", "nothing at all")]}
    true = {"id": "h2", "text": "c.txt says one", "checks": [has("c.txt", "one")]}
    tasks = [task("first", "Make a.txt good.", GOOD_A), task("rests", "Build on c.txt.", GOOD_B, assumes=["h2"])]
    plans = [
        plan(task("x", "Build on h1.", GOOD_A, assumes=["h1"]), assumptions=[false]),
        plan(*tasks, assumptions=[true]),
        plan(task("rest", "Make b.txt good.", GOOD_B, toward=["b"])),
    ]
    work = [
        [write("a.txt", "good\n"), write("c.txt", "two\n"), report()],
        [write("b.txt", "good\n"), report()],
    ]
    played = play(tmp_path, plans, work)
    assert played.stop is None
    assert "assumption h1 does not hold" in played.refusals()
    assert played.ticks() == [("first", "passed"), ("rests", "skipped"), ("rest", "passed")]
    assert [text[:40] for text in played.facts("contradicted")] == [
        "the assumption h1 (c.txt is empty) does ",
        "the assumption h2 (c.txt says one) does ",
    ]


def test_a_closing_summary_is_shown_and_decides_nothing(tmp_path: Path) -> None:
    """`summary: model`: the planner's words stand in summary.md under a heading that says what they are worth."""
    plans = [plan(task("all", "Make both good.", GOOD_A, GOOD_B)), "Both files are good now."]
    played = play(tmp_path, plans, [BOTH], summary="model")
    assert played.stop is None
    page = (played.folder / "summary.md").read_text()
    assert "The planner's closing words (they decide nothing)\n\n- Both files are good now." in page
    assert [event.kind for event in played.events][-2:] == ["closed", "ended"]


def test_no_canary_of_planner_reviewer_or_sibling_reaches_an_executor(tmp_path: Path) -> None:
    """Words around the plan, roadmap, assumptions, another task's tool results, note, claims and uncalled-for findings
    stay out of the second executor's prompts; the findings of a needed task are in."""
    said = "CANARY-prose " + plan(
        task("one", "Make a.txt good.", GOOD_A),
        task("two", "Make b.txt good.", GOOD_B, toward=["b"], needs=["one"]),
        roadmap="CANARY-roadmap",
        assumptions=[{"id": "h1", "text": "CANARY-assumption", "checks": []}],
    )
    first = [
        words("echo CANARY-output"),
        write("a.txt", "good\n"),
        report(note="CANARY-note", findings=[{"text": "needed-finding"}]),
    ]
    failing = [words("echo CANARY-again"), report("replan", note="CANARY-replan", findings=[{"text": "CANARY-claim"}])]
    plans = ["CANARY-zero " + plan(task("zero", "Look.", GOOD_A), roadmap="CANARY-early"), said]
    played = play(
        tmp_path, plans, [failing, first, [write("b.txt", "good\n"), report()]], commands=["echo *"], hint="mind the b"
    )
    assert played.stop is None
    assert played.ticks() == [("zero", "failed"), ("one", "passed"), ("two", "passed")]
    by_task = {name: [body for body in played.executor if f"# Task {name}" in body] for name in ("zero", "one", "two")}
    assert [len(bodies) for bodies in by_task.values()] == [2, 3, 2]
    assert "CANARY-output" in by_task["one"][1]
    assert "CANARY" not in by_task["one"][0]
    assert not any("CANARY" in body for body in by_task["two"])
    assert all("needed-finding" in body and "mind the b" in body for body in by_task["two"])
    assert "CANARY-replan" in played.planner[1]
    assert "CANARY-claim" in played.planner[1]
    assert "CANARY-again" not in played.planner[1]
