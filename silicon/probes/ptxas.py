#!/usr/bin/env python3
"""Scheduled code beside what ptxas makes of the same PTX, kernel by kernel: instructions by class, and registers.

usage: ptxas.py WEIR [--ptxas PATH] [PROGRAM...] > silicon/probes/h200_code.tsv      (no PROGRAM: the whole suite)

Needs ptxas of a CUDA toolkit; no GPU and no disassembler: an instruction of sm_70 and later is 16 bytes, its opcode the low bits of the
first word. Compared are static counts: every instruction of a kernel once, unrolled code included. Functions that ptxas
calls for special operands (division and roots of denormals) lie in the kernel's code and are counted on its side alone.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLASSES = ["global", "shared", "float", "double", "special", "integer", "control"]
# Opcode without the bits that say what kind of operand follows.
OPCODES = {
    "global": [0x180, 0x181, 0x185, 0x186, 0x183, 0x187, 0x18E, 0x1A8, 0x1AE, 0x160, 0x161],
    "shared": [0x184, 0x188, 0x18C],
    "float": [0x008, 0x009, 0x00B, 0x020, 0x021, 0x023, 0x030, 0x031, 0x03E, 0x102],
    "double": [0x028, 0x029, 0x02A, 0x02B],
    "special": [0x045, 0x104, 0x105, 0x106, 0x107, 0x108, 0x110, 0x111, 0x112],
    "control": [0x141, 0x143, 0x144, 0x145, 0x147, 0x148, 0x14D, 0x150, 0x11D],
}
CLASS_OF = {code: name for name, codes in OPCODES.items() for code in codes}
NOP, FILLING = 0x118, 0x147
OURS = {"load": None, "store": None, "atom": None, "red": None, "tex": "global", "surf": "global", "branch": "control", "call": "control",
        "ret": "control", "exit": "control", "barrier": "control", "nop": "control", "sfu": "special", "cvt": "special"}


def sass(cubin):
    """The class counts of each kernel in an ELF file of ptxas."""
    with open(cubin, "rb") as f:
        data = f.read()
    table, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    at = sections[names][4]
    found = {}
    for s in sections:
        name = data[at + s[0]:data.index(b"\0", at + s[0])].decode()
        if not name.startswith(".text."):
            continue
        words = [struct.unpack_from("<Q", data, s[4] + i)[0] & 0x1FF for i in range(0, s[5], 16)]
        while words and words[-1] == NOP:
            words.pop()
        if words and words[-1] == FILLING:  # a branch to itself behind the end
            words.pop()
        counts = dict.fromkeys(CLASSES, 0)
        for w in words:
            if w != NOP:
                counts[CLASS_OF.get(w, "integer")] += 1
        found[name[6:]] = counts
    return found


def ours(weir, ptx):
    """The same of weir ptx code: one execution of each region and its unrolled forms."""
    found, counts = {}, None
    text = subprocess.run([weir, "ptx", "code", ptx], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        head = re.match(r"(\S+): \d+ PTX instructions, ", line)
        op = re.match(r"\s+\d+\.\d+ (\w+?)\s*(?:[\d,]+)?(?: <- [\d,]+)?\s+; \d+: (\S+)", line)
        if head:
            counts = found[head.group(1)] = dict.fromkeys(CLASSES, 0)
        elif op:
            name, inst = op.groups()
            cls = OURS.get(name, "float" if name.startswith("fp") else "double" if name.startswith("dp") else "integer")
            if cls is None:
                accesses = inst.startswith(("ld", "st", "atom", "red", "tex", "su", "cp")) and ".param" not in inst and ".const" not in inst
                cls = "integer" if not accesses or name == "load" and not inst.startswith(("ld", "cp")) else "shared" if ".shared" in inst else "global"
            counts[cls] += 1
    return found


def estimated_registers(weir, ptx):
    text = subprocess.run([weir, "ptx", "info", ptx], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1]: int(line.split()[5]) for line in text.splitlines()[2:] if ".func" not in line}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("weir")
    p.add_argument("--ptxas", default="/usr/local/cuda/bin/ptxas")
    p.add_argument("program", nargs="*")
    args = p.parse_args()
    suite = os.path.join(ROOT, "suite")
    programs = args.program or sorted(d for d in os.listdir(suite) if os.path.exists(os.path.join(suite, d, d + ".cu")))
    rows, sums, off, regs_off = [], {c: [0, 0] for c in CLASSES}, [], []
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            ptx, cubin = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
            source = os.path.join(suite, program, program + ".cu")
            with open(os.path.join(suite, program, "program.ini")) as f:
                flags = re.search(r"^flags\s*=\s*(.*)", f.read(), re.MULTILINE)
            subprocess.run([args.weir, "cc", *(flags.group(1).split() if flags else []), "-I", os.path.join(suite, "common"), "-ptx", source,
                            "-o", ptx], check=True)
            with open(ptx) as f:
                arch = "sm_90a" if re.search(r"^\.target sm_90a", f.read(), re.MULTILINE) else "sm_90"
            said = subprocess.run([args.ptxas, "-v", "-arch=" + arch, ptx, "-o", cubin], check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True).stdout
            registers, kernel = {}, None
            for line in said.splitlines():
                m = re.search(r"Compiling entry function '(\S+)'", line)
                kernel = m.group(1) if m else kernel
                m = re.search(r"Used (\d+) registers", line)
                if m:
                    registers[kernel] = int(m.group(1))
            theirs, mine, estimate = sass(cubin), ours(args.weir, ptx), estimated_registers(args.weir, ptx)
        for kernel in sorted(set(theirs) & set(mine)):
            a, b = sum(theirs[kernel].values()), sum(mine[kernel].values())
            for c in CLASSES:
                sums[c][0] += theirs[kernel][c]
                sums[c][1] += mine[kernel][c]
            off.append(abs(b / a - 1))
            regs_off.append(abs(estimate[kernel] - registers[kernel]))
            rows.append((program, kernel, a, b, "%.2f" % (b / a), registers[kernel], estimate[kernel]))
    print("# %d kernels of the suite, the same PTX (clang): static instructions and registers of ptxas for sm_90 and of weir. Made by ptxas.py." %
          len(rows))
    print("program\tkernel\tptxas_instructions\tweir_instructions\tratio\tptxas_registers\tweir_registers")
    for row in rows:
        print("\t".join(map(str, row)))
    print("static instructions off by %.0f%% on average, registers by %.1f" %
          (100 * sum(off) / len(off), sum(regs_off) / len(regs_off)), file=sys.stderr)
    for c in CLASSES:
        print("%s: ptxas %d, weir %d" % (c, *sums[c]), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
