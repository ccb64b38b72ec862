"""Runs inside a sandbox that is being tried out: what works, and what is denied, as one JSON object on stdout."""

import json
import os
import socket
import subprocess
import sys


def attempt(action):
    """``works`` or ``denied``."""
    try:
        return "works" if action() is not False else "denied"
    except (OSError, subprocess.SubprocessError):
        return "denied"


def main():
    """Try everything once."""
    target = json.loads(sys.argv[1])
    pid = int(target["pid"])

    def write(path):
        with open(path, "w") as file:
            file.write("x")

    def read(path):
        with open(path) as file:
            return bool(file.read())

    def tcp():
        with socket.socket() as probe:
            probe.settimeout(1)
            probe.connect(("127.0.0.1", int(target["port"])))

    def udp():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 53))
            probe.send(b"x")

    def unix():
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(target["socket"])

    def environment():
        with open(f"/proc/{pid}/environ", "rb") as file:
            return target["canary"].encode() in file.read()

    results = {
        "run a command": attempt(lambda: subprocess.run(["/bin/true"], check=True)),
        "write inside": attempt(lambda: write("written")),
        "read inside": attempt(lambda: read("written")),
        "write outside": attempt(lambda: write(target["outside"])),
        "read a private file outside": attempt(lambda: read(target["private"])),
        "connect by TCP": attempt(tcp),
        "send by UDP": attempt(udp),
        "connect to a unix socket": attempt(unix),
        "signal our process": attempt(lambda: os.kill(pid, 0)),
        "see our environment": attempt(environment),
    }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
