#!/usr/bin/env python3
"""Runs the microbenchmarks on a simulated machine and puts its values beside a board's.

    silicon/probes/compare.py [--weir build/weir] [--gpu h200] [--only PROBE] [--set KEY=VALUE] [PROGRAM...]

PROGRAM is inst, memory, front, hopper, load or launch (default: inst and memory). The board's rows are silicon/probes/h200_PROGRAM.tsv. Each
value is cycles per operation: the difference of the two launches over the operations between them (probe.h). Under weir
the cycles of a launch come from its statistics. Rows that one side does not have are left out.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def rows(text):
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def board_value(row):
    return (float(row["cycles_b"]) - float(row["cycles_a"])) / float(row["operations"])


def run_model(args, program, folder):
    """The rows of the program on the simulated machine, with the cycles of its launches."""
    binary, stats = os.path.join(folder, program), os.path.join(folder, program + ".json")
    arch = ["-arch=sm_90a"] if program == "hopper" else []
    source = os.path.join(HERE, program + ".cu")
    subprocess.run([args.weir, "cc", "-O2", "-std=c++17", *arch, source, "-o", binary], check=True)
    command = [args.weir, "run", "-q", "--gpu", args.gpu, "--json", stats]
    for assignment in args.set:
        command += ["--set", assignment]
    command += [binary, "--model"] + (["--only", args.only] if args.only else [])
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(stats) as f:
        kernels = json.load(f)["kernels"]
    result = {}
    for row in rows(out):
        a, b = kernels[int(row["launch_a"])]["cycles"], kernels[int(row["launch_b"])]["cycles"]
        key = row["probe"], row["variant"]
        if program == "launch":
            result[key] = b
        else:
            result[key] = (b - a) / float(row["operations"])
    return result


def launch_board():
    """Elapsed cycles of each kind of launch, from Nsight Compute."""
    with open(os.path.join(HERE, "h200_launch.tsv")) as f:
        return {(r["probe"], r["variant"]): float(r["elapsed"]) for r in rows(f.read()) if r["elapsed"] != "-"}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weir", default=os.path.join(HERE, "..", "..", "build", "weir"))
    p.add_argument("--gpu", default="h200")
    p.add_argument("--only")
    p.add_argument("--set", action="append", default=[])
    p.add_argument("program", nargs="*", default=["inst", "memory"])
    args = p.parse_args()
    print("probe\tvariant\tboard\tmodel\tratio")
    for program in args.program:
        if program == "launch":
            board = launch_board()
        else:
            with open(os.path.join(HERE, "h200_%s.tsv" % program)) as f:
                board = {(r["probe"], r["variant"]): board_value(r) for r in rows(f.read())}
        with tempfile.TemporaryDirectory() as folder:
            model = run_model(args, program, folder)
        for key, value in model.items():
            if key in board:
                ratio = "%.2f" % (value / board[key]) if board[key] > 0 else "-"
                print("%s\t%s\t%.4g\t%.4g\t%s" % (key[0], key[1], board[key], value, ratio))
                sys.stdout.flush()


main()
