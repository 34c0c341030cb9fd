#!/usr/bin/env python3
"""Writes a recording as Accel-Sim's tracer would have written it: 'weir trace dump' on standard input, a folder of traces out.

Every PTX instruction becomes a SASS instruction of the same class that names its registers one by one, so that the
recording made of the traces must be timed as the one that was dumped.

    weir trace info --json app.wt >info.json; weir trace dump app.wt | import_from_dump.py info.json FOLDER
"""
import json, os, re, sys

SASS = [(r"ld\.param", "LDC"), (r"ld\.global", "LDG{w}.SYS"), (r"ld\.shared", "LDS{w}"), (r"ld\.local", "LDL{w}"),
        (r"ld\.const", "LDC{w}"), (r"st\.global", "STG{w}.SYS"), (r"st\.shared", "STS{w}"), (r"st\.local", "STL{w}"),
        (r"bar|barrier", "BAR.SYNC"), (r"bra", "BRA"), (r"ret|exit", "EXIT"),
        (r"(mul.*|mad.*|fma.*|add|sub|neg|abs|min|max)\S*\.f64", None),
        (r"fma|mad\S*\.f32", "FFMA"), (r"(add|sub|setp\S*|neg)\S*\.f32", "FADD"), (r"mul\S*\.f32", "FMUL"),
        (r"(min|max|abs)\S*\.f32", "FMNMX"), (r"mad|dp4a", "IMAD"), (r"mul", "IMUL"), (r"(min|max|abs)", "IMNMX"),
        (r"setp|add|sub|shl|shr|shf|neg|bf|lop3|prmt|(and|or|xor|not)\.b", "IADD3"), (r"cvt\.", "I2F"),
        (r"mov|cvta|selp|(and|or|xor|not)\.pred", "MOV")]


def sass(ptx, width):
    for pattern, name in SASS:
        if re.match(pattern, ptx):
            if not name:
                break
            return name.format(w="." + str(8 * width) if width != 4 else "")
    sys.exit("no SASS for " + ptx)


def addresses(words, mask):
    """What stands behind 'space:width' in a dump, as a list (0), base and stride (1) or differences (2)."""
    lanes = [i for i in range(32) if mask >> i & 1]
    if len(words) > 1 and words[1] == "+":
        addr = [int(words[0], 16) + int(words[2]) * i for i in lanes]
    else:
        addr = [int(w, 16) for w in words if w.startswith("0x")]
    dense = lanes == list(range(lanes[0], lanes[0] + len(lanes)))
    steps = [b - a for a, b in zip(addr, addr[1:])]
    if dense and len(set(steps)) == 1:
        return "1 0x%x %d" % (addr[0], steps[0])
    if addr[0] & 128:  # both ways to write what has no stride
        return " ".join(["2 0x%x" % addr[0]] + [str(s) for s in steps])
    return " ".join(["0"] + ["0x%016x" % a for a in addr])


def instruction(line):
    body = line.split()
    pc, mask, ptx = int(body[1]), int(body[2], 16), body[3]
    rest = body[4:]
    regs = [[], []]
    side = 0
    while rest and (rest[0] == "<-" or re.fullmatch(r"r\d+", rest[0])):
        word = rest.pop(0)
        if word == "<-":
            side = 1
        else:
            regs[side].append("R" + word[1:])
    width, mem = 4, "0"
    if rest and re.match(r"(global|shared|local|const):", rest[0]):
        width = int(rest[0].split(":")[1])
        mem = "%d %s" % (width, addresses(rest[1:], mask))
    text = ["%04x" % (16 * pc), "%08x" % mask, str(len(regs[0])), *regs[0], sass(ptx, width), str(len(regs[1])), *regs[1]]
    return " ".join(text + [mem])


def main():
    info, folder = json.load(open(sys.argv[1])), sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    ctas, launch, cta = {}, -1, None
    for line in sys.stdin:
        if line.startswith("launch "):
            launch = int(line.split()[1].rstrip(":"))
        elif line.startswith(" cta "):
            cta = ctas.setdefault(launch, {}).setdefault(int(line.split()[1]), {})
        elif line.startswith("  w"):
            cta.setdefault(int(line.split()[0][1:]), []).append(instruction(line))
    names = []
    for number, blocks in sorted(ctas.items()):
        l = info["launches"][number]
        k, g, b = info["kernels"][l["kernel"]], l["grid"], l["block"]
        names.append("kernel-%d.traceg" % (number + 1))
        out = open(os.path.join(folder, names[-1]), "w")
        out.write("-kernel name = %s\n-kernel id = %d\n-grid dim = (%d,%d,%d)\n-block dim = (%d,%d,%d)\n"
                  % (k["name"], number + 1, *g, *b))
        out.write("-shmem = %d\n-nregs = %d\n-binary version = 70\n-cuda stream id = %d\n-shmem base_addr = 0x00007f0000000000\n"
                  "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5\n-accelsim tracer version = 3\n\n"
                  % (k["shared_bytes"] + l["dynamic_shared_bytes"], k["registers"], l["stream"]))
        out.write("#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n")
        for n, warps in sorted(blocks.items()):
            out.write("\n#BEGIN_TB\n\nthread block = %d,%d,%d\n" % (n % g[0], n // g[0] % g[1], n // g[0] // g[1]))
            for w, insts in sorted(warps.items()):
                out.write("\nwarp = %d\ninsts = %d\n%s\n" % (w, len(insts), "\n".join(insts)))
            out.write("\n#END_TB\n")
        out.close()
    open(os.path.join(folder, "kernelslist.g"), "w").write("\n".join(names) + "\n")


main()
