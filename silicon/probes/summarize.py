#!/usr/bin/env python3
"""Sums the counters of suite_ncu.csv (collect.sh with TABLE=yes) by program and kernel: the table of h200_suite_*.tsv.

Usage: summarize.py suite_ncu.csv[.gz] > h200_suite_small.tsv
       summarize.py --dram TABLE dram_ncu.csv[.gz]... > h200_suite_small.tsv

--dram puts DRAM counters of runs that counted nothing else into a table, medians of several: where a program is run once
more for each group of counters, other traffic is counted, too.
"""
import csv
import gzip
import re
import statistics
import sys

METRICS = ["sm__cycles_elapsed.max", "smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "lts__t_sectors_op_read.sum",
           "lts__t_sectors_op_read_lookup_hit.sum", "lts__t_sectors_op_write.sum", "dram__bytes_read.sum",
           "dram__bytes_write.sum", "gpu__time_duration.sum"]


def function(name):
    """The kernel's name with its template arguments, without return type and parameters."""
    name = re.sub(r"^void ", "", name)
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0 and not name.startswith("(anonymous", i):
            return name[:i]
    return name


def read(path, metrics):
    """Sums by program and kernel: launches, then the metrics."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        lines = f.read().splitlines()
    program, column, sums = None, None, {}
    for row in csv.reader(lines):
        if row and row[0].startswith("#program "):
            program = row[0].split()[1]
        elif row and row[0] == "ID":
            column = {name: i for i, name in enumerate(row)}
        elif row and row[0].isdigit():
            s = sums.setdefault((program, function(row[column["Kernel Name"]])), [0] * (1 + len(metrics)))
            s[0] += 1
            for i, m in enumerate(metrics):
                s[1 + i] += float(row[column[m]].replace(",", ""))
    return sums


def put_dram(table, paths):
    runs = [read(p, ["dram__bytes_read.sum", "dram__bytes_write.sum"]) for p in paths]
    at = None
    with open(table) as f:
        for line in f.read().splitlines():
            cells = line.split("\t")
            if cells[0] == "program":
                at = cells.index("dram__bytes_read.sum")
            elif at is not None:
                # How often some kernels are launched depends on a race.
                same = [r[cells[0], cells[1]] for r in runs if r.get((cells[0], cells[1]), [0])[0] == int(cells[2])]
                if same:
                    cells[at:at + 2] = ["%d" % statistics.median(v[k] for v in same) for k in (1, 2)]
            print("\t".join(cells))


def main():
    if sys.argv[1] == "--dram":
        put_dram(sys.argv[2], sys.argv[3:])
        return
    sums = read(sys.argv[1], METRICS)
    print("# NVIDIA H200, ncu, suite programs at size small built by nvcc 13 -O2 -arch=sm_90; sums over the first 60 launches "
          "of each program, by kernel; application replay, so caches are as the program left them, clocks not locked; time in ns")
    print("\t".join(["program", "kernel", "launches"] + METRICS))
    for (program, kernel), s in sorted(sums.items(), key=lambda item: item[0][0]):
        print("\t".join([program, kernel] + ["%d" % v for v in s]))


main()
