#!/usr/bin/env python3
"""Lets the n-th system call or allocation of a command fail, for every n until the command no longer comes to it.

usage: faults.py WEIR APP FAIL_CALLS.so ROOT [--most N] [--only WORD] [--real-clang]

System calls fail through strace (skipped, status 77, where it is missing or may not trace), forks, execs and allocations
through a preloaded library. Each command must then end with one of its exit statuses and a word on standard error; the
file it was to write holds what it held before, or what it holds after an undisturbed run; and status 0 means that nothing
differs from an undisturbed run. No temporary file or folder is left, and a results store keeps what was in it. N
(default: no bound) limits the places at which a call is made to fail; they are spread over all of them. weir cc gets a
script in clang's place, unless --real-clang says otherwise: it is weir that is tested.
"""
import argparse
import json
import os
import re
import shutil
import sqlite3
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
SOURCE = """#include <cstdio>
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() { int *p; cudaMalloc(&p, 128); k << <1, 32>> >(p); return cudaDeviceSynchronize() != 0; }
"""
# What weir cc asks of a compiler, in a hundredth of the time: PTX from the device pass; an object that holds the PTX
# which came through the pipe; a program that holds its objects.
CLANG = """#!/bin/sh
[ "$1" = -dumpversion ] && { echo 19.1.0; exit 0; }
out= in=
for word; do
    [ "$last" = -o ] && out=$word
    [ "$before" = -fcuda-include-gpubinary ] && in=$word
    [ "$last" = -o ] || case $word in */0*.o) in=$word ;; esac
    before=$last last=$word
done
case " $* " in
*" --cuda-device-only "*) echo '; device code' >"$out" ;;
*" -x ir "*) printf '.version 7.0\\n.target sm_75\\n.address_size 64\\n' >"$out" ;;
*) { echo made of; cat "$in"; } >"$out" && chmod 755 "$out" ;;
esac
"""
PLAN = """[figure]
number    = 1
title     = a plan
programs  = histogram
metric    = energy.total_j
axis      = J
normalize = plain
[variant plain]
label = plain
[variant small]
set = l1.size=32KiB
"""
# Programs print by themselves and need not look whether it worked; without libstdc++ names of kernels stay mangled.
FREE_TO_PRINT = ("run", "record", "analyze", "suite", "compare", "profile", "trace")
# What differs from run to run.
VARIES = rb'("host_seconds"|"date"):( [\d.e-]+| "[^"]*")'
# Statuses with which a document of what went wrong is written.
FAILS_WITH = {"suite": (1, 2, 3)}


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
        self.count = os.path.join(self.dir, "count")
        self.tmp = os.path.join(self.dir, "tmp")
        os.mkdir(self.tmp)
        self.found = self.runs = 0
        self.before = self.after = None  # of each run: what is put in its place, what must hold then
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.dir, "cache"), TMPDIR=self.tmp, SOURCE_DATE_EPOCH="0")

    def run(self, words, before=(), env=None):
        """Status, standard output, standard error and the output file afterward."""
        with open(self.out, "w") as f:
            f.write(OLD)
        if self.before:
            self.before()
        self.runs += 1
        try:
            r = subprocess.run([*before, self.args.weir, *words], env=env or self.env, stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=TIME_LIMIT_S, cwd=self.dir)
        except subprocess.TimeoutExpired as e:
            return "time", e.stdout or b"", e.stderr or b"", ""
        try:
            with open(self.out, "rb") as f:
                text = re.sub(VARIES, rb'\1: 0', f.read())
        except OSError:
            text = None
        return r.returncode, r.stdout, r.stderr, text

    def judge(self, what, words, result, whole):
        status, out, err, text = result
        said = err.decode(errors="replace")
        why = None
        left = os.listdir(self.tmp) + [x for x in os.listdir(self.dir) if x.startswith(".weir")]
        for name in left:
            shutil.rmtree(os.path.join(self.tmp, name), ignore_errors=True)
        if b"error while loading shared libraries" in err or b"cannot apply additional memory protection" in err:
            return  # the loader, before weir
        if status == "time":
            why = f"did not end in {TIME_LIMIT_S} s"
        elif status not in (0, 1, 2, 3):
            why = f"ended with status {status}"
        elif status and not said.strip() and what.split()[0] != "write":
            why = f"status {status} without a word"
        elif text and b"</html>" in text and (b"Figure not available" in text if status else b"_Z" in text):
            pass  # a page, and what it lacks was said; or names stayed mangled
        elif text not in (OLD.encode(), whole[3]) and not (status in FAILS_WITH.get(words[0], (1,)) and is_json(text)):
            why = "left half an output" if text is not None else "removed the output that was there"
        elif status == 0 and (text != whole[3] or (out != whole[1] and words[0] not in FREE_TO_PRINT)):
            why = "status 0, and something is missing"
        elif left:
            why = f"left {left} behind"
        elif self.after:
            why = self.after(status)
        if why:
            self.found += 1
            print(f"FOUND {what}: weir {' '.join(words)}: {why}")
            print("\n".join("    " + line for line in said.splitlines()[-8:]))

    def places(self, last):
        """1, 2, ... last, thinned out to --most of them."""
        most = self.args.most or last
        return sorted({1 + i * (last - 1) // max(1, most - 1) for i in range(min(most, last))}) if last else []

    def calls(self, words, call, follow):
        """How often the command makes it."""
        if self.before:
            self.before()
        subprocess.run(["strace", *follow, "-qq", "-o", self.log, "-e", "trace=" + call, self.args.weir, *words],
                       env=self.env, stdin=subprocess.DEVNULL, capture_output=True, cwd=self.dir)
        with open(self.log, errors="replace") as f:
            return sum(1 for line in f if re.search(r"^(\d+ +)?(%s)\(" % call.replace(",", "|"), line))

    def preloaded(self, words, whole, name):
        """The n-th allocation, fork or exec."""
        n, step = 1, 1
        env = dict(self.env, LD_PRELOAD=self.args.fail_calls, WEIR_FAIL_SEEN=self.seen, WEIR_FAIL_COUNT=self.count)
        if words[0] in ("cc", "sweep", "suite"):
            env["WEIR_FAIL_ONLY"] = "weir"
        while True:
            for path in (self.seen, self.count):
                if os.path.exists(path):
                    os.unlink(path)
            result = self.run(words, env=dict(env, **{"WEIR_FAIL_" + name.upper(): str(n)}))
            if not os.path.exists(self.seen):
                return
            self.judge(f"{name} {n}", words, result, whole)
            if self.args.most and n >= self.args.most:
                step *= 2
            n += step

    def command(self, words, follow=True, calls=CALLS):
        """follow: also in the processes that it starts. calls: which of the system calls."""
        f = ["-f"] if follow else []
        whole = self.run(words)
        if whole[0]:
            print(f"FOUND: weir {' '.join(words)} fails undisturbed:\n{whole[2].decode()}")
            self.found += 1
            return
        for call, error in CALLS.items():
            if call not in calls:
                continue
            loader = self.calls(["--version"], call, f) if call in ("openat", "mmap") else 0
            for n in self.places(self.calls(words, call, f) - loader):
                n += loader
                result = self.run(words, ["strace", *f, "-qq", "-o", self.log, "-e", "trace=" + call, "-e",
                                          f"inject={call}:error={error}:when={n}"])
                self.judge(f"{call.split(',')[0]} {n}", words, result, whole)
        for name in ("fork", "exec", "malloc"):
            self.preloaded(words, whole, name)

    def compile(self):
        """weir cc, to each kind of output."""
        source, tools = os.path.join(self.dir, "a.cu"), os.path.join(self.dir, "clang")
        with open(source, "w") as f:
            f.write(SOURCE)
        if not self.args.real_clang:
            with open(tools, "w") as f:
                f.write(CLANG)
            os.chmod(tools, 0o755)
            self.env["WEIR_CLANG"] = tools
        for words in (["cc", source, "-o", self.out], ["cc", "-c", source, "-o", self.out],
                      ["cc", "-ptx", source, "-o", self.out], ["cc", "-lib", source, "-o", self.out]):
            if self.args.only in " ".join(words):
                self.command(words, follow=False)
        self.env.pop("WEIR_CLANG", None)

    def few_programs(self, path):
        """A folder of few programs, with a gnuplot that draws at once: the real one does not look whether it could write."""
        folder = os.path.join(self.dir, "bin")
        if os.path.exists(folder):
            return folder
        os.mkdir(folder)
        for tool in ("sh", "cat", "rm", "chmod", "strace", "clang++-19", "clang-19", "ld", "g++", "gcc"):
            if shutil.which(tool, path=path):
                os.symlink(shutil.which(tool, path=path), os.path.join(folder, tool))
        with open(os.path.join(folder, "gnuplot"), "w") as f:
            f.write("#!/bin/sh\necho '<svg></svg>'\n")
        os.chmod(f.name, 0o755)
        return folder

    def sweep(self):
        """What fills and reads a store: with one result of two in it, programs and recordings made before."""
        plan, store, first = (os.path.join(self.dir, x) for x in ("plan.ini", "results.sqlite", "first.sqlite"))
        report, tables = os.path.join(self.dir, "report"), ("report.md", "fig1.txt")
        with open(plan, "w") as f:
            f.write(PLAN)
        path = self.env["PATH"]
        words = ["sweep", plan, "--size", "tiny", "--results", store, "-o", report, "-j", "1"]
        if self.args.only not in " ".join(words) and self.args.only not in "suite run":
            return
        self.env["PATH"] = self.few_programs(path)
        subprocess.run([self.args.weir, *words], env=self.env, capture_output=True, cwd=self.dir)
        db = sqlite3.connect(store)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        keys = [r[0] for r in db.execute("SELECT key FROM result ORDER BY machine, settings")]
        db.execute("DELETE FROM result WHERE key <> ?", (keys[0],))
        db.commit()
        db.execute("VACUUM")
        kept = db.execute("SELECT * FROM result").fetchall()
        db.close()
        shutil.copy(store, first)
        whole = {x: open(os.path.join(report, x)).read() for x in tables}

        def before():
            for end in ("", "-wal", "-shm"):
                if os.path.exists(store + end):
                    os.unlink(store + end)
            shutil.copy(first, store)
            for x in tables:
                with open(os.path.join(report, x), "w") as f:
                    f.write(OLD)

        def after(status):
            db = sqlite3.connect(store)
            rows = db.execute("SELECT * FROM result").fetchall()
            whole_file = db.execute("PRAGMA integrity_check").fetchone()[0]
            db.close()
            texts = {x: open(os.path.join(report, x)).read() for x in tables if os.path.exists(os.path.join(report, x))}
            cache = [x for _, _, files in os.walk(self.env["XDG_CACHE_HOME"]) for x in files]
            if kept[0] not in rows or whole_file != "ok":
                return f"the store has lost something ({whole_file})"
            if any(re.search(r"\.\d+$", x) for x in cache):
                return f"left something unfinished in the cache: {cache}"
            told = status and "Missing: " in texts.get("report.md", "")  # of a simulation that came to nothing
            if any(texts.get(x) not in (OLD, whole[x]) for x in tables) and not told:
                return "half a report"
            if status == 0 and (len(rows) < 2 or texts != whole):
                return "status 0, and results or reports are missing"
            return None

        self.before, self.after = before, after
        if self.args.only in " ".join(words):
            self.command(words)
        self.before = self.after = None
        words = ["suite", "run", "histogram", "--size", "tiny", "--functional", "--json", self.out]
        if self.args.only in " ".join(words):
            self.command(words)
        self.env["PATH"] = path


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    for name in ("weir", "app", "fail_calls", "root"):
        p.add_argument(name, type=os.path.abspath)
    p.add_argument("--most", type=int, default=0)
    p.add_argument("--only", default="")
    p.add_argument("--real-clang", action="store_true")
    args = p.parse_args()
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"]).returncode:
        print("skipped: strace is missing or may not trace")
        return 77
    h = Harness(args)
    wt = os.path.join(args.root, "tests/fuzz/tiny.wt")
    path = h.env["PATH"]
    doc, base = os.path.join(h.dir, "doc.json"), os.path.join(h.dir, "base.json")
    try:
        for name, policy in ((doc, "gto"), (base, "lrr")):
            subprocess.run([args.weir, "replay", "-q", "--profile", "--with", policy, "--json", name, wt], env=h.env, check=True)
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
            ["compare", base, doc],
            ["export", "--table", "kernels", "-o", h.out, doc],
            ["energy", base, doc],
            ["cache", "list"],
            ["ptx", "info", os.path.join(args.root, "tests/fuzz/corpus/ptx/clang_basic.ptx")],
        ):
            if args.only in " ".join(words):
                h.command(words)
        h.env["PATH"] = h.few_programs(path)
        with open(doc) as f:
            text = re.sub(r'("src_file": )"[^"]*"', r'\1"/nowhere/tiny.cu"', f.read())  # wherever sources are
        with open(doc, "w") as f:
            f.write(text)
        for words in (["profile", wt], ["profile", "--html", h.out, doc]):
            if args.only in " ".join(words):
                h.command(words)
        h.env["PATH"] = path
        words = ["swcache", "transform", "-o", h.out, os.path.join(args.root, "examples/transpose.cu")]
        if args.only in " ".join(words) and b"without the source transformer" not in h.run(words)[2]:
            h.command(words, calls=("write", "clone,clone3,fork,vfork"))  # each run loads libclang
        h.compile()
        h.sweep()
        print(f"{h.runs} runs: {h.found} findings")
    finally:
        shutil.rmtree(h.dir)
    return 1 if h.found else 0


if __name__ == "__main__":
    sys.exit(main())
