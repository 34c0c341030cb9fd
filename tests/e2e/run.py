#!/usr/bin/env python3
"""Builds and runs one end-to-end program, or all of them.

usage: run.py --weir PATH --out DIR [--with clang|nvcc] [NAME...]

A program is a .cu file of this folder (or faults/NAME) that checks itself and exits with 0. Comments at its top steer it:
  // files: A B     further source files        // flags: -X    options for the compiler (@ is the program's folder)
  // run: --X       options for weir run         // expect: TEXT a line its output must have
  // only: clang    not with the other compiler  // fails: RE    it must exit with 1 and say RE (dots match line ends)
A build is kept in the output folder and reused while nothing it was made from is newer.
Exit status: 0 all passed, 1 some failed, 77 (skipped, as Meson counts it) the compiler is missing.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIME_LIMIT_S = 120


class Failed(Exception):
    pass


def directives(path):
    found = {}
    with open(path) as f:
        for line in f:
            if not line.startswith("//"):
                break
            m = re.match(r"// (files|flags|run|expect|only|fails): (.*)", line)
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
        command += ["-arch=sm_75"] if any(f.startswith("-rdc") for f in flags) else ["-arch=compute_75"]
    result = call(command + ["-O1"] + flags + files + ["-o", out])
    if result.returncode != 0:
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
    lines = result.stdout.splitlines()
    for expected in d.get("expect", []):
        if expected not in lines:
            raise Failed("missing in the output: %s\n%s" % (expected, said))


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
            run(args, build(args, name, source, d), d)
            print("ok     %s" % name)
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
