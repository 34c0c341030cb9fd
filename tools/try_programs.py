#!/usr/bin/env python3
"""Builds and runs other people's programs: with weir cc, and what fails also with nvcc, if it is installed.

usage: tools/try_programs.py [OPTION...] FOLDER >results.tsv

FOLDER has a folder for each program, at any depth, with CUDA sources and a Makefile (HeCBench) or a CMakeLists.txt (NVIDIA's CUDA
samples). Programs are built where they are. A Makefile gets the compiler as CC and NVCC and runs what its target `run` does first.

  --weir PATH        default: build/weir        --match RE       only these folders, named from FOLDER
  --count N          as many, drawn by --seed   --seed N         default: 1
  --limit SECONDS    of a run's CPU time; 20    --both           nvcc for all of them
  --memory MIB       of a run; default: 6000    --check          also run weir check on what passes
  --keep DIR         keep every program's messages there

Not eligible, and not drawn: what needs MPI, OpenGL and similar, a second GPU, a data file, or another machine (EXCLUDED below says how
it is recognized). Problem sizes are those of a GPU, so a program with arguments first runs with its last number, which counts
repetitions in most, as 1 and the large ones divided; if that fails as it is; and if that takes too long with the first number as 1.

Results: passes (exits with 0 and reports success), runs (exits with 0), slow (no end in time or memory), waived (the program says
that it needs what the machine has not), fails, not built. The last column has the arguments, or the first message. The shares go to standard error.
"""
import argparse
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD_LIMIT_S = 300
EXCLUDED = [
    ("MPI", r"#include\s*[<\"]mpi\.h"),
    ("graphics", r"#include\s*[<\"](GL/|GLFW/|EGL/|GLES|vulkan/|helper_gl\.h|cuda_gl_interop|cudaEGL|NvSci|nvsci|X11/|d3d|opencv)"),
    ("several GPUs", r"#include\s*[<\"](nccl|nvshmem)\.|cufftXtSetGPUs|cublasXt|cudaDeviceEnablePeerAccess|cudaSetDevice\s*\(\s*1\s*\)"),
    ("another device interface", r"#include\s*[<\"](nvvm\.h|cudla|openacc)"),
]
GOOD = ("passes", "runs")
NVCC_PATH = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
NVCC = """#!/bin/sh
for a; do
    case $a in
    -arch=*|--gpu-architecture=*|-gencode*|--generate-code*|arch=compute*) ;;
    *) set -- "$@" "$a" ;;
    esac
    shift
done
exec "%s" cc --nvcc -lineinfo -arch=compute_80 -Wno-deprecated-gpu-targets "$@"
"""
SUCCESS = re.compile(r"\b(PASS(ED)?|SUCCESS(FUL(LY)?)?|CORRECT|VALID|OK|VERIFIED)\b", re.I)
FAILURE = re.compile(r"\b(FAIL(ED|URE|S)?|MISMATCH(ES)?|INCORRECT|WRONG|INVALID|NOT VALID)\b|(?<![\w.])[1-9]\d* errors?\b|weir: [^w]", re.I)


def sources(folder):
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith("build"))
        for name in sorted(names):
            if name.endswith((".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp")):
                yield os.path.join(at, name)


def find_programs(top):
    found = []
    for at, folders, names in os.walk(top):
        folders.sort()
        cuda = any(n.endswith(".cu") for n in names) or os.path.isdir(os.path.join(at, "src")) and any(
            s.endswith(".cu") for s in sources(os.path.join(at, "src")))
        if cuda and ("Makefile" in names or "CMakeLists.txt" in names):
            found.append(os.path.relpath(at, top))
            folders[:] = []
    return found


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def recipe(folder, variables=()):
    """The first command of the target `run`, as words; None: there is none."""
    said = subprocess.run(["make", "-n", "-s", "run", "LAUNCHER=", *variables], cwd=folder, capture_output=True, text=True, errors="replace")
    for line in said.stdout.replace("\\\n", " ").split("\n"):
        if line.strip().startswith("./"):
            return line.split()
    return None


def reason_to_leave_out(folder):
    text = "\n".join(read(s) for s in sources(folder))
    for reason, pattern in EXCLUDED:
        if re.search(pattern, text):
            return reason
    if os.path.exists(os.path.join(folder, "Makefile")):
        command = recipe(folder)
        if not command:
            return "nothing to run"
        if any(re.search(r"[<>|;&]|/|\.(txt|dat|mtx|bmp|png|pgm|ppm|fa|bin|in|csv|gr|json|obj)$", a) for a in command[1:]):
            return "data files"
    return None


def resident_mib(pid):
    try:
        with open("/proc/%d/statm" % pid) as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, IndexError):
        return 0


class Call:
    """A command with limits: exit status (None: over the limits) and everything it said."""

    def __init__(self, command, folder, limit_s, memory_mib=None):
        def limits():  # CPU time, so that other work on the machine changes no result
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit_s), int(limit_s) + 5))

        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                     start_new_session=True, preexec_fn=limits)
            self.status, end = None, time.monotonic() + 20 * limit_s
            while time.monotonic() < end and (not memory_mib or resident_mib(child.pid) < memory_mib):
                try:
                    self.status = child.wait(0.3)
                    break
                except subprocess.TimeoutExpired:
                    pass
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
            out.seek(0)
            self.text = out.read(4 << 20).decode(errors="replace")
            if self.status in (-signal.SIGXCPU, -signal.SIGKILL) or re.search(r"ended by signal (9|24) ", self.text):
                self.status = None


def first_message(text):
    lines = [l.strip() for l in text.split("\n") if l.strip()]
    told = [l for l in lines if re.search(r"error|undefined|cannot find|^weir: |assert|terminate", l, re.I)] or lines[-1:] or ["nothing said"]
    return re.sub(r"\s+", " ", told[0])[:200]


def smaller(words, repetitions):
    """The arguments with one number as 1 and the large ones divided; powers of two stay such."""
    out = list(words)
    numbers = [i for i in range(1, len(words)) if re.fullmatch(r"\d+", words[i])]
    for i in numbers:
        n = int(words[i])
        if i == numbers[repetitions] and (len(numbers) > 1 or n <= 10000):
            out[i] = "1" if n else "0"
        elif n >= 512:
            out[i] = str(max(n // 1024, 256))
    return out


def compilers(args):
    beside = os.path.dirname(args.weir)
    places = [os.path.join(beside, "nvcc"), os.path.join(beside, "..", "lib", "weir", "bin", "nvcc")]
    out = [("weir", next(p for p in places if os.path.exists(p)))]
    if NVCC_PATH:
        path = os.path.join(args.scratch, "nvcc")
        with open(path, "w") as f:  # for an architecture that it has, as PTX, which is all that weir reads
            f.write(NVCC % args.weir)
        os.chmod(path, 0o755)
        out.append(("nvcc", path))
    return out


def build(folder, compiler, is_weir):
    """The executable's folder and its command, or None and what the compiler said."""
    if os.path.exists(os.path.join(folder, "Makefile")):
        variables = ["CC=" + compiler, "NVCC=" + compiler, "ARCH=sm_80"]
        Call(["make", "clean", *variables], folder, 60)
        made = Call(["make", *variables], folder, BUILD_LIMIT_S)
        return (folder, recipe(folder, variables) if made.status == 0 else None, made.text)
    inside = os.path.join(folder, "build-try")
    shutil.rmtree(inside, ignore_errors=True)
    # CMake looks for a toolkit around the compiler, so it gets nvcc itself.
    configure = ["cmake", "-S", ".", "-B", inside, "-DCMAKE_POLICY_VERSION_MINIMUM=3.20", "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared"]
    configure += ["-DCMAKE_CUDA_COMPILER=" + (compiler if is_weir else NVCC_PATH)]
    made = Call(configure, folder, 120)
    text = made.text
    if made.status == 0:
        made = Call(["cmake", "--build", inside], folder, BUILD_LIMIT_S)
        text += made.text
    programs = [os.path.join(inside, n) for n in sorted(os.listdir(inside))] if os.path.isdir(inside) else []
    programs = [p for p in programs if os.path.isfile(p) and os.access(p, os.X_OK) and ".so" not in p]
    programs.sort(key=lambda p: os.path.basename(p) != os.path.basename(folder))
    return (inside, [programs[0]] if made.status == 0 and programs else None, text)


def judge(call):
    if call.status is None or re.search(r"cudaErrorMemoryAllocation|out of memory|bad_alloc", call.text):
        return "slow"
    if "exited with status 2" in call.text and re.search(r"waiv|requires|two or more|not support", call.text, re.I):
        return "waived"
    if call.status != 0 or FAILURE.search(re.sub(r"\b(0|no) (errors?|failures?|mismatches)\b", "", call.text, flags=re.I)):
        return "fails"
    return "passes" if SUCCESS.search(call.text) else "runs"


def run(args, folder, words):
    weir = [args.weir, "run", "--functional", "--quiet", "--progress=0"]
    scaled = []
    for tried in smaller(words, -1), words, smaller(words, 0):
        if tried not in scaled:
            scaled.append(tried)
    for tried in scaled:
        call = Call(weir + tried, folder, args.limit, args.memory)
        result = judge(call)
        # As it is, it decides, unless it takes too long.
        if result in GOOD or (result == "slow") != (tried == words):
            break
    return "slow" if result == "fails" and len(scaled) == 3 and tried == scaled[2] else result, tried, call


def row(*columns):
    print("\t".join(columns), flush=True)


def attempt(args, top, name, compiler, path):
    """Result, and arguments or message."""
    where, words, said = build(os.path.join(top, name), path, compiler == "weir")
    if not words:
        result, detail = "not built", first_message(said)
    else:
        result, words, call = run(args, where, words)
        said = call.text
        detail = " ".join(words[1:]) if result != "fails" else first_message(said)
        if args.check and result in GOOD:
            call = Call([args.weir, "check"] + words, where, args.limit, args.memory)
            said += "\n---- weir check ----\n" + call.text
            detail += "; check: " + ("slow" if call.status is None else "clean" if call.status == 0 else first_finding(call.text))
    if args.keep:
        with open(os.path.join(args.keep, "%s.%s" % (name.replace("/", "-"), compiler)), "w") as f:
            f.write(said)
    return result, detail.replace(top + "/", "")


def first_finding(text):
    found = re.findall(r"^(?:error|warning): .*", text, re.M)
    return "; ".join(sorted(set(found)))[:300] if found else first_message(text)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("folder")
    p.add_argument("--weir", default=os.path.join(ROOT, "build", "weir"))
    p.add_argument("--match", default="")
    p.add_argument("--count", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--limit", type=float, default=20)
    p.add_argument("--memory", type=int, default=6000)
    p.add_argument("--both", action="store_true")
    p.add_argument("--check", action="store_true")
    p.add_argument("--keep")
    args = p.parse_args()
    args.weir = os.path.abspath(args.weir)
    args.scratch = tempfile.mkdtemp()
    top = os.path.abspath(args.folder)
    names = [n for n in find_programs(top) if re.search(args.match, n)]
    left_out = {n: reason_to_leave_out(os.path.join(top, n)) for n in names}
    eligible = [n for n in names if not left_out[n]]
    drawn = eligible
    if args.count is not None and args.count < len(eligible):
        drawn = sorted(random.Random(args.seed).sample(eligible, args.count))
    why = {}
    for reason in filter(None, left_out.values()):
        why[reason] = why.get(reason, 0) + 1
    print("%d programs, %d eligible (%s), %d tried" % (len(names), len(eligible), ", ".join("%s: %d" % w for w in sorted(why.items())), len(drawn)), file=sys.stderr)
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    available, counts = compilers(args), {}
    row("program", "weir cc", "nvcc", "arguments or message")
    for name in drawn:
        results, detail = {"weir": "-", "nvcc": "-"}, ""
        for compiler, path in available:
            if compiler == "nvcc" and not args.both and results["weir"] not in ("fails", "not built"):
                continue
            results[compiler], said = attempt(args, top, name, compiler, path)
            detail = detail or said
        counts[results["weir"]] = counts.get(results["weir"], 0) + 1
        row(name, results["weir"], results["nvcc"], detail)
    good = sum(counts.get(g, 0) for g in GOOD)
    print("weir cc: %d of %d pass or run (%s)" % (good, len(drawn), ", ".join("%s: %d" % c for c in sorted(counts.items()))), file=sys.stderr)
    shutil.rmtree(args.scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
