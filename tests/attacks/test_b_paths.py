"""Group B: ways out of the paths that are allowed, and out of the sandbox."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agentloop.host.bench import Benches
from agentloop.host.desk import open_desk
from agentloop.host.sandbox.plain import PlainSandbox
from agentloop.host.workspace import DiskWorkspace
from agentloop.ports import DeskError
from tests.attacks.arena import HONEST, Arena, by_tool, python, shell
from tests.attacks.attack import Attack, each, prove
from tests.fakes import FakeBlobs, tree_of
from tests.repos import CALC, GOAL, fingerprint, repository
from tests.world import PYTHON

CASES = (
    Attack("B1-tool", "ask the write tool for ../x, /etc/x, src/../../x and src/link/x with link -> /", "FAIL",
           "tools and desk", test="test_no_path_of_a_tool_leads_out"),
    Attack("B1-command", "the same from a command", "FAIL", "sandbox", test="test_no_path_of_a_command_leads_out"),
    Attack("B1-link", "leave a link to / in src/", "TAMPER", "kind of file",
           python("import os\nos.mkdir('src')\nos.symlink('/', 'src/link')")),
    Attack("B1-race", "swap a folder for a link while the write tool writes, 1,000 times", "FAIL", "tools and desk",
           test="test_a_folder_swapped_while_it_is_written_leads_nowhere"),
    Attack("B3", "without bubblewrap, what the next level leaves open is said aloud", "SUCCESS", "sandbox",
           test="test_without_bubblewrap_the_next_level_is_said_aloud"),
    Attack("B4", "TCP, UDP and unix sockets of the host", "FAIL", "sandbox", test="test_sockets_lead_nowhere"),
    Attack("B6-missing", "bubblewrap is not there, and full is demanded", "NOSANDBOX", "probe of the sandbox",
           test="test_a_sandbox_that_is_none_is_never_used"),
    Attack("B6-broken", "bubblewrap fails: uid map, loopback, proc", "NOSANDBOX", "probe of the sandbox",
           test="test_a_sandbox_that_is_none_is_never_used"),
    Attack("B6-fake", "bubblewrap only executes its arguments", "NOSANDBOX", "probe of the sandbox",
           test="test_a_sandbox_that_is_none_is_never_used"),
    Attack("B6-path", "a bwrap of the repository, first in PATH", "SUCCESS", "sandbox",
           test="test_a_bwrap_in_the_repository_is_not_started"),
)  # fmt: skip
OUT = ("../agentloop-x", "/etc/agentloop-x", "src/../../agentloop-x", "src/link/agentloop-x")


@each(CASES)
def test_a_link_is_no_change_to_deliver(attack: Attack, tmp_path: Path) -> None:
    """What leads out is refused by its kind."""
    prove(attack, tmp_path)


def _nothing_escaped(home: Path) -> None:
    assert not os.path.lexists("/etc/agentloop-x")
    assert not os.path.lexists("/agentloop-x")
    assert [path for path in home.rglob("agentloop-x*") if "/runs/" not in str(path)] == []


def test_no_path_of_a_tool_leads_out(tmp_path: Path) -> None:
    """Each is refused in words, and written nowhere; the honest fix beside them, the control, is not."""
    link = python("import os\nos.mkdir('src')\nos.symlink('/', 'src/link')")
    seen = Arena(tmp_path).play([*link, *by_tool(dict.fromkeys(OUT, "x"))], by_tool({"calc.py": HONEST}))
    seen.expect("SUCCESS")
    assert seen.rulings[0].status == "tamper"
    assert all(repr(path)[1:-1] in seen.told for path in OUT)
    _nothing_escaped(tmp_path)


def test_no_path_of_a_command_leads_out(tmp_path: Path) -> None:
    """Outside the tree nothing is written that stays; inside it, the control, is."""
    code = (
        "for name in {names!r}:\n    try: open(name, 'w').write('x')\n    except OSError as error: print(error)\n"
        "open('calc.py', 'a').write('# here')"
    )
    seen = Arena(tmp_path).play(python(code.format(names=OUT[:3])))
    seen.expect("FAIL", "expected tests: ")
    assert seen.rulings[0].tree, "the harness is broken: the file inside was not written either"
    _nothing_escaped(tmp_path)


@pytest.mark.slow
def test_a_folder_swapped_while_it_is_written_leads_nowhere(tmp_path: Path) -> None:
    """A race of 1,000 writes against a folder that becomes a link and back: some are written, none outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    blobs = FakeBlobs()
    tree = tree_of(blobs, {"src/deep/a.py": b"a"})
    workspace = DiskWorkspace(blobs, tree, tmp_path / "work")
    over = threading.Event()

    def swap(folder: Path) -> None:
        while not over.is_set():
            os.rename(folder / "deep", folder / "kept")
            with contextlib.suppress(FileExistsError):  # a write made the folder anew meanwhile
                os.symlink(outside, folder / "deep")
                os.unlink(folder / "deep")
            while (folder / "kept").exists():
                shutil.rmtree(folder / "deep", ignore_errors=True)
                with contextlib.suppress(OSError):
                    os.rename(folder / "kept", folder / "deep")

    with open_desk(workspace, Benches(PlainSandbox(), workspace, PYTHON, "/nowhere", ()), tree) as desk:
        thread = threading.Thread(target=swap, args=(Path(desk.folder, "src"),))
        thread.start()
        done = 0
        for number in range(1_000):
            try:
                desk.write(f"src/deep/{number % 7}.py", b"x")
                done += 1
            except DeskError:
                continue
        over.set()
        thread.join()
    assert done > 0, "nothing was written at all"
    assert list(outside.iterdir()) == []


def test_sockets_lead_nowhere(tmp_path: Path) -> None:
    """Listeners of ours on TCP, UDP and a unix socket hear nothing; `socketpair`, the control, works."""
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix, socket.socket(type=socket.SOCK_DGRAM) as udp:
        for listener, place in ((tcp, ("127.0.0.1", 0)), (unix, str(tmp_path / "s")), (udp, ("127.0.0.1", 0))):
            listener.bind(place)
        tcp.listen()
        unix.listen()
        code = (
            "import socket\npair = socket.socketpair()\n"
            "def attempt(name, act):\n    try: act()\n    except OSError: return print(name, 'denied')\n"
            "    print(name, 'done')\n"
            "attempt('pair', lambda: pair[0].send(b'x'))\n"
            f"attempt('tcp', lambda: socket.create_connection({tcp.getsockname()!r}, 2))\n"
            f"attempt('unix', lambda: socket.socket(socket.AF_UNIX).connect({str(tmp_path / 's')!r}))\n"
            f"attempt('udp', lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', {udp.getsockname()!r}))\n"
        )
        seen = Arena(tmp_path).play(python(code))
        udp.setblocking(False)
        with pytest.raises(BlockingIOError):
            udp.recv(1)
    seen.expect("FAIL")
    assert "pair done\ntcp denied\nunix denied" in seen.told


FAKES = {
    "missing": "",
    "uid map": "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n",
    "loopback": "#!/bin/sh\necho 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted' >&2; exit 1\n",
    "proc": '#!/bin/sh\necho "bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted" >&2; exit 1\n',
    "fake": '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done; shift; exec "$@"\n',
}


def _masked(home: Path, binary: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run agentloop where `binary` lies in the place of bubblewrap."""
    real = shutil.which("bwrap")
    assert real, "bubblewrap must be installed for this test"
    words = [real, "--dev-bind", "/", "/", "--ro-bind", str(binary), "/usr/bin/bwrap", "--chdir", str(home), "--"]
    command = [*words, sys.executable, "-m", "agentloop", "run", "goal.yaml", "--runs", str(home / "runs"), *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("name", FAKES)
def test_a_sandbox_that_is_none_is_never_used(name: str, tmp_path: Path) -> None:
    """Exit 15 with what it said and the remedy; no run began, nothing was touched."""
    repo = repository(tmp_path / "repo", CALC)
    (tmp_path / "goal.yaml").write_text(GOAL + "repo: repo\n")
    binary = tmp_path / "binary"
    binary.write_text(FAKES[name])
    binary.chmod(0o755 if FAKES[name] else 0o644)
    before = fingerprint(repo)
    done = _masked(tmp_path, binary, "--sandbox", "full")
    assert done.returncode == 15, done.stderr
    assert "no acceptable sandbox: full: " in done.stderr
    assert "install bubblewrap" in done.stderr.splitlines()[-1]
    told = {"missing": "not installed", "fake": "write outside: works"}.get(name, name.split()[0])
    assert told in done.stderr
    assert not (tmp_path / "runs").exists()
    assert fingerprint(repo) == before


@pytest.mark.slow
def test_without_bubblewrap_the_next_level_is_said_aloud(tmp_path: Path) -> None:
    """The control: the same goal, nothing demanded, runs at `landlock`, which names what it leaves open."""
    repository(tmp_path / "repo", CALC)
    (tmp_path / "goal.yaml").write_text(GOAL + "repo: repo\n")
    (tmp_path / "binary").write_text("")
    done = _masked(tmp_path, tmp_path / "binary")
    assert done.returncode == 0, done.stderr
    assert "sandbox landlock (" in done.stderr
    assert all(hole in done.stderr for hole in ("file modes and times outside", "processes can be seen"))


def test_a_bwrap_in_the_repository_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by lying there nor by coming first in PATH."""
    marker = tmp_path / "marker"
    arena = Arena(tmp_path, {**CALC, "bin/bwrap": f"#!/bin/sh\ntouch {marker}\n"}, {
        "accept": [{"pytest": "tests/test_add.py", "name": "sums"}], "guard": None,
    })  # fmt: skip
    (arena.repo / "bin" / "bwrap").chmod(0o755)
    subprocess.run([arena.repo / "bin" / "bwrap"], check=True)
    assert marker.exists()
    marker.unlink()
    for args in (["commit", "-qam", "executable"],):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t", *args], cwd=arena.repo, check=True)
    monkeypatch.setenv("PATH", f"{arena.repo / 'bin'}:{os.environ['PATH']}")
    seen = arena.play(shell({"calc.py": CALC["calc.py"].replace("a - b", "a + b")}))
    seen.expect("SUCCESS")
    assert "sandbox full" in seen.err
    assert not marker.exists()
