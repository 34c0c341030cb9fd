#!/usr/bin/env python3
"""The workload suite as a whole: every program passes its own check at every size and under the timing model, sizes
keep what docs/suite.md promises, every benchmark that the papers name is there, and a failed check is a failed run.
usage: suite.py WEIR (with XDG_CACHE_HOME set: compiled programs are kept there)"""
import json
import os
import subprocess
import sys
import tempfile

WEIR = os.path.abspath(sys.argv[1])
JOBS = "2"
failed = []

# The benchmarks of each paper's evaluation, by the names it uses.
PAPERS = {
    "APCM": "BFS KMN IIX WC GC SSP SPMV MM SS CCL GE SRD MRI SGM STN APS",
    "CART": "BP BFS B+T CFD DW HW NW KMS CUT SAD TP AT AA BS CS CT FWT QG RST SN SP STC SG TRP MRI-Q SCN LBM MS HIS SQ",
    "Shared L1": "BLK RAY BFS NN TRA K-means LPS SCAN conv hotspot lud pathfinder streamcluster b+tree SpMV Reduction "
                 "Stencil2D FFT MD COVAR CORR 2MM 3MM ATAX BICG GEMM GESUMMV MVT SYRK SYR2K 2DCONV 3DCONV FDTD2D "
                 "GRAMSCHM AN RN SN",
    "CAPS": "CP LPS BPR HSP MRQ STE CNV HST JC1 FFT SCN MM PVR CCL BFS KM",
}


def expect(what, holds):
    if not holds:
        failed.append(what)
        print("FAILED:", what, flush=True)


def weir(*args, weir=WEIR):
    return subprocess.run([weir, *args], capture_output=True, text=True)


def run_all(folder, verb, size):
    """Statistics of all programs by name."""
    out = os.path.join(folder, verb + size + ".json")
    ran = weir("suite", verb, "--all", "--size", size, "--jobs", JOBS, "--json", out)
    print(ran.stdout, ran.stderr, flush=True)
    expect(f"suite {verb} --size {size} ends with status 0", ran.returncode == 0)
    with open(out) as f:
        doc = json.load(f)
    expect(f"{verb} {size}: it is said what was run", doc["size"] == size and doc["functional"] == (verb == "check"))
    for p in doc["programs"]:
        expect(f"{p['name']} {size}: {verb}", p["ok"] and p["total"]["warp_insts"] > 0)
    return {p["name"]: p["total"] for p in doc["programs"] if p["ok"]}


def names(listing):
    """Of each paper, the benchmarks that programs say they stand for."""
    found = {paper: [] for paper in PAPERS}
    for line in listing.splitlines():
        for part in line.strip().split("; "):
            paper, colon, name = part.partition(": ")
            if colon and paper in found:
                found[paper].append(name.split(" (")[0])
    return found


def broken_suite(folder):
    """An installation whose suite has one program that computes a wrong result, one that does not compile and a good
    one."""
    for below in ("bin", "lib", "share/weir/suite/common"):
        os.makedirs(os.path.join(folder, below))
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    os.symlink(os.path.join(os.path.dirname(WEIR), "src", "cudart"), os.path.join(folder, "lib", "weir"))
    os.symlink(os.path.join(source, "include", "weir", "cuda"), os.path.join(folder, "share", "weir", "cuda"))
    os.symlink(os.path.join(source, "configs"), os.path.join(folder, "share", "weir", "configs"))
    os.symlink(os.path.join(source, "suite", "common", "suite.h"),
               os.path.join(folder, "share", "weir", "suite", "common", "suite.h"))
    with open(WEIR, "rb") as a, open(os.path.join(folder, "bin", "weir"), "wb") as b:
        b.write(a.read())
    os.chmod(os.path.join(folder, "bin", "weir"), 0o755)
    body = """#include "../common/suite.h"
__global__ void put(int *p) { *p = 41; }
int main(int argc, char **argv)
{
    int want = %s, got;
    int *p = suite_device<int>(1);
    put<<<1, 1>>>(p);
    SUITE_LAUNCHED();
    suite_to_host(&got, p, 1);
    return suite_done("%s", argc, argv, suite_diff_exact("p", &got, &want, 1));
}
"""
    for name, want in (("good", "41"), ("wrong", "42"), ("unbuildable", "nonsense")):
        os.makedirs(os.path.join(folder, "share/weir/suite", name))
        with open(os.path.join(folder, "share/weir/suite", name, "p.cu"), "w") as f:
            f.write(body % (want, name))
        with open(os.path.join(folder, "share/weir/suite", name, "program.ini"), "w") as f:
            f.write("[program]\ntitle = t\norigin = o\ndoes = d\nsource = p.cu\n")
    return os.path.join(folder, "bin", "weir")


WHOLE_NETWORKS = ("alexnet", "gpt2", "gpt2_forward", "resnet", "squeezenet")


def check_failures(folder):
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    mine = broken_suite(os.path.join(folder, "prefix"))
    for verb in ("run", "check"):
        ran = weir("suite", verb, "good", weir=mine)
        expect(f"suite {verb} of a good program", ran.returncode == 0 and "FAILED" not in ran.stdout)
        ran = weir("suite", verb, "good", "wrong", weir=mine)
        expect(f"suite {verb}: a failed check is a failed run",
               ran.returncode == 1 and "2 programs, 1 failed" in ran.stdout and "p[0] differs" in ran.stderr)
        ran = weir("suite", verb, "--all", weir=mine)
        expect(f"suite {verb}: what does not compile is reported", ran.returncode == 2 and "3 programs, 2 failed" in ran.stdout
               and "nonsense" in ran.stderr)
    ran = weir("suite", "run", "good", "nonesuch", weir=mine)
    expect("an unknown program is refused", ran.returncode == 2 and "'nonesuch'" in ran.stderr)
    ran = weir("suite", "run", weir=mine)
    expect("run needs a program", ran.returncode == 2 and "--all" in ran.stderr)
    ran = weir("suite", "run", "good", "--size", "huge", weir=mine)
    expect("an unknown size is refused", ran.returncode == 2)
    ran = weir("suite", "run", "good", "--with", "nonesuch", weir=mine)
    expect("an unknown policy is refused", ran.returncode == 2 and "nonesuch" in ran.stderr)


def main():
    listing = weir("suite", "list").stdout
    expect("list workloads is suite list", listing == weir("list", "workloads").stdout)
    found = names(listing)
    for paper, wanted in PAPERS.items():
        expect(f"{paper}: every benchmark once; missing {set(wanted.split()) - set(found[paper])}, "
               f"not in the paper {set(found[paper]) - set(wanted.split())}",
               sorted(found[paper]) == sorted(wanted.split()))
    with tempfile.TemporaryDirectory() as folder:
        tiny = run_all(folder, "check", "tiny")
        for name, total in tiny.items():
            expect(f"{name}: tiny is small enough for a test", total["warp_insts"] <= 600e3)
        timed = run_all(folder, "run", "tiny")
        expect("the same programs with and without timing", timed.keys() == tiny.keys())
        for name, total in timed.items():
            expect(f"{name}: has cycles", total["cycles"] > 0 and total["ipc"] > 0)
        small = run_all(folder, "check", "small")
        paper = run_all(folder, "check", "paper")
        for name in small.keys() & paper.keys():
            expect(f"{name}: small has two million warp instructions", small[name]["warp_insts"] >= 2e6)
            expect(f"{name}: paper keeps the cap", paper[name]["thread_insts"] <= 1e9 or name in WHOLE_NETWORKS)
            expect(f"{name}: paper is not less than small", paper[name]["warp_insts"] >= small[name]["warp_insts"])
        check_failures(folder)
    print(f"{len(tiny)} programs, {len(failed)} failures")
    return bool(failed)


sys.exit(main())
