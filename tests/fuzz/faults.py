#!/usr/bin/env python3
"""Lets the n-th system call or allocation of a command fail, for every n until the command no longer comes to it.

usage: faults.py WEIR APP FAIL_MALLOC.so ROOT [--most N] [--only WORD]

System calls fail through strace (skipped, status 77, where it is missing or may not trace). Each command must then end
with one of its exit statuses and a word on standard error; the file it was to write holds what it held before, or what
it holds after an undisturbed run; and status 0 means that nothing differs from an undisturbed run. N (default: no
bound) limits the places at which a call is made to fail; they are spread over all of them.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 120
CALLS = {  # a call and what it says
    "write": "ENOSPC", "pwrite64": "ENOSPC", "openat": "EMFILE", "mmap": "ENOMEM", "rename,renameat,renameat2": "EACCES",
    "linkat": "EPERM", "clone,clone3,fork,vfork": "EAGAIN", "ftruncate": "ENOSPC", "memfd_create": "ENOMEM",
    "fchmod": "EPERM", "execve": "EACCES",
}
OLD = '{"old": true}\n'
# Programs print by themselves and need not look whether it worked; without libstdc++ names of kernels stay mangled.
FREE_TO_PRINT = ("run", "record", "analyze")


def is_json(text):
    """The counts of a program that failed in the middle: a whole document of what it did."""
    try:
        json.loads(text)
        return True
    except (TypeError, ValueError):
        return False


class Harness:
    def __init__(self, args):
        self.args = args
        self.dir = tempfile.mkdtemp(prefix="weir-faults-")
        self.out = os.path.join(self.dir, "out.json")
        self.seen = os.path.join(self.dir, "seen")
        self.log = os.path.join(self.dir, "strace")
        self.found = self.runs = 0
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.dir, "cache"))

    def run(self, words, before=(), env=None):
        """Status, standard output, standard error and the output file afterwards."""
        with open(self.out, "w") as f:
            f.write(OLD)
        self.runs += 1
        try:
            r = subprocess.run([*before, self.args.weir, *words], env=env or self.env, stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=TIME_LIMIT_S, cwd=self.dir)
        except subprocess.TimeoutExpired as e:
            return "time", e.stdout or b"", e.stderr or b"", ""
        try:
            with open(self.out, "rb") as f:
                text = f.read()
        except OSError:
            text = None
        return r.returncode, r.stdout, r.stderr, text

    def judge(self, what, words, result, whole):
        status, out, err, text = result
        said = err.decode(errors="replace")
        why = None
        if b"error while loading shared libraries" in err or b"cannot apply additional memory protection" in err:
            return  # the loader, before weir
        if status == "time":
            why = f"did not end in {TIME_LIMIT_S} s"
        elif status not in (0, 1, 2, 3):
            why = f"ended with status {status}"
        elif status and not said.strip() and what.split()[0] != "write":
            why = f"status {status} without a word"
        elif text not in (OLD.encode(), whole[3]) and not (status == 1 and is_json(text)):
            why = "left half an output" if text is not None else "removed the output that was there"
        elif status == 0 and (text != whole[3] or (out != whole[1] and words[0] not in FREE_TO_PRINT)):
            why = "status 0, and something is missing"
        if why:
            self.found += 1
            print(f"FOUND {what}: weir {' '.join(words)}: {why}")
            print("\n".join("    " + line for line in said.splitlines()[-8:]))

    def places(self, last):
        """1, 2, ... last, thinned out to --most of them."""
        most = self.args.most or last
        return sorted({1 + i * (last - 1) // max(1, most - 1) for i in range(min(most, last))}) if last else []

    def calls(self, words, call):
        """How often the command makes it."""
        subprocess.run(["strace", "-f", "-qq", "-o", self.log, "-e", "trace=" + call, self.args.weir, *words],
                       env=self.env, stdin=subprocess.DEVNULL, capture_output=True, cwd=self.dir)
        with open(self.log, errors="replace") as f:
            return sum(1 for line in f if re.search(r"^\d+ +(%s)\(" % call.replace(",", "|"), line))

    def command(self, words):
        whole = self.run(words)
        if whole[0]:
            print(f"FOUND: weir {' '.join(words)} fails undisturbed:\n{whole[2].decode()}")
            self.found += 1
            return
        for call, error in CALLS.items():
            loader = self.calls(["--version"], call) if call in ("openat", "mmap") else 0
            for n in self.places(self.calls(words, call) - loader):
                n += loader
                result = self.run(words, ["strace", "-f", "-qq", "-o", self.log, "-e", "trace=" + call, "-e",
                                          f"inject={call}:error={error}:when={n}"])
                self.judge(f"{call.split(',')[0]} {n}", words, result, whole)
        n, step = 1, 1
        env = dict(self.env, LD_PRELOAD=self.args.fail_malloc, WEIR_FAIL_SEEN=self.seen)
        while True:
            if os.path.exists(self.seen):
                os.unlink(self.seen)
            result = self.run(words, env=dict(env, WEIR_FAIL_MALLOC=str(n)))
            if not os.path.exists(self.seen):
                return
            self.judge(f"malloc {n}", words, result, whole)
            if self.args.most and n >= self.args.most:
                step *= 2
            n += step


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    for name in ("weir", "app", "fail_malloc", "root"):
        p.add_argument(name, type=os.path.abspath)
    p.add_argument("--most", type=int, default=0)
    p.add_argument("--only", default="")
    args = p.parse_args()
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"]).returncode:
        print("skipped: strace is missing or may not trace")
        return 77
    h = Harness(args)
    wt = os.path.join(args.root, "tests/fuzz/tiny.wt")
    try:
        for words in (
            ["list", "gpus"],
            ["config", "show", "gtx480"],
            ["explain", "gto"],
            ["trace", "info", "--json", wt],
            ["trace", "dump", wt],
            ["replay", "-q", "--gpu", "gtx480", "--with", "apcm", "--json", h.out, wt],
            ["analyze", "--json", h.out, wt],
            ["run", "-q", "--functional", "--json", h.out, args.app],
            ["run", "-q", "--gpu", "gtx480", "--json", h.out, args.app],
            ["record", "-q", "-o", h.out, args.app],
        ):
            if args.only in " ".join(words):
                h.command(words)
        print(f"{h.runs} runs: {h.found} findings")
    finally:
        shutil.rmtree(h.dir)
    return 1 if h.found else 0


if __name__ == "__main__":
    sys.exit(main())
