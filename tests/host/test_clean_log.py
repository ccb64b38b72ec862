"""What a run writes holds no secret: records, blobs, and the files of a worker's tree."""

from __future__ import annotations

from pathlib import Path

from agentloop.core import events as e
from agentloop.core.secrets import Secrets
from agentloop.host.clean import CleanLog
from agentloop.host.workspace import DiskWorkspace
from tests.fakes import FakeBlobs, FakeLog, tree_of

SECRETS = Secrets({"DEPLOY_TOKEN": "correct-horse"})


def test_records_and_blobs_are_cleaned_on_their_way_in() -> None:
    """The digest is that of what is kept; the record that comes back is the one that was written."""
    inner = FakeLog()
    log = CleanLog(inner, SECRETS)
    digest = log.put(b"it was correct-horse")
    assert log.get(digest) == b"it was [secret DEPLOY_TOKEN]"
    stamped = log.append(e.Ended(end="NoProgress", reason="correct-horse again", tree=""))
    assert isinstance(stamped.event, e.Ended)
    assert stamped.event.reason == "[secret DEPLOY_TOKEN] again"
    assert [s.event for s in log] == [stamped.event]
    assert log.head == inner.head


def test_a_secret_in_a_new_file_is_not_kept_and_base_stays_as_it_is(tmp_path: Path) -> None:
    """The mark that takes its place has the length it says; a file of base keeps its bytes wherever it lies."""
    blobs = FakeBlobs()
    base = tree_of(blobs, {"old.env": b"token=correct-horse"})
    workspace = DiskWorkspace(blobs, base, tmp_path / "work", SECRETS.declared)
    with workspace.fresh(base) as folder:
        Path(folder, "new.env").write_bytes(b"token=correct-horse\n")
        Path(folder, "copy.env").write_bytes(b"token=correct-horse")
        for _ in range(2):
            tree = workspace.capture(folder)
    assert workspace.read(tree, "new.env") == b"token=[secret DEPLOY_TOKEN]\n"
    assert tree["new.env"].size == len(b"token=[secret DEPLOY_TOKEN]\n")
    assert tree["old.env"] == tree["copy.env"] == base["old.env"]
