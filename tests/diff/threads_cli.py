#!/usr/bin/env python3
"""One host thread or several (--threads): whole documents are equal, under every policy, with every option of a run.

Usage: threads_cli.py WEIR GOLDEN PROGRAM    GOLDEN: tests/golden; PROGRAM: tests/diff/cudart_app
"""
import json
import os
import subprocess
import sys
import tempfile

WEIR, GOLDEN, PROGRAM = sys.argv[1:4]
RECORDING = os.path.join(GOLDEN, "stats", "gather-4096.wt")
wrong = []


def weir(*words):
    return subprocess.run([WEIR, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def document(words, files=()):
    done = weir(*words)
    if done.returncode:
        return "%s: status %d, %s" % (" ".join(words), done.returncode, done.stderr)
    found = json.loads(done.stdout)
    del found["provenance"]["date"]
    return found, done.stderr.replace(words[0], ""), [open(f).read() for f in files]


def compare(machine, options, threads, recording=RECORDING):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, "timeline.json")] if "--timeline" in options else []
        words = ["replay", "-q", "--gpu", machine, "--json", "-", *options, *files, recording]
        one = document(words, files)
        if isinstance(one, str):
            wrong.append(one)
        for n in threads:
            if document([*words[:-1], "--threads", str(n), recording], files) != one:
                wrong.append("%s %s: %d threads change something" % (machine, " ".join(options), n))


for name in sorted(os.listdir(os.path.join(GOLDEN, "policies"))):
    if name.endswith(".json"):
        with open(os.path.join(GOLDEN, "policies", name)) as f:
            golden = json.load(f)
        settings = [word for one in golden["set"] for word in ("--set", one)]
        compare(golden["machine"], ["--with", name[:-5], *settings], [2 + len(name) % 2])
for machine in "gtx480", "mesh28", "h200":
    compare(machine, [], [2, 3])
compare("mesh28", ["--with", "apcm,dyneb,caps,cart", "--engine", "tick"], [3])
compare("gtx480", ["--with", "apcm,gto", "--explain-loads", "--energy"], [3])
compare("mesh28", ["--with", "shared", "--set", "l1.observe=yes", "--profile"], [2])
compare("h200", ["--sample", "1k", "--timeline"], [2])
compare("gtx480", ["--sampled=5%"], [3])
compare("gtx480", ["--set", "vm.enabled=yes", "--ncu-names"], [3])
compare("h200", ["--profile"], [2], os.path.join(GOLDEN, "peer", "matmul-128.wt"))

# A live run, and the last points of a sweep.
live = [document(["run", "-q", "--json", "-", "--threads", n, PROGRAM]) for n in ("1", "3")]
if live[0] != live[1] or isinstance(live[0], str):
    wrong.append("weir run: %s" % (live[0] if isinstance(live[0], str) else "3 threads change something"))
with tempfile.TemporaryDirectory() as folder:
    found = []
    for n in "1", "4":
        done = weir("sweep", "-j", "4", "--threads", n, "--gpu", "gtx480,mesh28", "--results", folder + "/r" + n, "-o",
                    folder + "/out" + n, RECORDING)
        found.append((done.returncode, done.stdout.replace("out" + n, "out")))
    if found[0] != found[1] or found[0][0]:
        wrong.append("weir sweep: %s, %s" % tuple(found))

for n in "0", "-1", "257", "2x", "":
    done = weir("replay", "--threads=" + n, RECORDING)
    if done.returncode != 2 or "--threads=%s: not a number of host threads between 1 and 256" % n not in done.stderr:
        wrong.append("--threads=%s: status %d, %s" % (n, done.returncode, done.stderr))
done = weir("sweep", "--threads", "2", "--on", "slurm", RECORDING)
if done.returncode != 2 or "--threads and --on slurm exclude each other" not in done.stderr:
    wrong.append("sweep --on slurm --threads: status %d, %s" % (done.returncode, done.stderr))
if wrong:
    sys.exit("\n".join(wrong))
