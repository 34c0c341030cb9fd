#!/usr/bin/env python3
"""Golden statistics of every policy: what it changes on two recordings, value by value.

Usage: policies.py WEIR [NAME...]          compares with policies/<name>.json, for every name in 'weir list policies'
       policies.py WEIR --record [NAME...] writes them (after a change of the model; commit them with the reason)

A file says on which machine and with which settings its policy is run ("machine", "set": edit them, then --record), and
for each recording what differs from the same machine without it; the baselines themselves are in stats/ (stats.py).
Policies of one name in two kinds are halves of one mechanism and run together, as with --with NAME.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "policies")
RECORDINGS = {"gather-4096": os.path.join(HERE, "stats", "gather-4096.wt"), "rows-4096": os.path.join(FILES, "rows-4096.wt")}
MACHINE = {"prefetcher": "caps15", "l1-organization": "mesh28", "l2-order": "cart28"}  # others: gtx480
HOW = "tests/golden/policies.py WEIR --record, and commit tests/golden/policies/%s.json"


def policies(weir):
    """Every name that is not its kind's baseline, with the first kind that has it; and the baselines."""
    listed = subprocess.run([weir, "list", "policies"], check=True, stdout=subprocess.PIPE, text=True).stdout
    kind, first, found, baselines = None, True, {}, []
    for line in listed.splitlines():
        heading = re.match(r"(\S+): .*\(\S+\)$", line)
        if heading:
            kind, first = heading.group(1), True
            continue
        name = line.split()[0]
        if first:
            baselines.append(name)
            first = False
        else:
            found.setdefault(name, kind)
    return found, baselines


def run(weir, machine, recording, options):
    out = subprocess.run([weir, "replay", "-q", "--gpu", machine, "--json", "-", recording] + options, check=True,
                         stdout=subprocess.PIPE).stdout
    document = json.loads(out)
    if not document["complete"]:
        sys.exit("%s on %s %s: not complete" % (recording, machine, " ".join(options)))
    return document["total"]


def changes(weir, baseline, machine, options):
    out = {}
    for name, path in sorted(RECORDINGS.items()):
        if (machine, name) not in baseline:
            baseline[machine, name] = run(weir, machine, path, [])
        base, new = baseline[machine, name], run(weir, machine, path, options)
        out[name] = {s: v for s, v in sorted(new.items()) if v != base.get(s, 0)}
    return out


def main():
    weir, record = sys.argv[1], "--record" in sys.argv
    only = [a for a in sys.argv[2:] if a != "--record"]
    wrong, baseline = [], {}
    found, baselines = policies(weir)
    if len(found) < 8 or "lru" not in baselines:
        sys.exit("'weir list policies' was not understood: %s, %s" % (found, baselines))
    for name, kind in sorted(found.items()):
        if only and name not in only:
            continue
        path = os.path.join(FILES, name + ".json")
        golden = {"machine": MACHINE.get(kind, "gtx480"), "set": []}
        if os.path.exists(path):
            with open(path) as f:
                golden = json.load(f)
        elif not record:
            wrong.append("the policy %s has no golden statistics: %s" % (name, HOW % name))
            continue
        options = ["--with", name]
        for assignment in golden["set"]:
            options += ["--set", assignment]
        try:
            now = changes(weir, baseline, golden["machine"], options)
        except subprocess.CalledProcessError:  # weir has said why
            wrong.append("%s cannot run: give %s a machine and settings that it can run with" % (name, os.path.basename(path)))
            if record and not os.path.exists(path):
                with open(path, "w") as f:
                    json.dump(golden, f, indent=0, separators=(",", ":"))
                    f.write("\n")
            continue
        if not any(now.values()):
            wrong.append("%s changes nothing on %s: give its file a machine and settings where it does" % (name, golden["machine"]))
        if record:
            with open(path, "w") as f:
                json.dump({"machine": golden["machine"], "set": golden["set"], **now}, f, indent=0, separators=(",", ":"))
                f.write("\n")
            continue
        for recording in now:
            was, new = golden.get(recording, {}), now[recording]
            wrong += ["%s on %s, %s: %s is %s, was %s" % (name, golden["machine"], recording, s, new.get(s, "the baseline's"), was.get(s, "the baseline's"))
                      for s in sorted(set(was) | set(new)) if was.get(s) != new.get(s)]
    for f in sorted(os.listdir(FILES)):
        if f.endswith(".json") and f[:-5] not in found:
            wrong.append("%s: there is no policy of this name; remove the file" % f)
    if wrong:
        sys.exit("\n".join(wrong[:40]) + "\n%d differences; if they are meant: %s" % (len(wrong), HOW % "NAME"))


main()
