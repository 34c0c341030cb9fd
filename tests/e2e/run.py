#!/usr/bin/env python3
"""Builds and runs one end-to-end program, or all of them.

usage: run.py --weir PATH --out DIR [--with clang|nvcc] [--code] [NAME...]

A program is a .cu file of this folder (or faults/NAME) that checks itself and exits with 0. Comments at its top steer it:
  // files: A B     further source files        // flags: -X    options for the compiler (@ is the program's folder)
  // run: --X       options for weir run         // expect: TEXT a line its output must have
  // only: clang    not with the other compiler  // fails: RE    it must exit with 1 and say RE (dots match line ends)
  // warns: RE      what it says of undefined behavior; without this line, nothing
  // unless: TEXT   skipped where the compiler says TEXT: something is not installed
A build is kept in the output folder and reused while nothing it was made from is newer.

With --code, a program's recording is also replayed in PTX order and as scheduled code (sm.code): every memory instruction must be
executed as often, with as many lanes, touching as many lines; loads of shared memory may be joined. Ticking every cycle must
give the same statistics as skipping.
Exit status: 0 all passed, 1 some failed, 77 (skipped, as Meson counts it) the compiler is missing.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIME_LIMIT_S = 120
LARGE_RECORDING = 300000  # bytes; what is larger takes too long to be ticked


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def directives(path):
    found = {}
    with open(path) as f:
        for line in f:
            if not line.startswith("//"):
                break
            m = re.match(r"// (files|flags|run|expect|only|fails|warns|unless): (.*)", line)
            if m:
                found.setdefault(m.group(1), []).append(m.group(2).strip())
    return found


def newest(paths):
    times = []
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                times += [os.path.getmtime(os.path.join(folder, n)) for n in names]
        else:
            times.append(os.path.getmtime(path))
    return max(times)


def call(command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT_S, **options)
    except subprocess.TimeoutExpired:
        raise Failed("no end after %d s: %s" % (TIME_LIMIT_S, " ".join(command)))


def build(args, name, source, d):
    """Compiles the program; returns the path of the executable."""
    out = os.path.join(args.out, "%s.%s" % (name.replace("/", "-"), args.compiler))
    files = [source] + [os.path.join(HERE, f) for part in d.get("files", []) for f in part.split()]
    folder = os.path.dirname(source)
    depends = files + [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".h")]
    depends += [os.path.dirname(f) for f in files[1:]] + [__file__]
    if args.compiler == "clang":
        depends += [args.weir, os.path.join(ROOT, "include", "weir")]
    if os.path.exists(out) and os.path.getmtime(out) > newest(depends):
        return out
    os.makedirs(args.out, exist_ok=True)
    flags = [f.replace("@", folder) for part in d.get("flags", []) for f in part.split()]
    command = [args.weir, "cc"]
    if args.compiler == "nvcc":
        # PTX is all that weir reads; leaving machine code out makes nvcc twice as fast.
        command += ["--nvcc", "-lineinfo", "-Wno-deprecated-gpu-targets"]
        if not any(f.startswith(("-arch", "-gencode")) for f in flags):
            command += ["-arch=sm_75"] if any(f.startswith("-rdc") for f in flags) else ["-arch=compute_75"]
    result = call(command + ["-O1"] + flags + files + ["-o", out])
    if result.returncode != 0:
        for said in d.get("unless", []):
            if said in result.stderr:
                raise Skipped(said)
        raise Failed("does not compile\n" + result.stderr)
    return out


def run(args, program, d):
    options = [o for part in d.get("run", []) for o in part.split()]
    command = [args.weir, "run", "--functional"] + options + [program]
    result = call(command, cwd=args.out)
    said = "exit status %d\n%s%s" % (result.returncode, result.stdout, result.stderr)
    if "fails" in d:
        if result.returncode != 1:
            raise Failed("should have ended with 1\n" + said)
        for pattern in d["fails"]:
            if not re.search(pattern, result.stdout + result.stderr, re.S):
                raise Failed("did not say what it should: %s\n%s" % (pattern, said))
        return
    if result.returncode != 0:
        raise Failed(said)
    for pattern in d.get("warns", []):
        if not re.search(pattern, result.stderr, re.S):
            raise Failed("did not say what it should: %s\n%s" % (pattern, said))
    if result.stderr.count("warning: undefined behavior") != len(d.get("warns", [])):
        raise Failed("said more or less of undefined behavior than it should\n" + said)
    lines = result.stdout.splitlines()
    for expected in d.get("expect", []):
        if expected not in lines:
            raise Failed("missing in the output: %s\n%s" % (expected, said))


def replay(args, recording, options):
    out = recording + ".json"
    result = call([args.weir, "replay", "--quiet", "--gpu", "gtx480", "--json", out] + options + [recording])
    if result.returncode != 0:
        raise Failed("its replay with %s failed\n%s" % (" ".join(options), result.stderr))
    with open(out) as f:
        document = json.load(f)
    os.unlink(out)
    del document["provenance"]  # says when
    return document


def accesses(document):
    """What each memory instruction did, shared loads apart: those that are neighbors become one."""
    found, shared = {}, {}
    for load in document["loads"]:
        of = shared if load["class"] == "load" and load["space"] == "shared" else found
        of[load["kernel"], load["pc"]] = load["executions"], load["lanes"], load["lines"]
    return found, shared


def both_ways(args, program, d):
    """The program's accesses are the same whether its kernels are issued as PTX or as scheduled code."""
    if "fails" in d or "run" in d:
        return
    recording = program + ".wt"
    result = call([args.weir, "record", "--quiet", "-o", recording, program], cwd=args.out)
    if result.returncode != 0:
        raise Failed("its recording failed\n" + result.stderr)
    if os.path.getsize(recording) > LARGE_RECORDING:
        os.unlink(recording)
        return
    code = ["--set", "sm.code=scheduled"]
    ptx, scheduled = replay(args, recording, ["--set", "sm.code=ptx"]), replay(args, recording, code)
    ticked = replay(args, recording, code + ["--engine", "tick"])
    os.unlink(recording)
    if ticked != scheduled:
        raise Failed("scheduled code: ticking every cycle and skipping give different statistics")
    (ours, ours_shared), (theirs, theirs_shared) = accesses(scheduled), accesses(ptx)
    for key in set(ours) | set(theirs):
        if ours.get(key) != theirs.get(key):
            raise Failed("%s, pc %d: executions, lanes and lines %s as PTX, %s scheduled" %
                         (key[0], key[1], theirs.get(key), ours.get(key)))
    for key, did in ours_shared.items():
        if did[:2] != theirs_shared.get(key, (0, 0))[:2]:
            raise Failed("%s, pc %d: %s as PTX, %s scheduled" % (key[0], key[1], theirs_shared.get(key), did))


def all_names():
    names = []
    for folder in ("", "faults"):
        for f in sorted(os.listdir(os.path.join(HERE, folder))):
            if f.endswith(".cu"):
                names.append(os.path.join(folder, f[:-3]))
    return names


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weir", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--with", dest="compiler", choices=["clang", "nvcc"], default="clang")
    p.add_argument("--code", action="store_true")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    args.weir = os.path.abspath(args.weir)
    args.out = os.path.abspath(args.out)
    if args.compiler == "nvcc" and not (shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")):
        print("nvcc is not installed")
        return 77
    failed = ran = 0
    for name in args.names or all_names():
        source = os.path.join(HERE, name + ".cu")
        d = directives(source)
        if args.compiler not in d.get("only", [args.compiler]):
            continue
        try:
            program = build(args, name, source, d)
            run(args, program, d)
            if args.code:
                both_ways(args, program, d)
            print("ok     %s" % name)
        except Skipped as e:
            print("not run %s: %s" % (name, e))
            continue
        except Failed as e:
            failed += 1
            print("FAILED %s: %s" % (name, e))
        ran += 1
    if ran == 0:
        return 77
    print("%d passed, %d failed" % (ran - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
