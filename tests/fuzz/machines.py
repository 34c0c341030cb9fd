#!/usr/bin/env python3
"""Runs programs on random machines: a machine that weir ships, a random policy of each kind, random parameters. A
program's recording is replayed with skipping and with ticking and the program itself runs live; the three documents,
and the timelines where one is written, must be equal byte for byte. Some runs are samples (--sampled). A machine may be refused (status 2, with a message), a program may deadlock where all three
say so; a signal, an internal error, a run that does not end or a difference is a finding.

usage: machines.py WEIR [--n N] [--seed S] [--keep DIR] [--gpus NAME,NAME] [--] PROGRAM...

PROGRAM is a command line ("./app tiny"); one that a machine cannot run counts as a recording that ended. N machines (default 20; 0: until it is stopped), each with one program.
Exit status: 0 nothing found, 1 something.
"""
import argparse
import collections
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 900  # generous, because a ticking run of a large machine is slow and the host may be busy
FAULT = re.compile(r"runtime error:|ERROR: AddressSanitizer|internal error at|bug of weir|invariant is violated")
FACTORS = [(1, 4), (1, 2), (3, 4), (2, 1), (4, 1)]


class Stopped(Exception):
    pass


class Machines:
    def __init__(self, args):
        self.args, self.count, self.found = args, collections.Counter(), 0
        self.dir = tempfile.mkdtemp(prefix="weir-machines-")
        self.env = dict(os.environ, SOURCE_DATE_EPOCH="86400", XDG_CACHE_HOME=self.path("cache"))
        self.gpus = args.gpus.split(",") if args.gpus else re.findall(r"^ *([a-z0-9.-]+) ", self.ask("list", "gpus"), re.M)
        self.policies = collections.defaultdict(list)
        for line in self.ask("list", "policies").splitlines():
            if m := re.match(r"([a-z0-9-]+):", line):
                kind = m.group(1)
            elif m := re.match(r"  ([a-z_0-9+-]+) ", line):
                self.policies[kind].append(m.group(1))

    def path(self, name):
        return os.path.join(self.dir, name)

    def ask(self, *words):
        return subprocess.run([self.args.weir, *words], env=self.env, capture_output=True, text=True, check=True).stdout

    def run(self, *words):
        try:
            r = subprocess.run([self.args.weir, *words], env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                               timeout=TIME_LIMIT_S, cwd=self.dir)
        except subprocess.TimeoutExpired:
            return None, f"did not end in {TIME_LIMIT_S} s"
        return r.returncode, (r.stdout + r.stderr).decode(errors="replace")

    def finding(self, seed, why, words, said):
        self.found += 1
        print(f"FOUND machine {seed}: {why}: weir {shlex.join(words)}")
        print("\n".join("    " + line for line in said.splitlines()[-20:]), flush=True)

    def setting(self, rng, rows):
        key, value, unit = rng.choice(rows)
        number = re.match(r"(\d+)(\D*)$", value)
        if unit == "yes/no":
            return key, "no" if value == "yes" else "yes"
        if not number:
            return None
        n, suffix = int(number.group(1)), number.group(2)
        if not n or rng.randrange(4) == 0:
            return key, f"{rng.choice([0, 1, 2, 3, 8])}{suffix}"
        over, under = rng.choice(FACTORS)
        return key, f"{max(1, n * over // under)}{suffix}"

    def machine(self, seed, rng):
        """The words that describe a machine which weir accepts; None when it accepts none of these settings."""
        gpu = rng.choice(self.gpus)
        chosen = []
        for kind, names in self.policies.items():
            if rng.randrange(3) == 0:
                chosen.append(f"{kind}={rng.choice(names)}")
        rows = [line.split()[:3] for line in self.ask("config", "show", gpu).splitlines()[1:]]
        rows = [r for r in rows if len(r) == 3 and not r[0].startswith("machine.") or r[0] == "machine.sms"]
        settings = [s for s in (self.setting(rng, rows) for _ in range(rng.randint(0, 8))) if s]
        if rng.randrange(3) == 0:  # translation is off where nothing asks for it
            settings += [("vm.enabled", "yes"), ("vm.page", rng.choice(["4KiB", "64KiB", "2MiB"])),
                         ("vm.first_touch", rng.choice(["yes", "no"])), ("vm.l1_entries", rng.choice(["1", "16", "64"]))]
        if rng.randrange(4) == 0:
            settings.append(("l2.coalesce", rng.choice(["2", "3", "16"])))
        while True:
            words = ["--gpu", gpu]
            for c in chosen:
                words += ["--with", c]
            for key, value in settings:
                words += ["--set", f"{key}={value}"]
            status, said = self.run("config", "show", *words)
            if status == 0:
                return words
            self.count["settings or policies refused"] += 1
            if status != 2 or not said.strip():
                self.finding(seed, f"status {status}", ["config", "show", *words], said)
            if settings:
                settings.pop(rng.randrange(len(settings)))
            elif chosen:
                chosen.pop(rng.randrange(len(chosen)))
            else:
                return None

    def one(self, seed):
        rng = random.Random(f"machine {seed}")
        program = shlex.split(rng.choice(self.args.program))
        words = self.machine(seed, rng)
        if not words:
            self.finding(seed, "a machine that ships is refused", [], "")
            return
        options = [w for w in ("--explain-loads", "--energy", "--profile") if rng.randrange(3) == 0]
        if rng.randrange(3) == 0:
            options.append(f"--sample={rng.choice([100, 1000, 777])}")
        timeline = rng.randrange(3) == 0
        if not timeline and rng.randrange(4) == 0:
            options = [f"--sampled={rng.choice(['0.1%', '2%', '50%'])}"]
        recording = self.path("one.wt")
        line = ["record", "-q", *self.without_policies(words), "-o", recording, *program]
        status, said = self.run(*line)
        if status:
            self.count[f"recordings that ended with status {status}"] += 1
            if status not in (1, 2, 3) or FAULT.search(said):
                self.finding(seed, f"status {status}", line, said)
            return
        ends = []
        for how in (["replay", "--engine=skip"], ["replay", "--engine=tick"], ["run"]):
            out, drawn = (self.path(how[-1].strip("-") + end) for end in (".json", ".timeline.json"))
            for old in (out, drawn):
                if os.path.exists(old):
                    os.remove(old)
            line = [how[0], "-q", *how[1:], *words, *options, "--json", out, *(["--timeline", drawn] if timeline else [])]
            line += program if how[0] == "run" else [recording]
            status, said = self.run(*line)
            self.count["simulations"] += 1
            if status not in (0, 1, 2, 3) or FAULT.search(said):
                self.finding(seed, f"status {status}", line, said)
            document = []
            for new in filter(os.path.exists, (out, drawn)):
                with open(new, "rb") as f:
                    document.append(f.read())
            ends.append((status, document, line, said))
        self.count[f"machines with status {ends[0][0]}"] += 1
        self.count["timelines"] += timeline and ends[0][0] == 0
        self.count["samples"] += options[:1] != [] and options[0].startswith("--sampled") and ends[0][0] == 0
        for status, document, line, said in ends[1:]:
            if (status, document) != ends[0][:2]:
                self.finding(seed, f"differs from skipping replay (statuses {ends[0][0]} and {status})", line, said)
                if self.args.keep:
                    shutil.copytree(self.dir, os.path.join(self.args.keep, f"machine-{seed}"), dirs_exist_ok=True)

    @staticmethod
    def without_policies(words):
        """The machine as weir record takes it: what a program sees."""
        pairs = zip(words[::2], words[1::2])
        return [w for pair in pairs if pair[0] != "--with" for w in pair]


def stop(*_):
    raise Stopped


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("weir", type=os.path.abspath)
    p.add_argument("program", nargs="+")
    p.add_argument("--n", type=int, default=20)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--keep", type=os.path.abspath)
    p.add_argument("--gpus")
    m = Machines(p.parse_args())
    signal.signal(signal.SIGTERM, stop)
    n = 0
    try:
        while not m.args.n or n < m.args.n:
            m.one(m.args.seed + n)
            n += 1
    except (KeyboardInterrupt, Stopped):
        pass
    finally:
        shutil.rmtree(m.dir)
    print(f"{n} machines: {', '.join(f'{v} {k}' for k, v in sorted(m.count.items()))}; {m.found} findings")
    return 1 if m.found else 0


if __name__ == "__main__":
    sys.exit(main())
