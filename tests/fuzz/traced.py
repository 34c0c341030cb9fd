#!/usr/bin/env python3
"""What every command executes, writes and connects to, seen by strace, against the list in SECURITY.md.

usage: traced.py WEIR RECORDING

Exit status: 0 as promised, 1 not, 77 strace is missing or may not trace, or no clang compiles.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = "execve,openat,open,creat,connect,socket"
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TMPFILE")
COMPILERS = {"clang", "clang++", "cc", "gcc", "cc1", "as", "collect2", "ld", "ld.lld", "lto-wrapper", "ptxas", "nvcc"}
PLAN = "[figure]\ntitle = t\nprograms = mine\n[program mine]\nrun = %s\n[variant a]\nwith = lrr\n"
KERNEL = "__global__ void k(int *p) { *p = 1; }\nint main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n"
PTX = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n"
OWN = {"app", "exe"}  # the user's program; weir itself
# Command lines and the names of the programs that they may execute, as SECURITY.md says.
COMMANDS = [
    ("cc app.cu -o app", COMPILERS), ("run -q ./app", OWN), ("run --functional ./app", OWN), ("record -q -o app.wt ./app", OWN),
    ("replay -q --profile --json a.json mine.wt", set()), ("profile mine.wt", set()), ("profile a.json", set()),
    ("energy a.json", set()), ("analyze mine.wt", set()), ("analyze ./app", OWN), ("list gpus", set()), ("list policies", set()),
    ("list workloads", set()), ("list statistics", set()), ("list parameters", set()), ("explain ipc", set()),
    ("config show m.ini", set()), ("config check m.ini", set()), ("config diff m.ini gtx480", set()), ("cache list", set()),
    ("suite list", set()), ("suite run transpose --size tiny", COMPILERS | OWN | {"transpose"}),
    ("sweep plan.ini -o rep", {"gnuplot"}), ("sweep --trust runs.ini -o rep", OWN | {"gnuplot"}), ("sweep runs.ini -o rep", set()),
    ("report plan.ini -o rep", {"gnuplot"}), ("report runs.ini -o rep", {"gnuplot"}), ("report --trust runs.ini -o rep", {"gnuplot"}),
    ("compare a.json a.json", set()), ("export", set()), ("trace info mine.wt", set()), ("trace check mine.wt", set()),
    ("trace dump --limit 5 mine.wt", set()), ("ptx check p.ptx", set()), ("ptx dump p.ptx", set()), ("plugin new mine", set()),
    ("plugin build mine.c", COMPILERS), ("list policies --plugin ./mine.so", set()),
    ("swcache transform app.cu -o new.cu", COMPILERS), ("cache clean --results", set()),
]


def base(path):
    return re.sub(r"(\+\+)?-\d+$|-[0-9a-f]{32}$", lambda m: m.group(1) or "", os.path.basename(path))


def main():
    weir, recording = map(os.path.abspath, sys.argv[1:])
    folder = os.path.realpath(tempfile.mkdtemp(prefix="weir-traced-"))
    os.chdir(folder)
    env = dict(os.environ, XDG_CACHE_HOME=folder + "/cache", TMPDIR=folder + "/tmp", HOME=folder)
    os.mkdir("tmp")
    shutil.copy(recording, "mine.wt")
    for name, text in (("app.cu", KERNEL), ("plan.ini", PLAN % "mine.wt"), ("runs.ini", PLAN % "./app"), ("p.ptx", PTX),
                       ("m.ini", "base = gtx480\n[l1]\nsize = 32KiB\n")):
        with open(name, "w") as f:
            f.write(text)
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode \
            or subprocess.run([weir, "cc", "--dry-run", "app.cu"], capture_output=True).returncode:
        shutil.rmtree(folder)
        return 77
    wrong = 0
    for line, allowed in COMMANDS:
        subprocess.run(["strace", "-f", "-qq", "-s", "300", "-e", "trace=" + CALLS, "-o", "log", weir, *line.split()], env=env,
                       stdin=subprocess.DEVNULL, capture_output=True)
        first, found = True, set()
        with open("log", errors="replace") as log:
            for call, args, result in re.findall(r"^\d+ +(\w+)\((.*)\) += (\S+)", log.read(), re.M):
                quoted = re.search(r'"([^"]*)"', args)
                path = quoted.group(1) if quoted else ""
                if result == "-1":
                    continue
                if call in ("socket", "connect") and "AF_UNIX" not in args:
                    found.add(f"{call}({args})")
                elif call == "execve" and first:
                    first = False
                elif call == "execve" and base(path) not in allowed:
                    found.add(f"executes {path}")
                elif call in ("open", "openat", "creat") and (call == "creat" or WRITES.search(args)):
                    place = os.path.normpath(os.path.join(folder, path))
                    if not place.startswith((folder, "/dev/")) and "O_TMPFILE" not in args:
                        found.add(f"writes {path}")
        for what in sorted(found):
            print(f"weir {line}: {what}, which SECURITY.md does not say")
        wrong += len(found)
    shutil.rmtree(folder)
    print(f"{len(COMMANDS)} command lines traced, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
