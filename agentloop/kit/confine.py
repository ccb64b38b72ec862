"""Starts one command so that nothing of it outlives it, with Landlock and seccomp where it is asked to.

Run as ``python -I -S confine.py CONFIG`` where CONFIG is JSON: ``argv``, ``status`` (a descriptor for the answer),
``landlock`` (null, or ``{"read": [...], "write": [...]}``), ``sockets`` and ``limits``. It becomes the reaper of all
that the command starts; when the command ends, or SIGTERM or the death of its own parent comes, everything left is
killed. The answer is one JSON object: ``code`` or ``signal`` or ``missing``, and ``killed``.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 36, 38


def main():
    """Start, wait, sweep, answer."""
    config = json.loads(sys.argv[1])
    parent = os.getppid()
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: stop(config["status"]))
    if os.getppid() != parent:
        os._exit(1)
    read, write = os.pipe()
    os.set_inheritable(write, False)
    child = os.fork()
    if child == 0:
        os.close(read)
        start(config, write)
    os.close(write)
    trouble = os.read(read, 4096)
    _, status = os.waitpid(child, 0)
    answer = {"killed": sweep()}
    if trouble:
        answer["missing"] = trouble.decode("utf-8", "replace")
    elif os.WIFSIGNALED(status):
        answer["signal"] = os.WTERMSIG(status)
    else:
        answer["code"] = os.WEXITSTATUS(status)
    os.write(config["status"], json.dumps(answer).encode())
    os._exit(0)


def stop(status):
    """Everything dies, at once."""
    os.write(status, json.dumps({"stopped": True, "killed": sweep()}).encode())
    os._exit(1)


def sweep():
    """Kill all descendants and reap them; how many there were. Orphans come to us: we are the reaper."""
    killed = set()
    while True:
        children = descendants()
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return len(killed)
        if children:
            time.sleep(0.002)


def descendants():
    """The pids below us, by the parents that /proc tells."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    text = file.read()
            except OSError:
                continue
            parents[int(name)] = int(text[text.rindex(b")") + 2 :].split()[1])
    found, todo = [], [os.getpid()]
    while todo:
        pid = todo.pop()
        below = [child for child, parent in parents.items() if parent == pid]
        found += below
        todo += below
    return found


def start(config, trouble):
    """In the child: limits, then Landlock, then seccomp, then the command itself."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.close(config["status"])
        for name, value in config["limits"].items():
            lower(getattr(resource, name), value)
        if LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no_new_privs is not to be had")
        if config["seccomp"]:
            powerless()
        if config["landlock"] is not None:
            landlock(config["landlock"]["read"], config["landlock"]["write"])
        if config["seccomp"]:
            seccomp(config["sockets"])
        os.execvpe(config["argv"][0], config["argv"], os.environ)
    except FileNotFoundError:
        os.write(trouble, f"{config['argv'][0]!r}: not found".encode("utf-8", "replace")[:4000])
    except PermissionError:
        os.write(trouble, f"{config['argv'][0]!r}: can't be executed".encode("utf-8", "replace")[:4000])
    except (OSError, ValueError) as error:
        os.write(trouble, str(error).encode("utf-8", "replace")[:4000])
    os._exit(127)


def lower(which, value):
    """Lower a limit; one that is lower already stays."""
    hard = resource.getrlimit(which)[1]
    if hard == resource.RLIM_INFINITY or hard > value:
        resource.setrlimit(which, (value, value))


def powerless():
    """Give every capability up, for good: as root, some of them see past Landlock."""
    for capability in range(64):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", 0x20080522, 0)
    if LIBC.capset(header, bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capabilities could not be dropped")


# --- Landlock: https://docs.kernel.org/userspace-api/landlock.html ---

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
READ_RIGHTS = (1 << 0) | (1 << 2) | (1 << 3)  # execute, read file, read folder
FILE_RIGHTS = (1 << 0) | (1 << 1) | (1 << 2) | (1 << 14) | (1 << 15)


def landlock_version():
    """The kernel's Landlock version; 0 where it has none."""
    return max(0, LIBC.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def landlock(readable, writable):
    """Allow reading below `readable`, reading and writing below `writable`, nothing else."""
    version = landlock_version()
    if version < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    rights = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network = 0b11 if version >= 4 else 0
    scoped = 0b11 if version >= 6 else 0
    attributes = struct.pack("=QQQ", rights, network, scoped)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = LIBC.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock could not be set up")
    for path in readable:
        allow(ruleset, path, rights & READ_RIGHTS)
    for path in writable:
        allow(ruleset, path, rights)
    if LIBC.syscall(RESTRICT_SELF, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "Landlock could not be enforced")
    os.close(ruleset)


def allow(ruleset, path, rights):
    """Add a rule for what lies at or below `path`; a path that is not there needs none."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= FILE_RIGHTS
    rule = struct.pack("=Qi", rights, fd)
    if LIBC.syscall(ADD_RULE, ruleset, 1, rule, 0) != 0:
        raise OSError(ctypes.get_errno(), f"Landlock refused a rule for {path}")
    os.close(fd)


# --- seccomp: a filter on system calls, as linux/filter.h and linux/seccomp.h describe it ---

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Machine → its AUDIT_ARCH number, and the column of CALLS."""

CALLS = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "setns": (308, 268),
    "unshare": (272, 97),
    "open_by_handle_at": (304, 265),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
}
SOCKET, IOCTL = (41, 198), (16, 29)
TIOCSTI = 0x5412
ALLOW, DENY, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def seccomp(sockets):
    """Deny what CALLS names, faked terminal input and, without `sockets`, every new socket (pairs stay)."""
    machine = os.uname().machine
    if machine not in MACHINES:
        raise OSError(errno.ENOSYS, f"no system call filter is known for {machine}")
    arch, column = MACHINES[machine]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    program = [(load, 0, 0, 4), (equal, 1, 0, arch), (give, 0, 0, KILL), (load, 0, 0, 0)]
    program += [(at_least, 0, 1, 0x40000000), (give, 0, 0, DENY)]  # the x32 calls would go round the list
    denied = [numbers[column] for numbers in CALLS.values()] + ([] if sockets else [SOCKET[column]])
    for number in denied:
        program += [(equal, 0, 1, number), (give, 0, 0, DENY)]
    program += [(equal, 0, 3, IOCTL[column]), (load, 0, 0, 24), (equal, 0, 1, TIOCSTI), (give, 0, 0, DENY)]
    program.append((give, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    if LIBC.prctl(PR_SET_SECCOMP, 2, header, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system call filter could not be set up")


if __name__ == "__main__":
    main()
