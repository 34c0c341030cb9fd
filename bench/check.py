#!/usr/bin/env python3
"""What weir check costs: CPU time and memory over those of weir run --functional, for programs of the suite.

usage: check.py [--size tiny|small|paper] [--rounds N] [PROGRAM...]

The programs are compiled by `weir suite run --functional` into weir's cache first. Of several rounds the fastest counts. At the
smaller sizes a program ends so soon that its start counts most.
"""
import argparse
import glob
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WEIR = os.environ.get("WEIR", os.path.join(ROOT, "build", "weir"))
PROGRAMS = ["2mm", "bfs", "blackscholes", "cfd", "fft", "histogram", "hotspot", "lbm", "matrixmul", "mergesort", "reduction",
            "scan", "spmv", "srad", "stencil", "syrk", "transpose"]


def cost(command, rounds):
    """Seconds of CPU time, and MiB at most."""
    seconds, mib = float("inf"), 0
    for _ in range(rounds):
        p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(p.pid, 0)
        p.returncode = 0
        seconds, mib = min(seconds, used.ru_utime + used.ru_stime), max(mib, used.ru_maxrss / 1024)
    return seconds, mib


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--size", default="paper")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("program", nargs="*")
    args = p.parse_args()
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "weir")
    print("%-14s %8s %6s %10s %10s %10s %8s" % ("program", "run s", "MiB", "racecheck", "initcheck", "all", "memory"))
    product, n = 1.0, 0
    for name in args.program or PROGRAMS:
        subprocess.run([WEIR, "suite", "run", "--functional", "--size", "tiny", name], stdout=subprocess.DEVNULL, check=True)
        found = [f for f in glob.glob(os.path.join(cache, name + "-*")) if "." not in os.path.basename(f)]
        program = [max(found, key=os.path.getmtime), args.size]
        run, run_mib = cost([WEIR, "run", "--functional", "-q"] + program, args.rounds)
        race, _ = cost([WEIR, "check", "--tool", "racecheck"] + program, args.rounds)
        init, _ = cost([WEIR, "check", "--tool", "initcheck"] + program, args.rounds)
        whole, mib = cost([WEIR, "check"] + program, args.rounds)
        print("%-14s %8.2f %6.0f %9.1fx %9.1fx %9.1fx %7.1fx" % (name, run, run_mib, race / run, init / run, whole / run,
                                                               mib / run_mib), flush=True)
        product, n = product * whole / run, n + 1
    print("all tools, geometric mean: %.1fx" % product ** (1 / n))


if __name__ == "__main__":
    main()
