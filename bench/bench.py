"""Speed of the simulator: see bench/README.md. Needs build/weir; valgrind for host instruction counts."""
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WEIR = os.environ.get("WEIR", os.path.join(ROOT, "build", "weir"))
RECORDED = os.path.join(ROOT, "bench", "recorded.json")
MACHINE = "gtx480-gpgpusim"

# Program, arguments, and GPGPU-Sim 4.2's warp instructions per second on the machine of bench/README.md; bench/peer.py
# measures them beside weir's.
FULL = [("vecadd", ["1048576"], 19.0e3), ("gather", ["131072", "1048576"], 1.6e3),
        ("matmul", ["128"], 28.6e3), ("matmul", ["256"], 22.1e3)]
# Small enough for valgrind, different enough to fit costs.
SMALL = [("vecadd", ["65536"]), ("gather", ["8192", "262144"]), ("matmul", ["64"]), ("matmul", ["96"]),
         ("gather", ["4096", "4096"])]


def die(text):
    sys.exit("bench: " + text)


def run(command, **where):
    """Runs a command; returns its output, seconds of wall clock and of CPU, user and system."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, **where)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        die("%s: %s" % (" ".join(command), done.stderr.strip() or done.stdout[-400:]))
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def record(folder, name, arguments):
    program = os.path.join(folder, name)
    if not os.path.exists(program):
        run([WEIR, "cc", "-O2", "-arch=sm_75", "-o", program, os.path.join(ROOT, "bench", name + ".cu")])
    trace = "%s-%s.wt" % (program, "-".join(arguments))
    if not os.path.exists(trace):
        run([WEIR, "record", "-q", "-o", trace, program] + arguments)
    return program, trace


def replay(trace):
    out, wall, cpu = run([WEIR, "replay", "-q", "--gpu", MACHINE, "--json", "-", trace])
    return json.loads(out)["total"], wall, cpu


def host_instructions(trace, weir=WEIR, machine=(MACHINE,)):
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out.name, weir, "replay", "-q",
                               "--gpu", *machine, trace], capture_output=True, text=True)
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or not found:
        die("valgrind: " + done.stderr[-400:])
    return int(found.group(1))


def solve(rows, values):
    """Least squares by the normal equations; the columns are few."""
    n = len(rows[0])
    m = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * v for r, v in zip(rows, values))]
         for i in range(n)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(m[k][i]))
        m[i], m[p] = m[p], m[i]
        if not m[i][i]:
            return None
        for k in range(n):
            if k != i:
                f = m[k][i] / m[i][i]
                m[k] = [a - f * b for a, b in zip(m[k], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]


def measure_small(folder):
    """Host instructions of the small replays, and of an empty one to take the start-up off."""
    rows = []
    for name, arguments in SMALL:
        _, trace = record(folder, name, arguments)
        total, _, _ = replay(trace)
        rows.append((name + " " + " ".join(arguments), host_instructions(trace), total))
    return rows


def report_small(rows):
    print("%-22s %14s %16s %14s" % ("host instructions", "per warp instr.", "per line request", "per cycle"))
    for title, host, t in rows:
        print("%-22s %14.0f %16.0f %14.0f" % (title, host / t["warp_insts"], host / max(t["l1.accesses"], 1),
                                              host / t["cycles"]))
    # What is served below the L1 costs more than a hit, so L2 accesses are the second kind of line request.
    fit = solve([[t["warp_insts"], t["l1.accesses"], t["l2.accesses"]] for _, _, t in rows], [h for _, h, _ in rows])
    if fit:
        print("fitted: %.0f host instructions per warp instruction, %.0f per L1 access, %.0f per L2 access" % tuple(fit))
        worst = max(abs(sum(f * t[k] for f, k in zip(fit, ("warp_insts", "l1.accesses", "l2.accesses"))) / h - 1)
                    for _, h, t in rows)
        print("        explains every run within %.0f%% without looking at simulated cycles" % (100 * worst))


def check(rows):
    with open(RECORDED) as f:
        old = json.load(f)
    bad = 0
    for title, host, t in rows:
        now, was = host / t["warp_insts"], old.get(title)
        grew = now / was - 1 if was else 0
        print("%-22s %8.0f host instructions per warp instruction, recorded %8.0f (%+.1f%%)" % (title, now, was or 0, 100 * grew))
        bad += grew > 0.05
    if bad:
        die("host instructions per warp instruction grew by more than 5%; make it faster, or run bench/run.sh --record "
            "and commit bench/recorded.json with the reason")


def compare_hooks(folder):
    """What the hooks of the policies cost while none is chosen: host instructions against a build without them."""
    build = os.path.join(os.path.dirname(WEIR) + "-nohooks")
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run(["meson", "setup", build, ROOT, "-Dhooks=false", "-Dtests=disabled"])
    run(["ninja", "-C", build, "weir"])
    worst = 0
    for name, arguments in SMALL:
        _, trace = record(folder, name, arguments)
        have, without = host_instructions(trace), host_instructions(trace, os.path.join(build, "weir"))
        worst = max(worst, have / without - 1)
        print("%-22s %+.2f%% host instructions with the policy hooks" % (name + " " + " ".join(arguments),
                                                                        100 * (have / without - 1)))
    if worst > 0.01:
        die("the hooks cost more than 1% while no policy uses them")


def compare_code(folder):
    """Scheduled code beside PTX's order on h200: host instructions for the same recording, so per PTX instruction."""
    ratios = []
    for name, arguments in SMALL:
        _, trace = record(folder, name, arguments)
        ptx, scheduled = (host_instructions(trace, machine=("h200", "--set", "sm.code=" + c)) for c in ("ptx", "scheduled"))
        ratios.append(scheduled / ptx)
        print("%-22s %+.1f%% host instructions with scheduled code" % (name + " " + " ".join(arguments),
                                                                      100 * (scheduled / ptx - 1)))
    print("geometric mean of the speeds, scheduled over PTX: %.2f" %
          math.exp(-sum(map(math.log, ratios)) / len(ratios)))


def main():
    if not os.access(WEIR, os.X_OK):
        die("%s is missing; run make" % WEIR)
    folder = os.path.join(os.path.dirname(WEIR), "bench")
    os.makedirs(folder, exist_ok=True)
    have_valgrind = shutil.which("valgrind")
    if {"--check", "--record", "--hooks", "--code"} & set(sys.argv):
        if not have_valgrind:
            die("valgrind is needed to count host instructions")
        if "--hooks" in sys.argv:
            compare_hooks(folder)
            return
        if "--code" in sys.argv:
            compare_code(folder)
            return
        rows = measure_small(folder)
        if "--record" in sys.argv:
            with open(RECORDED, "w") as f:
                json.dump({title: round(host / t["warp_insts"]) for title, host, t in rows}, f, indent=1)
                f.write("\n")
            report_small(rows)
        else:
            check(rows)
        return
    print("%-22s %12s %12s %10s %10s %10s" % ("replay on " + MACHINE, "warp instr.", "per CPU s", "x GPGPU-Sim", "live/replay", "MiB"))
    rates = []
    for name, arguments, peer in FULL:
        program, trace = record(folder, name, arguments)
        best = min((replay(trace) for _ in range(1 if "--quick" in sys.argv else 3)), key=lambda r: r[2])
        total, wall, cpu = best
        _, live, _ = run([WEIR, "run", "-q", "--gpu", MACHINE, program] + arguments)
        rate = total["warp_insts"] / cpu
        rates.append(rate)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print("%-22s %12d %12.0f %10.0f %10.2f %10.0f" % (name + " " + " ".join(arguments), total["warp_insts"], rate,
                                                         rate / peer, live / wall, peak))
    print("geometric mean %.2f million warp instructions per CPU second" %
          (math.exp(sum(map(math.log, rates)) / len(rates)) / 1e6))
    if have_valgrind:
        report_small(measure_small(folder))


if __name__ == "__main__":
    main()
