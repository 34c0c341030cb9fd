#!/usr/bin/env python3
"""Runs weir swcache transform on mutated CUDA sources.

usage: sources.py WEIR ROOT [--n N] [--seed S] [--keep DIR] [--compile-each K] [--made-by WEIR] [--only NAME]

Each of N seeds (default 40) takes a source of the suite, the applications of the software cache, the end-to-end tests or
the transformer's own cases, and mutates it once to four times. Half of the seeds take mutations after which the source is
a program still (line endings, comments in every gap, macros around a loop, other names), so that the mutated text also
reaches the last steps of the transformer. Whatever comes in, a run
  - ends in time, with status 0 or 2, and with 2 says what is wrong in weir's words;
  - leaves the output file as it was, or whole;
  - leaves nothing in the folder for temporary files;
  - writes text that compiles, for device and host, wherever its input does (tried for each K-th output that differs from
    its input, default every one; by --made-by, a plain build, where WEIR has sanitizers in it).
Exit status: 0 nothing found, 1 something.
"""
import argparse
import glob
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 240  # of one command; generous, because a loaded machine is no finding
OLD = b"what was there before\n"
REPORT = re.compile(r"runtime error:|ERROR: AddressSanitizer|internal error at")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|<<<|>>>|[A-Za-z_]\w*|\.?\d[\w.]*|\s+|.', re.S)
ODD = ["\0", "\ufeff", "\u200b", "\u00e9", "\u4e2d", "\U0001f600", "\udcff", "\udcc0\udc80", "\f", "\v", "\r", "\x1a", "\\\n",
       "??/\n", "%:", "<:", ":>", "<%", "%>", "`", "@", "$", "#", "##", "\"", "'", "R\"x(", "/*", "*/", "//", "\\", "{", "}",
       "(", ")", "[", "]", "<<<", ">>>", ";", ",", "::", "...", "&&", "*", "&", "->", "=", "?", ":"]
WORDS = ["for", "while", "do", "if", "else", "return", "break", "continue", "goto", "switch", "case", "default", "template",
         "typename", "auto", "const", "volatile", "__restrict__", "__global__", "__device__", "__shared__", "__syncthreads()",
         "threadIdx.x", "blockIdx", "sizeof", "static", "extern", "struct", "namespace", "using", "int", "float *", "void",
         "constexpr", "asm", "[&]", "operator", "this", "0", "1", "-1", "0xffffffff", "1e400f", "9999999999999999999999"]


def tokens(text):
    return TOKEN.findall(text)


def places(t, kind=r"\S"):
    return [i for i, x in enumerate(t) if re.match(kind, x)] or [0]


# ---- mutations of any kind: most results are no programs ----
def drop(text, rng):
    t = tokens(text)
    at, n = rng.choice(places(t)), rng.choice([1, 1, 1, 2, 5, 30])
    return "".join(t[:at] + t[at + n:])


def double(text, rng):
    t = tokens(text)
    at, n = rng.choice(places(t)), rng.choice([1, 1, 2, 10, 60])
    return "".join(t[:at + n] + t[at:at + n] * rng.choice([1, 1, 3]) + t[at + n:])


def swap(text, rng):
    t = tokens(text)
    kind = rng.choice([r"\S", r"[A-Za-z_]", r"[\d.]", r"[-+*/<>=&|]"])
    a, b = rng.choice(places(t, kind)), rng.choice(places(t, kind))
    t[a], t[b] = t[b], t[a]
    return "".join(t)


def replace(text, rng):
    t = tokens(text)
    t[rng.choice(places(t))] = rng.choice(ODD + WORDS)
    return "".join(t)


def insert(text, rng):
    t = tokens(text)
    t.insert(rng.choice(places(t)), " " + rng.choice(ODD + WORDS) + " ")
    return "".join(t)


def cut(text, rng):
    return text[:rng.randrange(len(text) + 1)]


def zeros(text, rng):
    at = rng.randrange(len(text) + 1)
    return text[:at] + "\0" * rng.choice([1, 1, 100]) + text[at:]


def splice(text, rng):
    """The middle of one line runs into that of another."""
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    return "\n".join(lines[:a] + [lines[a][:len(lines[a]) // 2] + lines[b][len(lines[b]) // 2:]] + lines[b + 1:])


def directive(text, rng):
    lines = text.split("\n")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice([
        "#if 0", "#if 1", "#else", "#endif", "#line 1", '#line 7 "elsewhere.cu"', "#error no", "#pragma once", "#pragma unroll",
        '#include "source.cu"', '#include __FILE__', "#define for if (0) ; else for", "#define int long", "#define a b",
        "#define threadIdx blockIdx", "#undef __global__", "#define __global__", "#define E(", "#include", "#warning x", "#",
        "#define i j", "#define return (void)", "_Pragma(\"unroll\")", "#embed \"source.cu\""]))
    return "\n".join(lines)


def huge(text, rng):
    """An expression of very many terms."""
    t = tokens(text)
    at = rng.choice(places(t, r"[A-Za-z_\d]"))
    n = rng.choice([10, 300, 3000, 20000])
    t[at] = rng.choice([" + ", " * ", ", ", " ? 1 : ", " && ", "."]).join([t[at]] * n)
    return "".join(t)


def deep(text, rng):
    """Brackets, signs, blocks or loops in each other."""
    t = tokens(text)
    n = rng.choice([3, 50, 250, 300, 2000, 20000])
    kind = rng.randrange(6)
    if kind == 0:
        at = rng.choice(places(t, r"[A-Za-z_\d]"))
        t[at] = "(" * n + t[at] + ")" * n
    elif kind == 1:
        at = rng.choice(places(t, r"[A-Za-z_\d]"))
        t[at] = rng.choice(["- ", "!", "~", "*&", "(int)"]) * n + t[at]
    elif kind == 2:
        at = rng.choice(places(t, r"[{;]"))
        t[at] += "{" * n + "}" * n
    elif kind == 3:
        at = rng.choice(places(t, r"for\b|if\b|while\b"))
        t[at] = rng.choice(["if (1) ", "for (int z = 0; z < 1; z++) ", "while (0) ", "else "]) * min(n, 2000) + t[at]
    elif kind == 4:
        at = rng.choice(places(t, r"[;]"))
        t[at] = "; " + "".join("if (%d) {} else " % i for i in range(min(n, 5000))) + ";"
    else:
        at = rng.choice(places(t, r"[{;]"))
        t[at] += " struct { " * min(n, 2000) + "int q;" + " } q; " * min(n, 2000)
    return "".join(t)


# ---- mutations that leave a program what it is ----
def crlf(text, rng):
    return text.replace("\r", "").replace("\n", rng.choice(["\r\n", "\r\n", "\r\n", "\n\r\n"]))


def mark(text, rng):
    return "\ufeff" + text


def outside_directives(text, f):
    """Applies f to the tokens of each line that is no part of a directive or of a literal over several lines."""
    out, inside = [], False
    for line in text.split("\n"):
        goes_on = line.rstrip("\r").endswith("\\")
        if inside or goes_on or line.lstrip().startswith("#") or "/*" in line or "*/" in line or "R\"" in line:
            out.append(line)
        else:
            out.append("".join(f(tokens(line))))
        inside = goes_on
    return "\n".join(out)


def comments(text, rng):
    """A comment with brackets and quotes in it after many tokens."""
    what = rng.choice(["/* ) } ] */", "/*'*/", "/* \" */", "/**/", "/* >>> */", " /* a[i] */ ", "/*\u4e2d*/", "/*\n*/", " "])
    some = rng.choice([0.05, 0.3, 1])

    def f(t):
        return [x + what if re.match(r"[\w()\[\]{};,]", x) and rng.random() < some else x for x in t]
    return outside_directives(text, f)


def lines_apart(text, rng):
    """Every token on a line of its own."""
    def f(t):
        return [x + "\n" if not x.isspace() and not x.startswith("//") else x for x in t]
    return outside_directives(text, f)


def continued(text, rng):
    """Lines that end in a backslash where a blank was."""
    def f(t):
        return ["\\\n" + x if x.isspace() and rng.random() < 0.1 else x for x in t]
    return outside_directives(text, f)


def rename(text, rng):
    """One name becomes another everywhere: long, of other letters, or like one that the transformer would choose."""
    names = [x for x in set(tokens(text)) if re.match(r"[a-z_]\w*$", x) and text.count(x) < 200]
    if not names:
        return text
    old = rng.choice(sorted(names))
    new = rng.choice([old + "_cached", "line", "cache", "swcache_lines", "n" * 3000, "\u4e2d\u6587", "\u00e9t\u00e9", "_0",
                      "run", "i", "slot", "body", "tuner", "launch", "first", "last", "index"])
    return "".join(new if x == old else x for x in tokens(text))


def macro(text, rng):
    """Part of the text comes from a macro: a name, a statement's end, a loop's head."""
    what = rng.randrange(5)
    if what == 0:
        t = tokens(text)
        at = rng.choice(places(t, r"[a-z_]\w*$"))
        name, t[at] = t[at], "M_NAME"
        return "#define M_NAME " + name + "\n" + "".join(t)
    if what == 1:
        return "#define M_ID(x) x\n" + re.sub(r"\b(\w+)\[(\w+)\]", r"M_ID(\1[\2])", text, count=rng.choice([1, 3, 0]))
    if what == 2:
        return "#define M_AT(x, y) x[y]\n" + re.sub(r"\b(\w+)\[(\w+)\]", r"M_AT(\1, \2)", text, count=rng.choice([1, 3, 0]))
    if what == 3:
        return "#define M_FOR for\n" + re.sub(r"\bfor\b", "M_FOR", text, count=rng.choice([1, 0]))
    return "#define M_BEGIN {\n#define M_END }\n" + outside_directives(
        text, lambda t: [{"{": " M_BEGIN ", "}": " M_END "}.get(x, x) for x in t])


def again(text, rng):
    """All of it once more, in a namespace."""
    lines = text.split("\n")
    head = [x for x in lines if x.lstrip().startswith("#include")]
    body = [x for x in lines if not x.lstrip().startswith("#include")]
    return "\n".join(head + ["namespace twice {"] + body + ["}"] + body)


def spaced(text, rng):
    return text.replace("<<<", "<< <").replace(">>>", ">> >")


def padded(text, rng):
    return "\n" * rng.choice([1, 70000]) + " " * rng.choice([0, 100000]) + text + rng.choice(["", "\\", " " * 70000, "//"])


def terms(text, rng):
    """A sum of many equal terms instead of an access: compiles, and asks every analysis for all of them."""
    found = list(re.finditer(r"(?<![\w.>])([a-z]\w*\[[\w+* ]+\])(?= *[;)+*,-])", text))
    if not found:
        return text
    m = rng.choice(found)
    return text[:m.start()] + "(" + " + ".join([m.group()] * rng.choice([2, 50, 1000, 6000])) + ")" + text[m.end():]


def nested(text, rng):
    """A loop inside loops that run once."""
    found = list(re.finditer(r"\bfor *\(", text))
    if not found:
        return text
    at = rng.choice(found).start()
    return text[:at] + "".join("for (int z%d = 0; z%d < 1; z%d++) " % (k, k, k) for k in range(rng.choice([1, 3, 20, 100]))) + text[at:]


ANY = [drop, double, swap, replace, insert, cut, zeros, splice, directive, huge, deep]
KEEP = [crlf, mark, comments, lines_apart, continued, rename, macro, again, spaced, padded, terms, nested]
OPTIONS = [[], [], ["--all"], ["--all", "--alias-safe"], ["--all", "--slices"], ["--all", "--no-scans"], ["--split=inner"]]


class Harness:
    def __init__(self, args):
        self.args = args
        self.found = self.runs = self.changed = self.compiled = self.refused = 0
        self.dir = tempfile.mkdtemp(prefix="weir-sources-")
        self.tmp = os.path.join(self.dir, "tmp")
        os.mkdir(self.tmp)
        self.env = dict(os.environ, TMPDIR=self.tmp, UBSAN_OPTIONS="halt_on_error=1",
                        ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1"))
        self.files = sorted(f for pattern in ("suite/*/*.cu", "swcache/apps/*/*.cu", "swcache/tests/transform/*/*.cu",
                                              "tests/e2e/*.cu", "swcache/tests/*.cu")
                            for f in glob.glob(os.path.join(args.root, pattern)))
        self.compiler = {}

    def path(self, name):
        return os.path.join(self.dir, name)

    def compiles(self, source, folder):
        """Both passes of weir cc understand it. Its commands are those of --dry-run, with -fsyntax-only."""
        weir = self.args.made_by or self.args.weir
        said = subprocess.run([weir, "cc", "--dry-run", "-c", "-I", folder, "-I", self.dir, "-o", "none.o", source],
                              env=self.env, capture_output=True, text=True, errors="replace", cwd=self.dir)
        for line in said.stderr.splitlines():
            words = shlex.split(line)
            words = words[:words.index("-o")] + ["-fsyntax-only", "-w"] if "-o" in words else words
            words = [w for w in words if w not in ("-S", "-c")]
            if "-fcuda-include-gpubinary" in words:
                at = words.index("-fcuda-include-gpubinary")
                del words[at - 1:at + 3]
            r = subprocess.run(words, env=self.env, capture_output=True, text=True, errors="replace", cwd=self.dir,
                               timeout=TIME_LIMIT_S)
            if r.returncode:
                return r.stderr
        return None

    def judge(self, source, folder, options):
        """What is wrong with one run, or None."""
        output = self.path("output.cu")
        with open(output, "wb") as f:
            f.write(OLD)
        self.runs += 1
        try:
            r = subprocess.run([self.args.weir, "swcache", "transform", *options, "-I", folder, "-I", self.dir, source, "-o", output],
                               env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT_S, cwd=self.dir)
        except subprocess.TimeoutExpired:
            return f"did not end in {TIME_LIMIT_S} s", ""
        said = (r.stdout + r.stderr).decode(errors="replace")
        with open(output, "rb") as f:
            text = f.read()
        left = os.listdir(self.tmp)
        for name in left:
            shutil.rmtree(os.path.join(self.tmp, name), ignore_errors=True)
        if REPORT.search(said):
            return "reported an error of its own", said
        if r.returncode not in (0, 2):
            return f"ended with status {r.returncode}", said
        if left:
            return f"left {left} among the temporary files", said
        if r.returncode == 2:
            self.refused += 1
            if not re.search(r"^weir: \S", said, re.M):
                return "status 2 without a word of weir's", said
            return (None, "") if text == OLD else ("status 2, and the output that was there is gone", said)
        with open(source, "rb") as f:
            before = f.read()
        if text == before:
            return None, ""
        if text == OLD:
            return "status 0 and no output", said
        self.changed += 1
        if self.changed % self.args.compile_each:
            return None, ""
        self.compiled += 1
        wrong = self.compiles(output, folder)
        if wrong and not self.compiles(source, folder):
            return "what it wrote does not compile", wrong
        return None, ""

    def one(self, seed):
        rng = random.Random(f"source {seed}")
        origin = rng.choice(self.files)
        with open(origin, encoding="utf-8", errors="surrogateescape") as f:
            text = f.read()
        done = []
        for _ in range(rng.choice([1, 1, 2, 4])):
            how = rng.choice(KEEP if seed % 2 else ANY)
            if self.args.only and how.__name__ != self.args.only:
                how = globals()[self.args.only]
            text = how(text, rng)
            done.append(how.__name__)
        options = rng.choice(OPTIONS)
        source = self.path("source.cu")
        with open(source, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
            f.write(text[:3 << 20])
        why, said = self.judge(source, os.path.dirname(origin), options)
        if not why:
            return
        self.found += 1
        print(f"FOUND {seed}: {os.path.relpath(origin, self.args.root)} {'+'.join(done)} {' '.join(options)}: {why}", flush=True)
        print("\n".join("    " + line[:300] for line in (said.splitlines()[:20] if "compile" in why else said.splitlines()[-30:])))
        if self.args.keep:
            os.makedirs(self.args.keep, exist_ok=True)
            shutil.copy(source, os.path.join(self.args.keep, f"source-{seed}.cu"))
            if os.path.exists(self.path("output.cu")):
                shutil.copy(self.path("output.cu"), os.path.join(self.args.keep, f"source-{seed}.out.cu"))


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    for name in ("weir", "root"):
        p.add_argument(name, type=os.path.abspath)
    p.add_argument("--n", type=int, default=40)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--keep", type=os.path.abspath)
    p.add_argument("--made-by", type=os.path.abspath)
    p.add_argument("--compile-each", type=int, default=1)
    p.add_argument("--only", choices=[f.__name__ for f in ANY + KEEP])
    h = Harness(p.parse_args())
    try:
        for seed in range(h.args.seed, h.args.seed + h.args.n):
            h.one(seed)
        print(f"{h.runs} mutated sources, {h.refused} refused, {h.changed} transformed, {h.compiled} of those compiled again: "
              f"{h.found} findings")
    finally:
        shutil.rmtree(h.dir)
    return 1 if h.found else 0


if __name__ == "__main__":
    sys.exit(main())
