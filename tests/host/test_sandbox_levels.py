"""What each sandbox level holds, and what works inside it all the same."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentloop.core.process import Command, Ran
from agentloop.errors import NoSandbox
from agentloop.host.sandbox import MAKERS, choose, probe
from agentloop.host.sandbox.bwrap import BubblewrapSandbox
from agentloop.host.sandbox.landlock import LandlockSandbox
from agentloop.host.sandbox.launch import own_python
from agentloop.host.sandbox.plain import PlainSandbox
from agentloop.host.sandbox.probe import MUST, examine

REAL = ("full", "landlock")
ALL = (*REAL, "none")
PYTHON = sys.executable


def run(level: str, folder: Path, *argv: str, timeout: float = 20, stdin: bytes = b"") -> Ran:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    command = Command(argv, str(folder), env, (str(folder),), own_python(), timeout, stdin)
    return MAKERS[level]().run(command)  # type: ignore[index]


def python(level: str, folder: Path, code: str) -> Ran:
    return run(level, folder, PYTHON, "-I", "-S", "-c", code)


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    folder = tmp_path / "inside"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("level", ALL)
def test_ordinary_work_is_possible(level: str, inside: Path) -> None:
    """Positive control: files inside, pipes, Python and temporary files work at every level."""
    code = (
        "import tempfile, subprocess; open('a', 'w').write('x'); print(subprocess.check_output(['cat', 'a']).decode())"
    )
    ran = python(level, inside, code)
    assert (ran.code, ran.stdout.head.strip()) == (0, b"x"), ran
    assert (inside / "a").read_text() == "x"
    assert ran.level == level


def test_at_full_a_local_server_can_be_started(inside: Path) -> None:
    """The sandbox has a loopback of its own."""
    code = (
        "import socket\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
        "c = socket.create_connection(s.getsockname()); print('ok')"
    )
    assert python("full", inside, code).stdout.head.strip() == b"ok"


@pytest.mark.parametrize("level", REAL)
def test_files_outside_can_be_neither_written_nor_read(level: str, inside: Path) -> None:
    """A path beside the folder, the user's home and a root file are out of reach."""
    private = inside.parent / "private"
    private.write_text("secret")
    for code in (
        f"open({str(private)!r}, 'w')",
        f"print(open({str(private)!r}).read())",
        "open('/etc/agentloop-x', 'w')",
    ):
        # At `full` a write may land in a folder of the sandbox's own: what counts is what is there afterwards.
        assert b"secret" not in python(level, inside, code).stdout.head
    assert private.read_text() == "secret"
    assert not os.path.exists("/etc/agentloop-x")
    made = inside.parent / "made"
    python(level, inside, f"open({str(made)!r}, 'w')")
    assert not made.exists()


@pytest.mark.parametrize("level", REAL)
def test_sockets_of_the_host_are_out_of_reach(level: str, inside: Path) -> None:
    """Neither TCP nor a unix socket of ours can be connected to, though both are listening."""
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        path = str(inside.parent / "s")
        unix.bind(path)
        unix.listen()
        socket.create_connection(tcp.getsockname()).close()
        ways = (
            f"s = socket.create_connection(('127.0.0.1', {tcp.getsockname()[1]}), 2)",
            f"s = socket.socket(socket.AF_UNIX); s.connect({path!r})",
        )
        for way in ways:
            ran = python(level, inside, f"import socket; {way}; print('reached')")
            assert b"reached" not in ran.stdout.head, way


@pytest.mark.parametrize("level", REAL)
def test_our_own_process_is_out_of_reach(level: str, inside: Path) -> None:
    """It can't be signalled, and its environment can't be read."""
    canary = secrets.token_hex(8)
    with subprocess.Popen(["/bin/sleep", "60"], env={"CANARY": canary}) as other:
        try:
            code = f"import os, signal; os.kill({other.pid}, signal.SIGKILL)"
            assert python(level, inside, code).code == 1
            grep = (
                "import glob\nfor p in glob.glob('/proc/*/environ'):\n"
                "  try: print(open(p, 'rb').read())\n  except OSError: pass"
            )
            assert canary.encode() not in python(level, inside, grep).stdout.head
            assert other.poll() is None
        finally:
            other.kill()


@pytest.mark.parametrize("level", ALL)
@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("bash", "-c", "exit 3"), "exit code 3"),
        (("bash", "-c", "exit 137"), "exit code 137"),
        (("bash", "-c", "kill -9 $$"), "ended by signal 9"),
        (("bash", "-c", "kill -TERM $$"), "ended by signal 15"),
        (("no-such-program",), "could not start: 'no-such-program': not found"),
        (("/etc/passwd",), "could not start: '/etc/passwd': can't be executed"),
        (("echo", "a\0b"), "could not start: a NUL character stands in the command or its environment"),
        (("echo", "x" * 3_000_000), "could not start: the argument list is too long"),
        ((), "could not start: there is no command"),
    ],
)
def test_how_a_command_ended_is_told_apart(level: str, argv: tuple[str, ...], said: str, inside: Path) -> None:
    """Exit codes, signals and what could not be started are never mixed up."""
    ran = run(level, inside, *argv)
    assert ran.said == said
    assert ran.ok is False


@pytest.mark.parametrize("level", ALL)
def test_a_folder_that_is_gone_is_told(level: str, tmp_path: Path) -> None:
    """A missing working directory is no crash."""
    assert "is gone" in run(level, tmp_path / "gone", "true").said


def _running(mark: str) -> bool:
    return any(mark in text for text in _commands())


def _commands() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("level", ALL)
def test_at_the_deadline_everything_dies(level: str, inside: Path) -> None:
    """Sessions of their own, ignored TERM and stopped processes: back within a second, and nothing is left."""
    mark = f"{1000 + secrets.randbelow(10**6)}.{secrets.randbelow(10**6)}"
    text = f'trap "" TERM; setsid sleep {mark} & (trap "" TERM; setsid sleep {mark}) & kill -STOP $$; sleep {mark}'
    started = time.monotonic()
    ran = run(level, inside, "bash", "-c", text, timeout=0.7)
    assert ran.timed_out
    assert ran.code is None
    assert time.monotonic() - started < 0.7 + 1.5
    assert not _running(mark)


@pytest.mark.parametrize("level", ALL)
def test_what_outlives_a_command_is_killed_and_counted(level: str, inside: Path) -> None:
    """A late writer never writes, and a held pipe does not keep us waiting."""
    started = time.monotonic()
    ran = run(level, inside, "bash", "-c", "(setsid bash -c 'sleep 2; echo late > late') & echo now")
    assert (ran.code, ran.stdout.head) == (0, b"now\n")
    assert ran.killed >= 1
    assert time.monotonic() - started < 1.8
    time.sleep(2.1)
    assert not (inside / "late").exists()


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_capped_and_counted(stream: str, inside: Path) -> None:
    """50 MB on a stream: head and tail are kept, the digest and the number are of all of it."""
    total = 50_000_000
    redirect = ">&2" if stream == "stderr" else ""
    ran = run("none", inside, "bash", "-c", f"(echo first; head -c {total} /dev/zero; echo last) {redirect}")
    caught = getattr(ran, stream)
    assert caught.head.startswith(b"first\n")
    assert caught.tail.endswith(b"last\n")
    assert caught.total == total + 11
    assert len(caught.head) + len(caught.tail) < 300_000
    assert caught.digest == hashlib.sha256(b"first\n" + bytes(total) + b"last\n").hexdigest()
    assert "bytes left out" in caught.text


@pytest.mark.parametrize("level", ALL)
def test_bytes_are_bytes_and_input_ends(level: str, inside: Path) -> None:
    """What is not UTF-8 crashes nothing; stdin is given, then closed; there is no terminal."""
    ran = run(level, inside, "bash", "-c", "cat; printf '\\377\\376'; tty", stdin=b"in" * 100_000)
    assert ran.stdout.total > 200_000
    assert b"\xff\xfe" in ran.stdout.tail
    assert "not a tty" in ran.stdout.text
    assert run(level, inside, "cat").code == 0


@pytest.mark.parametrize("level", REAL)
def test_the_probe_passes_here(level: str) -> None:
    """Every trial comes out as it must on a machine that has the level (bubblewrap included)."""
    report = probe(level)  # type: ignore[arg-type]
    assert report.ok, report.why
    assert [row.what for row in report.rows] == list(MUST)


def test_a_sandbox_that_isolates_nothing_fails_its_probe(tmp_path: Path) -> None:
    """No isolation, and a bubblewrap that only starts what it is given, are both found out by what they let through."""
    report = examine(PlainSandbox())
    assert not report.ok
    assert "write outside: works" in report.why
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done; shift; exec "$@"\n')
    fake.chmod(0o755)
    assert not examine(BubblewrapSandbox(str(fake))).ok


def test_a_broken_harness_does_not_read_as_all_denied(tmp_path: Path) -> None:
    """A sandbox in which nothing runs proves nothing."""
    report = examine(BubblewrapSandbox("/bin/false"))
    assert not report.ok
    assert "a harmless command fails in it" in report.why


def test_the_best_level_that_is_proved_is_taken() -> None:
    """`full` where it passes, else `landlock`; what is demanded and missing is refused with the remedy."""
    without = {**MAKERS, "full": lambda: BubblewrapSandbox("/nowhere/bwrap")}
    assert choose(None).level == "full"
    assert choose(None, without).level == "landlock"
    assert choose("landlock", without).level == "landlock"
    with pytest.raises(NoSandbox, match="install bubblewrap"):
        choose("full", without)
    nothing = {**without, "landlock": PlainSandbox}
    with pytest.raises(NoSandbox, match="--sandbox none"):
        choose(None, nothing)
    assert choose("none", nothing).level == "none"
    assert choose("external").level == "external"
    assert LandlockSandbox().level == "landlock"


@pytest.mark.parametrize("level", ALL)
def test_a_killed_parent_leaves_nothing_alive(level: str, inside: Path) -> None:
    """SIGKILL of the process that runs a sandbox takes all that it started with it."""
    mark = f"{1000 + secrets.randbelow(10**6)}.{secrets.randbelow(10**6)}"
    code = (
        "import sys\nfrom pathlib import Path\nfrom agentloop.core.process import Command\n"
        "from agentloop.host.sandbox import MAKERS\nfrom agentloop.host.sandbox.launch import own_python\n"
        f"text = 'trap \"\" TERM; setsid sleep {mark} & sleep {mark}'\n"
        f"MAKERS[{level!r}]().run(Command(('bash', '-c', text), {str(inside)!r}, {{'PATH': '/usr/bin:/bin'}}, "
        f"({str(inside)!r},), own_python(), 60))\n"
    )
    with subprocess.Popen([PYTHON, "-c", code]) as parent:
        deadline = time.monotonic() + 20
        while not any("sleep" in text and mark in text and "bash" not in text for text in _commands()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        parent.kill()
    deadline = time.monotonic() + 5
    while _running(mark):
        assert time.monotonic() < deadline, "something is still alive"
        time.sleep(0.05)
