"""Speed beside GPGPU-Sim 4.2, both measured in one run on this machine: see bench/README.md."""
import argparse
import glob
import json
import math
import os
import re

from bench import MACHINE, ROOT, WEIR, die, run

# The reference kernels, then programs of the suite with uncoalesced loads that GPGPU-Sim's parser accepts.
REFERENCE = ["vecadd 1048576", "gather 131072 1048576", "matmul 128", "matmul 256"]
UNCOALESCED = ["atax tiny", "bicg tiny", "mvt tiny", "gesummv tiny", "histo tiny", "spmv tiny", "bfs tiny"]


def compile_for_both(cuda, folder, name):
    """One PTX for both: objects of nvcc, linked with its runtime library (which the peer replaces) and with weir's."""
    source = next(p for p in (os.path.join(ROOT, "bench", name + ".cu"), os.path.join(ROOT, "suite", name, name + ".cu"))
                  if os.path.exists(p))
    nvcc, base = os.path.join(cuda, "bin", "nvcc"), os.path.join(folder, name)
    ours = os.path.join(os.path.dirname(WEIR), "src", "frontend", "cudart")
    run([nvcc, "-ccbin", "g++-11", "-O2", "-arch=compute_52", "-code=compute_52", "-c", "-o", base + ".o", source])
    run([nvcc, "-ccbin", "g++-11", "--cudart", "shared", "-o", base + ".peer", base + ".o"])
    run(["g++-11", "-o", base + ".weir", base + ".o", "-L" + ours, "-l:libcudart.so.13", "-Wl,-rpath," + ours])
    return base + ".peer", base + ".weir"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--gpgpusim", required=True, help="its built source tree")
    p.add_argument("--cuda", required=True, help="a CUDA toolkit 11")
    p.add_argument("--folder", default=os.path.join(os.path.dirname(WEIR), "peer"), help="where programs and outputs go")
    p.add_argument("--realtime", type=int, metavar="CPU", help="run everything on this processor with real-time priority (needs root)")
    p.add_argument("--replays", type=int, default=5, help="before and after each run of the peer")
    p.add_argument("programs", nargs="*", default=REFERENCE + UNCOALESCED, metavar="'PROGRAM ARGUMENT...'")
    o = p.parse_args()
    libraries = glob.glob(os.path.join(o.gpgpusim, "lib", "*", "*", "release"))
    configuration = os.path.join(o.gpgpusim, "configs", "tested-cfgs", "SM2_GTX480")
    if not libraries:
        die("%s: no release build" % o.gpgpusim)
    os.makedirs(o.folder, exist_ok=True)
    for path in glob.glob(os.path.join(configuration, "*")):
        with open(path) as f:
            text = f.read()
        # Its power model is not compared; the option for the file of that model is unknown to the release itself.
        text = re.sub(r"(?m)^-power_simulation_enabled 1", "-power_simulation_enabled 0", text)
        text = re.sub(r"(?m)^-gpuwattch_xml_file.*\n", "", text)
        with open(os.path.join(o.folder, os.path.basename(path)), "w") as f:
            f.write(text)
    env = dict(os.environ, CUDA_INSTALL_PATH=o.cuda, GPGPUSIM_ROOT=o.gpgpusim, LD_LIBRARY_PATH=libraries[0],
               PTX_SIM_USE_PTX_FILE="1.ptx", PTX_SIM_KERNELFILE="_1.ptx", CUOBJDUMP_SIM_FILE="jj",
               GPGPUSIM_CONFIG=os.path.relpath(libraries[0], os.path.join(o.gpgpusim, "lib")),
               PTXAS_CUDA_INSTALL_PATH=o.cuda, PATH=os.path.join(o.cuda, "bin") + ":" + os.environ["PATH"])
    print("%-22s %10s %9s %9s %9s %9s %9s %8s %8s %8s" % ("", "warp inst.", "cycles", "peer's", "s", "live s", "peer's s",
                                                      "ratio", "live", "/cycle"), flush=True)
    ratios = {}
    if o.realtime is not None:  # what it starts inherits both
        os.sched_setaffinity(0, {o.realtime})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    for title in o.programs:
        name, *arguments = title.split()
        theirs, ours = compile_for_both(o.cuda, o.folder, name)
        trace = os.path.join(o.folder, title.replace(" ", "-") + ".wt")
        run([WEIR, "record", "-q", "-o", trace, ours] + arguments)
        replay, live = [], []
        for before in True, False:
            for _ in range(o.replays):
                replay.append(run([WEIR, "replay", "-q", "--gpu", MACHINE, trace])[2])
                live.append(run([WEIR, "run", "-q", "--gpu", MACHINE, ours] + arguments)[2])
            if before:
                out, _, peer_s = run([theirs] + arguments, env=env, cwd=o.folder)
        total = json.loads(run([WEIR, "replay", "-q", "--gpu", MACHINE, "--json", "-", trace])[0])["total"]
        with open(os.path.join(o.folder, title.replace(" ", "-") + ".log"), "w") as f:
            f.write(out)
        cycles = int(re.findall(r"gpu_tot_sim_cycle = (\d+)", out)[-1])
        ratio = peer_s / min(replay)
        ratios[title] = ratio
        print("%-22s %10d %9d %9d %9.4f %9.4f %9.2f %8.0f %8.0f %8.0f" %
              (title, total["warp_insts"], total["cycles"], cycles, min(replay), min(live), peer_s, ratio,
               peer_s / min(live), ratio * total["cycles"] / cycles), flush=True)
    for what, titles in (("reference kernels", REFERENCE), ("uncoalesced programs", ["gather 131072 1048576"] + UNCOALESCED),
                         ("all", list(ratios))):
        have = [ratios[t] for t in titles if t in ratios]
        if have:
            print("%s: geometric mean %.0f of n = %d, lowest %.0f" %
                  (what, math.exp(sum(map(math.log, have)) / len(have)), len(have), min(have)))


main()
