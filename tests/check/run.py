#!/usr/bin/env python3
"""Builds the programs of this folder and compares what weir check reports of each case with the verdict beside it.

usage: run.py --weir PATH --out DIR [--with clang|nvcc] FILE [CASE...]

A verdict is "clean", or the classes of errors and warnings, each once; "; notes: CLASS..." where notes are to be seen, too.
A case that says errors must end with status 1, all others with 0; a race must name both places.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def build(args, source):
    out = os.path.join(args.out, os.path.basename(source)[:-3] + "." + args.compiler)
    inputs = [source, os.path.join(HERE, "cases.h"), args.weir]
    if os.path.exists(out) and os.path.getmtime(out) > max(os.path.getmtime(f) for f in inputs):
        return out
    os.makedirs(args.out, exist_ok=True)
    command = [args.weir, "cc", "-O1", source, "-o", out]
    arch = "90a" if os.path.basename(source) == "hopper.cu" else "80"
    if args.compiler == "nvcc":
        command += ["--nvcc", "-lineinfo", "-gencode=arch=compute_%s,code=compute_%s" % (arch, arch), "-Wno-deprecated-gpu-targets"]
    elif arch != "80":
        command.append("-arch=sm_" + arch)
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        sys.exit("%s does not compile\n%s" % (source, r.stderr))
    return out


def check(args, program, case, verdict):
    want, _, notes = verdict.partition("; notes: ")
    want = [] if want == "clean" else want.split()
    report = "%s.%s.json" % (program, case)
    r = subprocess.run([args.weir, "check", "--json", report, program, case], capture_output=True, text=True, timeout=60)
    try:
        with open(report) as f:
            document = json.load(f)
    except (OSError, ValueError):
        return "no report, exit status %d\n%s" % (r.returncode, r.stderr)
    os.remove(report)
    found = document["findings"]
    if document["limits"]:
        return "not all was checked: %s" % document["limits"]
    got = sorted({f["class"] for f in found if f["severity"] != "note"})
    if got != sorted(want):
        return "expected %s, found %s\n%s" % (want or "nothing", got or "nothing", r.stderr)
    seen = sorted({f["class"] for f in found if f["severity"] == "note"})
    if seen != sorted(notes.split()):
        return "expected the notes %s, found %s" % (notes.split(), seen)
    errors = any(f["severity"] == "error" for f in found)
    if r.returncode != (1 if errors else 0):
        return "exit status %d\n%s" % (r.returncode, r.stderr)
    for f in found:
        if f["tool"] == "racecheck" and ("line" not in f["access"] and "line" not in f["other"]):
            return "a race without lines: %s" % f
        if f["access"].get("file", "").endswith(".ptx"):
            return "a line of PTX: %s" % f["access"]
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weir", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--with", dest="compiler", default="clang")
    p.add_argument("file")
    p.add_argument("case", nargs="*")
    args = p.parse_args()
    source = os.path.join(HERE, args.file)
    with open(source) as f:
        cases = re.findall(r'^CASE\((\w+),\s*"([^"]*)"\)', f.read(), re.M)
    program, bad = build(args, source), 0
    for name, verdict in cases:
        if args.case and name not in args.case:
            continue
        wrong = check(args, program, name, verdict)
        if wrong:
            bad += 1
            print("%s: %s" % (name, wrong))
    print("%s: %d cases, %d wrong" % (args.file, len(args.case or cases), bad))
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
