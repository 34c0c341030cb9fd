#!/usr/bin/env python3
"""Golden statistics: every machine's totals on three recordings, value by value; on a fourth, which holds scheduled
code, those of machines that issue it (sm.code).

Usage: stats.py WEIR          compares with stats/<machine>.json
       stats.py WEIR --record writes them (after a change of the model; commit them with the reason)

A statistic that is zero is not written, so a new one that a baseline never touches changes no file. Every build compares
with the same files: gcc = clang, release = debug.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STATS = os.path.join(HERE, "stats")
CONFIGS = os.path.join(HERE, "..", "..", "configs")
RECORDINGS = [os.path.join(HERE, "peer", "matmul-128.wt"), os.path.join(HERE, "peer", "vecadd-1048576.wt"),
              os.path.join(STATS, "gather-4096.wt")]
STREAMS = os.path.join(STATS, "streams.wt")  # tests/diff/streams.cu mix, recorded for gtx480: kernels and copies overlap
SCHEDULED = os.path.join(STATS, "dwt2d-tiny.wt")  # the suite's dwt2d at size tiny: loops, barriers, guards


def recordings(machine):
    with open(os.path.join(CONFIGS, machine + ".ini")) as f:
        return RECORDINGS + ([STREAMS] if machine in ("gtx480", "h200") else []) + (
            [SCHEDULED] if "\ncode = scheduled" in f.read() else [])


def totals(weir, machine, recording):
    out = subprocess.run([weir, "replay", "-q", "--gpu", machine, "--json", "-", recording], check=True,
                         stdout=subprocess.PIPE).stdout
    document = json.loads(out)
    if not document["complete"]:
        sys.exit("%s on %s: not complete" % (recording, machine))
    return {name: value for name, value in sorted(document["total"].items()) if value}


def main():
    weir, record = sys.argv[1], "--record" in sys.argv
    wrong = 0
    for machine in sorted(f[:-4] for f in os.listdir(CONFIGS) if f.endswith(".ini")):
        path = os.path.join(STATS, machine + ".json")
        now = {os.path.basename(r)[:-3]: totals(weir, machine, r) for r in recordings(machine)}
        if record:
            with open(path, "w") as f:
                json.dump(now, f, indent=0, separators=(",", ":"))
                f.write("\n")
            continue
        with open(path) as f:
            golden = json.load(f)
        for recording in now:
            was, new = golden.get(recording, {}), now[recording]
            for name in sorted(set(was) | set(new)):
                if was.get(name, 0) != new.get(name, 0):
                    wrong += 1
                    print("%s, %s: %s is %s, was %s" % (machine, recording, name, new.get(name, 0), was.get(name, 0)))
    if wrong:
        sys.exit("%d statistics differ; if the model was meant to change: tests/golden/stats.py WEIR --record" % wrong)


main()
