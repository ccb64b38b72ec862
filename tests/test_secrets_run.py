"""A whole run with a secret in its evidence, in a model's words and in a patch: it is kept nowhere and sent nowhere."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from agentloop import run
from agentloop.core import events as e
from agentloop.errors import GoalFileError, Refused, Tampered
from agentloop.host.log import FileLog
from tests.repos import fingerprint, repository
from tests.test_incident import GOOD, MEND, SHOP, goal, use
from tests.wire import WireServer
from tests.wire_replies import anthropic_reply

SECRET = "hunter2/Correct+Horse=Battery"
FORMS = (SECRET, b64encode(SECRET.encode()).decode(), SECRET.encode().hex(), quote(SECRET, safe=""))
PROVIDER_KEY = "sk-ant-api03-canary-canary-canary"
LOG = "\n".join(f"deploy with {form} done" for form in (*FORMS, SECRET[:9] + "\n" + SECRET[9:]))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "deploy.log").write_text(LOG)
    return repository(tmp_path / "repo", {**SHOP, "incident/alert.json": "{}"})


def test_a_secret_is_neither_stored_nor_sent_nor_shown_nor_delivered(shop: Path) -> None:
    """Evidence holds it in five forms, the planner and a service repeat it, the executor writes it into a file."""
    ready = MEND.replace('"needs": ["look"]', '"needs": []').replace("Take each", f"Use {SECRET}. Take each")
    nothing = anthropic_reply(json.dumps({"roadmap": "", "assumptions": [], "tasks": []}))
    said: list[str] = []
    with WireServer() as planner, WireServer() as executor:
        planner.push(anthropic_reply(ready), nothing)
        edit = {"path": "shop/coupons.py", "old": "amount - sum(prices) * coupon", "new": f"{GOOD}  # {SECRET}"}
        executor.push(use(("edit", edit)), use(("report", {"claim": "done", "note": f"used {PROVIDER_KEY}"})))
        models = goal(planner)["models"]
        models["executor"]["base_url"] = executor.openai_url
        wanted = goal(planner, models=models, evidence=[{"file": "deploy.log"}], secrets=["DEPLOY_TOKEN"])
        file = shop.parent / "goal.yaml"
        file.write_text(json.dumps(wanted))
        before = fingerprint(shop)
        environ = {"ANTHROPIC_API_KEY": PROVIDER_KEY, "OPENAI_API_KEY": "sk-other", "DEPLOY_TOKEN": SECRET}
        with pytest.raises(Tampered, match=r"shop/coupons\.py.*holds a secret .*DEPLOY_TOKEN") as stop:
            run(file, runs=str(shop.parent / "runs"), environ=environ, say=said.append)
        bodies = json.dumps([request.body for request in (*planner.log, *executor.log)])
    kept = b"".join(path.read_bytes() for path in (shop.parent / "runs").rglob("*") if path.is_file())
    told = "\n".join(said) + str(stop.value) + repr(stop.value.summary)
    for form in (*FORMS, SECRET[9:], PROVIDER_KEY):
        assert form not in bodies, form
        assert form.encode() not in kept, form
        assert form not in told, form
    assert "[secret DEPLOY_TOKEN]" in bodies
    assert kept.count(b"[secret DEPLOY_TOKEN]") >= 5
    assert fingerprint(shop) == before
    (folder,) = (shop.parent / "runs").iterdir()
    verdicts = [s.event.ruling for s in FileLog.read_only(folder) if isinstance(s.event, e.Verified)]
    assert [ruling.status for ruling in verdicts] == ["tamper"]


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["PIN"], Refused, "PIN has less than 6 characters"),
        ([SECRET], GoalFileError, "not the name of an environment variable"),
    ],
)
def test_what_can_not_be_kept_out_is_refused(names: list[str], error: type[Exception], words: str, shop: Path) -> None:
    """A value too short would be replaced in every word that holds it; and a value is no name."""
    with WireServer() as server:
        (shop.parent / "goal.yaml").write_text(json.dumps(goal(server, secrets=names, evidence=[])))
        environ = {"PIN": "1234", "ANTHROPIC_API_KEY": "x" * 20, "OPENAI_API_KEY": "y" * 20}
        with pytest.raises(error, match=words):
            run(shop.parent / "goal.yaml", runs=str(shop.parent / "runs"), environ=environ)
