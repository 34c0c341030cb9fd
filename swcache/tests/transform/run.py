#!/usr/bin/env python3
"""Tests of weir swcache transform.

usage: run.py --weir PATH --out DIR [--update] [--full] MODE NAME...

  case NAME     cases/NAME.cu: the transformed text is cases/NAME.golden; it and the plain program print the same, as the
                library decides, and with all accesses rewritten and caching forced, also in other forms; with --full also
                when launches choose, and with inner loops and longer lines. --update writes the golden text.
  declined NAME declined/NAME.cu: the text comes out as it went in
  corpus FILE   transformed as it comes, with every access rewritten, and with aliases allowed, a program prints and ends as
                before (FILE is any .cu file that is a program, or an application's plain.cu in swcache/apps)
  broken        inputs that are no CUDA programs, or none that can be read

A line of a case with "// says: RE" must get a note that fits; "// options:" on the first line adds options.
Exit status: 0 passed, 1 failed.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TIME_LIMIT_S = 240
DECIDES = ["-DSWCACHE_TUNE=0"]  # always the cached kernel, which decides by its monitoring
ALWAYS = DECIDES + ["-DSWCACHE_ALWAYS=1"]  # and caches whatever has room


class Failed(Exception):
    pass


def call(command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIME_LIMIT_S, **options)
    except subprocess.TimeoutExpired:
        raise Failed("no end after %d s: %s" % (TIME_LIMIT_S, " ".join(command)))


def read(path):
    with open(path, newline="") as f:
        return f.read()


def options_of(source):
    m = re.match(r"// options: (.*)", read(source))
    return m.group(1).split() if m else []


def transform(args, source, output, extra=()):
    done = call([args.weir, "swcache", "transform", source, "-o", output, *options_of(source), *extra])
    if done.returncode not in (0, 2):
        raise Failed("transform ended with %d: %s" % (done.returncode, done.stderr))
    return done


def check_notes(source, stderr):
    notes = re.findall(r"^[^\n:]*:(\d+):\d+: (.*)$", stderr, re.M)
    for number, line in enumerate(read(source).split("\n"), 1):
        m = re.search(r"// says: ?(.*)", line)
        if m and not any(int(at) == number and re.search(m.group(1), text) for at, text in notes):
            raise Failed("no note in line %d says %r; there were:\n%s" % (number, m.group(1), stderr))


def compile_and_run(args, source, folder, program, flags=()):
    built = call([args.weir, "cc", "-O1", "-I", folder, *flags, source, "-o", program])
    if built.returncode:
        raise Failed("does not compile: %s\n%s" % (source, built.stderr))
    ran = call([args.weir, "run", "--functional", program], cwd=args.out)
    return ran.returncode, ran.stdout, ran.stderr


def same_results(args, name, folder, plain, variants):
    expected = compile_and_run(args, plain, folder, os.path.join(args.out, name + ".plain"))
    for what, source, flags in variants:
        got = compile_and_run(args, source, folder, os.path.join(args.out, name + "." + what), flags)
        if got[:2] != expected[:2]:
            raise Failed("%s: the plain program gave %r,\nthe transformed one %r" % (what, expected, got))
    return expected


def case(args, name):
    source, golden = (os.path.join(HERE, "cases", name + end) for end in (".cu", ".golden"))
    output = os.path.join(args.out, name + ".cu")
    done = transform(args, source, output)
    if done.returncode:
        raise Failed(done.stderr)
    check_notes(source, done.stderr)
    if args.update:
        with open(golden, "w", newline="") as f:
            f.write(read(output))
    wanted, got = read(golden), read(output)
    if wanted != got:
        raise Failed("".join(difflib.unified_diff(wanted.splitlines(1), got.splitlines(1), golden, output)))
    everything = os.path.join(args.out, name + ".all.cu")
    transform(args, source, everything, ["--all"])
    variants = [("decides", output, DECIDES), ("all", everything, ALWAYS)]
    for form in ["slices", "no-scans"]:
        other = os.path.join(args.out, name + "." + form + ".cu")
        transform(args, source, other, ["--all", "--" + form])
        if read(other) != read(everything):
            variants.append((form, other, ALWAYS))
    if args.full:
        inner = os.path.join(args.out, name + ".inner.cu")
        transform(args, source, inner, ["--split=inner"])
        variants += [("tunes", output, []), ("always", output, ALWAYS),
                     ("inner", inner, ALWAYS + ["-DSWCACHE_LINE_BYTES=64"])]
    expected = same_results(args, name, os.path.dirname(source), source, variants)
    if expected[0] or not expected[1]:
        raise Failed("the plain program fails: %r" % (expected,))


def declined(args, name):
    source = os.path.join(HERE, "declined", name + ".cu")
    output = os.path.join(args.out, name + ".cu")
    done = transform(args, source, output)
    if done.returncode:
        raise Failed(done.stderr)
    check_notes(source, done.stderr)
    if read(output) != read(source):
        raise Failed("something was transformed:\n" + "".join(difflib.unified_diff(
            read(source).splitlines(1), read(output).splitlines(1), source, output)))
    if "nothing was transformed" not in done.stderr:
        raise Failed("did not say that nothing was transformed: " + done.stderr)


# How a program that nobody wrote for this is transformed: as it comes, every access that may be, and pointers that may
# overlap too.
WAYS = [("as-is", [], DECIDES), ("all", ["--all"], ALWAYS), ("aliases", ["--all", "--alias-safe"], ALWAYS)]


def app_prints(args, name, folder, sources, flags):
    """An application of swcache/apps compares its variants, bit for bit, by itself."""
    program = os.path.join(args.out, name)
    objects = []
    for k, (source, variant) in enumerate(sources):
        objects.append("%s.%d.o" % (program, k))
        built = call([args.weir, "cc", "-O1", "-I", folder, "-DAPP_VARIANT_NAME=\"%s\"" % variant, *flags, "-c", source,
                      "-o", objects[-1]])
        if built.returncode:
            raise Failed("does not compile: %s\n%s" % (source, built.stderr))
    linked = call([args.weir, "cc", *objects, "-o", program])
    if linked.returncode:
        raise Failed(linked.stderr)
    ran = call([args.weir, "run", "--functional", program, "--size", "tiny"], cwd=args.out)
    if ran.returncode:
        raise Failed("the variants differ: " + ran.stdout + ran.stderr)


def corpus(args, path):
    name = re.sub(r"\W", "_", os.path.relpath(path, os.path.dirname(os.path.dirname(os.path.dirname(HERE)))))
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    variants = []
    for what, options, flags in WAYS:
        output = os.path.join(args.out, "%s.%s.cu" % (name, what))
        done = transform(args, path, output, [*options, "-I", folder])
        if done.returncode:
            raise Failed(done.stderr)
        text = read(output)
        if text != read(path) and not any(text == read(v[1]) and flags == v[2] for v in variants):
            variants.append((what, output, flags))
    if not variants:
        return "unchanged"
    app = os.path.join(folder, "app.cu")
    if os.path.exists(app):
        for what, output, flags in variants:
            app_prints(args, name, folder, [(app, ""), (path, "plain"), (output, "auto")], flags)
    else:
        same_results(args, name, folder, path, variants)
    return "changed: " + ", ".join(v[0] for v in variants)


def broken(args, _):
    def expect(status, what, *words):
        done = call([args.weir, "swcache", *words])
        if done.returncode != status or not re.search(what, done.stderr):
            raise Failed("%r ended with %d and said %r" % (words, done.returncode, done.stderr))
        return done.stderr

    def write(name, text):
        path = os.path.join(args.out, name)
        with open(path, "wb") as f:
            f.write(text)
        return path

    none = os.path.join(args.out, "none.out")
    expect(2, "cannot open", "transform", "no_such_file.cu")
    expect(2, "did you mean 'transform'", "transmogrify")
    expect(2, "no input file", "transform")
    expect(2, "one file", "transform", write("a.cu", b""), write("b.cu", b""))
    expect(2, "not one of auto", "transform", "--split=none", "a.cu")
    expect(2, "cannot (write|create)", "transform", write("a.cu", b"int a;\n"), "-o", "/no/such/folder/a.cu")
    expect(2, r"broken.cu:1:\d+: .", "transform", write("broken.cu", b"__global__ void k( {\n"), "-o", none)
    expect(2, r"fatal|not found", "transform", write("include.cu", b'#include "not_there.h"\n'), "-o", none)
    expect(2, "not a text file", "transform", write("zero.cu", b"int a;\0\n"), "-o", none)
    expect(2, ".", "transform", args.out)
    expect(0, "nothing was transformed", "transform", write("empty.cu", b""), "-o", none)
    expect(0, "nothing was transformed", "transform", write("plain.cu", b"int main() { return 0; }"), "-o", none)
    write("kernels.h", b"__global__ void k(const int *__restrict__ a, int *b, int n)\n{\n    int s = 0;\n"
          b"    for (int i = 0; i < n; i++)\n        s += a[threadIdx.x * n + i];\n    b[threadIdx.x] = s;\n}\n")
    expect(0, r"kernels.h:1:\d+: k: kernel not transformed: it is in another file", "transform",
           write("uses.cu", b'#include "kernels.h"\n'), "-o", none)
    # A byte-order mark stays in front of everything, also of the header that the transformer adds.
    kernel = read(os.path.join(args.out, "kernels.h")).encode()
    marked, output = write("marked.cu", b"\xef\xbb\xbf" + kernel), os.path.join(args.out, "marked.out.cu")
    expect(0, "1 loop of 1 kernel split", "transform", marked, "-o", output)
    with open(output, "rb") as f:
        text = f.read()
    if text[:3] != b"\xef\xbb\xbf" or text.count(b"\xef\xbb\xbf") != 1 or b"swcache_auto.cuh" not in text:
        raise Failed("a byte-order mark does not stay in front: %r" % text[:80])
    done = call([args.weir, "cc", "-c", output, "-o", none])
    if done.returncode:
        raise Failed("after a byte-order mark the text does not compile: %s" % done.stderr)
    # The work for an expression of N terms, whose tree is N levels deep: each node is looked at a few times, and a few
    # times the analyses walk from a term up to its loop. Today that makes 90 million nodes looked at for 5,000 terms.
    for n_term in (500, 5000):
        terms = b" + ".join([b"a[threadIdx.x * n + i]"] * n_term)
        said = expect(0, "1 loop of 1 kernel split", "transform", "-v",
                      write("terms.cu", kernel.replace(b"a[threadIdx.x * n + i]", terms)), "-o", none)
        nodes, visits = map(int, re.search(r"(\d+) nodes of syntax trees, visited (\d+) times", said).groups())
        if nodes < 10 * n_term or visits > 5 * n_term**2 + 100 * nodes:
            raise Failed("%d terms: %d nodes were visited %d times" % (n_term, nodes, visits))
    # What nests deeper than the analyses can descend is refused.
    expect(2, r"deep.cu:5:\d+: nested deeper than 10000 levels", "transform",
           write("deep.cu", kernel.replace(b"a[threadIdx.x * n + i]", b" + ".join([b"a[i]"] * 20000))), "-o", none)
    # Whatever is cut off, the transformer ends in order.
    for case, step in [("control", 397), ("scans", 997), ("templates", 499)]:
        whole = read(os.path.join(HERE, "cases", case + ".cu")).encode()
        for cut in range(200, len(whole), step):
            done = call([args.weir, "swcache", "transform", "-I", os.path.join(HERE, "cases"),
                         write("cut.cu", whole[:cut]), "-o", none])
            if done.returncode not in (0, 2):
                raise Failed("%s cut at %d: status %d: %s" % (case, cut, done.returncode, done.stderr))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--weir", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("mode", choices=["case", "declined", "corpus", "broken"])
    parser.add_argument("name", nargs="*", default=[""])
    args = parser.parse_args()
    args.weir, args.out = os.path.abspath(args.weir), os.path.abspath(args.out)
    os.makedirs(args.out, exist_ok=True)
    failed = 0
    for name in args.name:
        try:
            print("passed: %s %s" % (name, globals()[args.mode](args, name) or ""), flush=True)
        except Failed as e:
            failed += 1
            print("FAILED: %s: %s" % (name, e), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
