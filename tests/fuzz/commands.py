#!/usr/bin/env python3
"""Runs the whole weir command on mutated inputs: recordings behind right checksums, machine files, plans, stores,
documents of statistics, PTX that is then executed, results of the probes. Whatever the input, a command ends in time with one of its exit statuses, and says something when
that is not 0; a signal, a sanitizer's report, another status or silence is a finding.

usage: commands.py WEIR TRACE_MUTATE PTX_RUNNER ROOT [--n N] [--seed S] [--kind KIND] [--keep DIR] [--made-by WEIR]

N inputs of each kind (default 40). With a sanitizer build of WEIR it finds what a plain build does not notice; stores
need a plain build to be made by.
Exit status: 0 nothing found, 1 something.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 120  # of one command; generous, because a loaded machine is no finding
STATUSES = (0, 1, 2, 3)
REPORT = re.compile(r"runtime error:|ERROR: AddressSanitizer|ERROR: LeakSanitizer|internal error at|invariant is violated")
NUMBERS = ["0", "1", "-1", "2", "3", "7", "31", "33", "64", "100", "255", "65535", "65536", "4294967295", "4294967296",
           "9223372036854775807", "18446744073709551615", "99999999999999999999999", "0x10", "1.5", "1e9", "nan", ""]
PLAN = """[figure]
number    = 1
title     = a plan
programs  = transpose
metric    = ipc
axis      = IPC
normalize = plain
[variant plain]
label = plain
[variant small]
with = apcm
set  = l1.size=16KiB apcm.mode=bypass
[variant both]
over = plain
"""
CURVES = """[figure]
title    = sizes
machine  = gtx480
metric   = ipc
programs = transpose
draw     = curves
[sweep]
set  = l1.size: 8KiB 16KiB
with = lrr
with = gto
"""
DEVICE = """name\tA board
sms\t132
core_khz\t1980000
memory_khz\t3201000
bus_bits\t6144
l2_bytes\t62914560
warps_per_sm\t64
ctas_per_sm\t32
threads_per_cta\t1024
registers_per_sm\t65536
shared_per_sm\t233472
shared_per_cta\t232448
shared_reserved\t1024
"""


class Harness:
    def __init__(self, args):
        self.args = args
        self.found = 0
        self.runs = {}
        self.dir = tempfile.mkdtemp(prefix="weir-mutate-")
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.dir, "cache"), UBSAN_OPTIONS="halt_on_error=1",
                        ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1"))
        self.policies = re.findall(r"^  ([a-z_0-9]+) ", self.output("list", "policies"), re.M)
        self.machines = re.findall(r"^ *([a-z0-9-]+) ", self.output("list", "gpus"), re.M)

    def path(self, name):
        return os.path.join(self.dir, name)

    def output(self, *words):
        return subprocess.run([self.args.weir, *words], env=self.env, capture_output=True, text=True, check=True).stdout

    def run(self, kind, seed, inputs, *words):
        """One command; findings are printed, with a copy of the inputs where --keep says."""
        self.runs[kind] = self.runs.get(kind, 0) + 1
        try:
            r = subprocess.run([self.args.weir, *words], env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                               timeout=TIME_LIMIT_S, cwd=self.dir)
            said = (r.stdout + r.stderr).decode(errors="replace")
            why = None
            if r.returncode not in STATUSES:
                why = f"ended with status {r.returncode}"
            elif REPORT.search(said):
                why = "reported an error of its own"
            elif r.returncode and not said.strip():
                why = f"status {r.returncode} without a word"
        except subprocess.TimeoutExpired as e:
            said, why = (e.stderr or b"").decode(errors="replace"), f"did not end in {TIME_LIMIT_S} s"
        if not why:
            return r.returncode
        self.found += 1
        print(f"FOUND {kind} {seed}: weir {' '.join(words)}: {why}")
        print("\n".join("    " + line for line in said.splitlines()[-30:]))
        if self.args.keep:
            os.makedirs(self.args.keep, exist_ok=True)
            for i in inputs:
                shutil.copy(i, os.path.join(self.args.keep, f"{kind}-{seed}-{os.path.basename(i)}"))
        return None

    # ---- mutations of text ----
    def mutate_text(self, text, rng):
        for _ in range(rng.randint(1, 4)):
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            what = rng.randrange(8)
            if what == 0:
                del lines[at]
            elif what == 1:
                lines.insert(rng.randrange(len(lines) + 1), lines[at])
            elif what == 2:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            elif what in (3, 4, 5):  # a number becomes another
                found = list(re.finditer(r"-?\d+(\.\d+)?", text))
                if found:
                    m = rng.choice(found)
                    text = text[:m.start()] + rng.choice(NUMBERS) + text[m.end():]
                continue
            elif what == 6:  # a word becomes another of the text
                found = list(re.finditer(r"[%.\w]+", text))
                if found:
                    m, other = rng.choice(found), rng.choice(found)
                    text = text[:m.start()] + other.group() + text[m.end():]
                continue
            else:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(['"', "=", "[", "]", ";", "{", "}", "\\", "`", "\0", "\xff", "%s", "\n", " "]) + text[at:]
                continue
            text = "\n".join(lines)
        return text

    def write(self, name, text):
        with open(self.path(name), "w", encoding="latin-1", errors="replace") as f:
            f.write(text)
        return self.path(name)

    # ---- kinds of inputs ----
    def recording(self, seed, rng):
        """Of an ordinary program, or of one with clusters, tensor copies, mbarriers and products of a warpgroup."""
        hopper = rng.randrange(2)
        source = os.path.join(self.args.root, "tests/fuzz", "hopper.wt" if hopper else "tiny.wt")
        wt = self.path("mutated.wt")
        subprocess.run([self.args.trace_mutate, str(seed), source, wt], check=True)
        readable = self.run("recording", seed, [wt], "trace", "check", wt) is not None
        self.run("recording", seed, [wt], "trace", "info", *rng.choice([[], ["--json"], ["--launches"]]), wt)
        self.run("recording", seed, [wt], "trace", "dump", "--limit", "500", wt)
        if readable:
            self.run("recording", seed, [wt], "analyze", wt)
            self.run("recording", seed, [wt], "replay", "--gpu", rng.choice(["h100", "h200"] if hopper else self.machines),
                     "--with", rng.choice(self.policies),
                     *rng.choice([[], ["--explain-loads"], ["--sample", "100"], ["--sampled"],
                                  ["--timeline", self.path("timeline.json")]]), "--json", self.path("out.json"), wt)

    def machine(self, seed, rng):
        name = rng.choice(self.machines)
        with open(os.path.join(self.args.root, "configs", name + ".ini")) as f:
            ini = self.write("mutated.ini", self.mutate_text(f.read(), rng))
        if self.run("machine", seed, [ini], "config", "check", ini) == 0:
            self.run("machine", seed, [ini], "config", "show", ini)
            self.run("machine", seed, [ini], "replay", "-q", "--gpu", ini,
                     os.path.join(self.args.root, "tests/fuzz/tiny.wt"))

    def setting(self, seed, rng):
        """Any parameter with any number, without a file."""
        policy = rng.choice(self.policies)
        keys = re.findall(r"^([a-z0-9_]+\.[a-z0-9_.]+) ", self.output("config", "show", rng.choice(self.machines)), re.M)
        words = ["--with", policy]
        for _ in range(rng.randint(1, 2)):
            words += ["--set", rng.choice(keys) + "=" + rng.choice(NUMBERS) + rng.choice(["", "", "KiB", "MHz"])]
        self.run("setting", seed, [], "replay", "-q", *words, os.path.join(self.args.root, "tests/fuzz/tiny.wt"))

    def sweep(self):
        """A store that sweeps filled, and the recording that a report needs; None where programs cannot run."""
        whole = self.path("whole.sqlite")
        for name, plan in ("curves.ini", CURVES), ("plan.ini", PLAN):
            if not os.path.exists(self.path(name)):
                subprocess.run([self.args.made_by or self.args.weir, "sweep", self.write(name, plan), "--size", "tiny",
                                "--results", whole, "-o", self.path("report")], env=self.env, capture_output=True)
        return whole if os.path.exists(whole) else None

    def plan(self, seed, rng):
        self.sweep()
        ini = self.write("mutated-plan.ini", self.mutate_text(rng.choice([PLAN, CURVES]), rng))
        self.run("plan", seed, [ini], "report", ini, "--size", "tiny", "--results", self.path("results.sqlite"), "-o",
                 self.path("report"))

    def store(self, seed, rng):
        """A store that a sweep filled, damaged: bytes of the file, or rows that no sweep would write."""
        import sqlite3
        whole, db, plan = self.sweep(), self.path("mutated.sqlite"), self.path("plan.ini")
        if not whole:
            return False  # programs cannot run beside a runtime with a sanitizer in it
        shutil.copy(whole, db)
        if rng.randrange(2):
            con = sqlite3.connect(db)
            columns = [r[1] for r in con.execute("PRAGMA table_info(result)")]
            column = rng.choice(columns + ["document"] * 3)
            document = (con.execute("SELECT document FROM result").fetchone() or [""])[0] or ""
            value = rng.choice([None, "", "{", "[]", "{}", "null", '{"total": 3}', '{"total": {}}', b"\xff\x00\xfe", 7,
                                '{"total": {"ipc": "x"}}', self.mutate_text(document, rng)])
            try:
                con.execute(f"UPDATE result SET {column} = ?", (value,))
                con.commit()
            except sqlite3.Error:
                pass
            con.close()
        else:
            with open(db, "rb") as f:
                data = bytearray(f.read())
            for _ in range(rng.randint(1, 20)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            with open(db, "wb") as f:
                f.write(data[:rng.choice([len(data), len(data), rng.randrange(len(data))])])
        self.run("store", seed, [db], *rng.choice([
            ["report", plan, "--size", "tiny", "--results", db, "-o", self.path("report")], ["compare", db, whole],
            ["compare", whole, db, "--html", self.path("page.html")], ["export", db], ["export", db, "-c", "program,ipc"]]))

    def mutate_json(self, doc, rng):
        """A few values become others: of another type, of another place, missing."""
        places = []

        def walk(x):
            for k in (list(x) if isinstance(x, dict) else range(len(x))):
                places.append((x, k))
                if isinstance(x[k], (dict, list)):
                    walk(x[k])

        walk(doc)
        for _ in range(rng.randint(1, 6)):
            x, k = rng.choice(places)
            try:
                if rng.randrange(6) == 0:
                    del x[k]
                else:
                    other, at = rng.choice(places)
                    x[k] = rng.choice([None, True, 0, -1, 1 << 62, -(1 << 63), 1e308, -0.5, "", "x" * 5000, "\x1b[31m", "a\nb",
                                       "<script>", [], {}, [[]], {"total": 3}, "/dev/zero", other[at]])
            except (KeyError, IndexError):
                continue
            if len(json.dumps(doc)) > 4 << 20:
                break
        return json.dumps(doc)

    def document(self, seed, rng):
        """What replay --json wrote, with all its parts, mutated as a tree or as text."""
        whole = self.path("whole.json")
        if not os.path.exists(whole):
            subprocess.run([self.args.weir, "replay", "-q", "--profile", "--energy", "--explain-loads", "--sample", "1000",
                            "--json", whole, os.path.join(self.args.root, "tests/fuzz/tiny.wt")], env=self.env, check=True)
        with open(whole) as f:
            text = f.read()
        doc = self.write("mutated.json", self.mutate_json(json.loads(text), rng) if rng.randrange(4) else self.mutate_text(text, rng))
        self.run("document", seed, [doc], *rng.choice([
            ["profile", doc], ["profile", doc, "--html", self.path("page.html")], ["compare", doc, whole], ["compare", whole, doc],
            ["compare", "--all", "--html", self.path("page.html"), whole, doc], ["energy", doc], ["energy", doc, whole],
            ["export", doc], ["export", "-t", rng.choice(["kernels", "loads", "samples", "phases"]), doc],
            ["profile", "--timeline", self.path("timeline.json"), doc]]))

    def ptx(self, seed, rng):
        folder = os.path.join(self.args.root, "tests/fuzz/corpus/ptx")
        with open(os.path.join(folder, rng.choice(sorted(os.listdir(folder)))), encoding="latin-1") as f:
            text = self.mutate_text(f.read(), rng)
        ptx = self.write("mutated.ptx", text)
        kernels = re.findall(r"\.entry\s+([\w$%]+)", text)[:6]
        self.run("ptx", seed, [ptx], "ptx", rng.choice(["check", "info", "dump"]), ptx)
        how = rng.choice([["run", "--functional"], ["run", "--gpu", "gtx480", "-q"], ["check"]])
        self.run("ptx", seed, [ptx], *how, "--max-insn", "20000", self.args.ptx_runner, ptx, *kernels)

    def calibrate(self, seed, rng):
        """Results of the probes, mutated; a machine that is made of them is valid or refused with its fault."""
        probes, folder, made = os.path.join(self.args.root, "silicon/probes"), self.path("board"), self.path("board.ini")
        os.makedirs(folder, exist_ok=True)
        files = []
        for name in ("device", "inst", "memory", "launch"):
            source = os.path.join(probes, f"h200_{name}.tsv")
            text = DEVICE
            if os.path.exists(source):
                with open(source, encoding="latin-1") as f:
                    text = f.read()
            files.append(self.write(f"board/{name}.tsv", self.mutate_text(text, rng) if rng.randrange(2) else text))
        if self.run("calibrate", seed, files, "calibrate", "--base", rng.choice(self.machines), folder, "-o", made) == 0:
            self.run("calibrate", seed, files + [made], "config", "check", made)


KINDS = ["recording", "machine", "setting", "plan", "store", "document", "ptx", "calibrate"]


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    for name in ("weir", "trace_mutate", "ptx_runner", "root"):
        p.add_argument(name, type=os.path.abspath)
    p.add_argument("--n", type=int, default=40)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--kind", choices=KINDS)
    p.add_argument("--keep", type=os.path.abspath)
    p.add_argument("--made-by", type=os.path.abspath)
    h = Harness(p.parse_args())
    try:
        for kind in [h.args.kind] if h.args.kind else KINDS:
            for seed in range(h.args.seed, h.args.seed + h.args.n):
                if getattr(h, kind)(seed, random.Random(f"{kind} {seed}")) is False:
                    print(f"{kind}: skipped")
                    break
        print(", ".join(f"{n} commands on {kind} inputs" for kind, n in h.runs.items()) + f": {h.found} findings")
    finally:
        shutil.rmtree(h.dir)
    return 1 if h.found else 0


if __name__ == "__main__":
    sys.exit(main())
