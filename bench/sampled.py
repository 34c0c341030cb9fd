#!/usr/bin/env python3
"""What sampled simulation gets wrong (docs/sampling.md): programs of the suite whole and sampled, with and without
policies. Prints a row for each program: the error of its cycles, half of the 95% interval, the share of the warp
instructions that was simulated; then, for each policy, the error of its speed-up in points of a percent, and the pairs
of policies that change places. Results are kept in a store, so the same command goes on where it stopped.

    bench/sampled.py --size small --with apcm --with ccws 2dconv fft hotspot
    bench/sampled.py --size paper --half odd --results sampled.sqlite     # programs that decided no threshold
"""
import argparse
import itertools
import json
import math
import os
import sqlite3
import subprocess
import tempfile

REORDER_POINTS = 2  # pairs of policies closer than this may change places


def arguments():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--size", default="small", choices=["tiny", "small", "paper"])
    a.add_argument("--gpu", default="gtx480")
    a.add_argument("--error", default="2%", help="of --sampled")
    a.add_argument("--with", dest="policies", action="append", default=[], metavar="POLICY")
    a.add_argument("--half", choices=["even", "odd", "all"], default="all", help="of the suite's list, from 0")
    a.add_argument("--results", default="sampled.sqlite", help="the store")
    a.add_argument("--weir", default=os.environ.get("WEIR", "build/weir"))
    a.add_argument("program", nargs="*")
    return a.parse_args()


def programs(a):
    if a.program:
        return a.program
    suite = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite")
    names = sorted(n for n in os.listdir(suite) if os.path.exists(os.path.join(suite, n, "program.ini")))
    return [n for i, n in enumerate(names) if a.half == "all" or (i % 2 == 0) == (a.half == "even")]


def simulate(a, names, sampled):
    with tempfile.TemporaryDirectory() as page:
        command = [a.weir, "sweep", "--gpu", a.gpu, "--size", a.size, "--results", a.results, "-o", page + "/report",
                   "--metric", "cycles", "--with", "baseline"]
        for p in a.policies:
            command += ["--with", p]
        if sampled:
            command.append("--sampled=" + a.error)
        subprocess.run(command + names, stdout=subprocess.DEVNULL, check=False)


def read(a, names):
    """(program, machine's policies, sampled) -> total"""
    out = {}
    for key, program, policies, document in sqlite3.connect(a.results).execute(
            "SELECT key, program, policies, document FROM result WHERE size = ? AND machine = ?", (a.size, a.gpu)):
        if program in names:
            out[program, policies, key.startswith("sampled")] = json.loads(document)["total"]
    return out


def mean(values):
    return sum(values) / len(values) if values else math.nan


def main():
    a = arguments()
    names = programs(a)
    for sampled in (False, True):
        simulate(a, names, sampled)
    result = read(a, names)
    errors, shares, speed_ups = [], [], {}
    print(f"{'program':14} {'error':>8} {'interval':>9} {'simulated':>10}  policies")
    for (program, policies, sampled), total in sorted(result.items()):
        whole = result.get((program, policies, False))
        if not sampled or not whole:
            continue
        error = total["cycles"] / whole["cycles"] - 1
        half = total["sampled.half_width_95.cycles"]
        errors.append((abs(error), program, half is not None and abs(total["cycles"] - whole["cycles"]) <= half))
        shares.append((total["sampled.warp_insts_share"], whole["warp_insts"]))
        speed_ups.setdefault(program, {})[policies] = (whole["cycles"], total["cycles"])
        shown = "?" if half is None else f"{100 * half / total['cycles']:.2f}%"
        print(f"{program:14} {100 * error:+7.2f}% {shown:>9} {100 * shares[-1][0]:9.1f}%  {policies}")
    if not errors:
        return
    print(f"\n{len(errors)} simulations: mean error {100 * mean([e for e, _, _ in errors]):.2f}%, "
          f"largest {100 * max(errors)[0]:.2f}% ({max(errors)[1]}), "
          f"{100 * mean([c for _, _, c in errors]):.0f}% of the intervals hold the truth")
    for limit in (0, 20e6):
        s = [math.log(x) for x, n in shares if n >= limit]
        if s:
            print(f"simulated, geometric mean of programs above {limit / 1e6:.0f} M warp instructions: "
                  f"{100 * math.exp(mean(s)):.1f}%")
    differences, reordered, pairs = [], 0, 0
    for program, of in speed_ups.items():
        for p, q in itertools.combinations(sorted(of), 2):
            whole, sampled = of[p][0] / of[q][0], of[p][1] / of[q][1]
            differences.append(abs(sampled - whole))
            if abs(whole - 1) > REORDER_POINTS / 100:
                pairs += 1
                reordered += (whole > 1) != (sampled > 1)
    if differences:
        print(f"{len(differences)} pairs of policies: speed-up wrong by {100 * mean(differences):.2f} points on average, "
              f"{100 * max(differences):.2f} at most; {reordered} of {pairs} pairs that differ by more than "
              f"{REORDER_POINTS} points change places")


if __name__ == "__main__":
    main()
