#!/usr/bin/env python3
"""Runs every command line of weir that README, docs and --help show, and compares the outputs that are shown.

usage: documented.py WEIR ROOT APP RECORDING [--tutorial] [--update] [--only TEXT] [--list]

Command lines stand in indented or fenced blocks of the Markdown files, after "$ " with their output below, or alone; and
under "Example" in each command's help. They run in a folder with files of the customary names (./app, app.wt, kernel.cu,
plan.ini ...), in the order of the text. Those that would compile and simulate programs of the suite get a compiler that
only says so: their words are judged then, and nothing else; an output that is shown is always the real one.

Of an output each shown line must be printed, in this order; "..." stands for lines that are left out. Words must be equal;
numbers may differ by TOLERANCE, because they move when a machine is measured better. --update writes what is printed now
into the files. Text in the comment <!-- before: COMMAND --> in front of a block is run first; after
<!-- not here: REASON --> the next block is left out; <!-- file: NAME --> writes it.

--tutorial follows docs/tutorial instead, as its reader does: in an empty folder, and everything is compiled and simulated.
Exit status: 0 all as shown, 1 not.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOLERANCE = 0.2
TIME_LIMIT_S = 300
NO_COMPILER = "documented.py: nothing is compiled here"
# What would take minutes at full size. `suite list` and similar commands run as they are.
LONG = re.compile(r"weir (suite (run|check)|sweep|reproduce|report|analyze (-\S+ \S+ )*(bfs|--all|--classes)|profile .*\bbfs)\b|weir analyze --(all|classes|json bfs)")
# What may be missing on a machine that runs the tests: said in these words, a command counts as judged.
MISSING = re.compile(r"Slurm does not answer|Slurm's commands were not found|no CUDA-capable GPU found|nvcc is not installed|nvcc was not found|there is no recording of|no result with the key")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ELSEWHERE = {"docs/add-a-policy.md": "the test add_a_policy follows it to the letter"}
TUTORIAL = ["docs/tutorial/*.md"]
FILES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/papers/*.md", "docs/results/*.md"]


class Block:
    """Lines of code in a file, and the comments in front of it."""
    def __init__(self, path, first, lines, indent, marks):
        self.path, self.first, self.lines, self.indent, self.marks = path, first, lines, indent, marks


def blocks(path, text):
    lines = text.split("\n")
    i, marks = 0, []
    while i < len(lines):
        line = lines[i]
        mark = re.match(r"<!-- (before|not here|file): (.*) -->$", line.strip())
        if mark:
            marks.append(mark.groups())
        elif line.startswith("```"):
            k = i + 1
            while k < len(lines) and not lines[k].startswith("```"):
                k += 1
            yield Block(path, i + 1, lines[i + 1:k], 0, marks)
            i, marks = k, []
        elif line.startswith("    ") and (i == 0 or not lines[i - 1].strip() or lines[i - 1].startswith("<!--")):
            k = i
            while k < len(lines) and (lines[k].startswith("    ") or (not lines[k].strip() and k + 1 < len(lines) and lines[k + 1].startswith("    "))):
                k += 1
            yield Block(path, i, [x[4:] for x in lines[i:k]], 4, marks)
            i, marks = k - 1, []
        elif line.strip():
            marks = []
        i += 1


def is_command(line):
    return re.match(r"(\$ )?(build/)?weir (--|[a-z])", line) and not re.match(r"weir \w+ [a-z]+ .*[a-z]: |weir [a-z]+s ", line)


def without_comment(line):
    """A # after two blanks begins a remark."""
    return re.sub(r"\s\s+#.*", "", line).strip()


def commands(block):
    """(command, shown output or None, number of its first line, of the last of its output)."""
    i = 0
    while i < len(block.lines):
        line = block.lines[i]
        if is_command(line):
            shown = None
            k = i + 1
            if line.startswith("$ "):
                while k < len(block.lines) and not block.lines[k].startswith("$ "):
                    k += 1
                shown = block.lines[i + 1:k]
            yield without_comment(line.removeprefix("$ ")), shown, i, k
            i = k
        else:
            i += 1


def help_examples(weir, command):
    text = subprocess.run([weir, command, "--help"], capture_output=True, text=True, check=True).stdout
    tail = text[text.find("\nExample"):] if "\nExample" in text else ""
    out = []
    for line in tail.split("\n")[2:]:
        if line.startswith("  ") and line.strip().startswith("weir "):
            out.append(line.strip())
        elif out and line and not line.startswith(" ") and not re.match(r"[A-Z]", line) and out[-1] is not None:
            out[-1] += " " + line.strip()  # argp folds long lines
        else:
            out.append(None)
    return [without_comment(x) for x in out if x]


class Tester:
    def __init__(self, args):
        self.args = args
        self.bad = self.ran = self.judged = self.compared = 0
        self.dir = tempfile.mkdtemp(prefix="weir-documented-")
        self.env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.dir, ".cache"), COLUMNS="80",
                        PATH=os.path.join(self.dir, ".bin") + ":" + os.environ["PATH"])
        os.mkdir(os.path.join(self.dir, ".bin"))
        os.mkdir(os.path.join(self.dir, "build"))
        for link in (".bin/weir", "build/weir"):
            os.symlink(args.weir, os.path.join(self.dir, link))
        if not args.tutorial:
            self.customary_files()

    def customary_files(self):
        args = self.args
        for name in ("bench", "tests", "tools", "suite", "configs", "docs", "examples", "swcache", "silicon"):
            os.symlink(os.path.join(args.root, name), os.path.join(self.dir, name))
        os.symlink(os.path.join(args.root, "silicon/probes"), os.path.join(self.dir, "results"))
        self.write("fake-clang", "#!/bin/sh\n[ \"$1\" = -dumpversion ] && { echo 19.1.0; exit 0; }\necho '%s' >&2\nexit 1\n" % NO_COMPILER)
        for name in ("app", "other", "vecadd", "matmul", "program"):
            shutil.copy(args.app, os.path.join(self.dir, name))
        for name in ("app.wt", "vecadd.wt"):
            shutil.copy(args.recording, os.path.join(self.dir, name))
        self.write("graph.txt", "")
        os.mkdir(os.path.join(self.dir, "traces"))
        shutil.copy(os.path.join(args.root, "tests/fuzz/corpus/accelsim/loop.traceg"), os.path.join(self.dir, "traces/kernel-1.traceg"))
        self.write("traces/kernelslist.g", "kernel-1.traceg\n")
        self.write("my.ini", "base = gtx480\n[l1]\nsize = 32KiB\n")
        for name in ("plan.ini", "my-plan.ini", "l1size.ini"):
            self.write(name, "[figure]\ntitle = L1 size\nprograms = bfs spmv\nmetric = ipc\nnormalize = 16KB\n"
                             "[variant 16KB]\nset = l1.size=16KiB\n[variant 32KB]\nset = l1.size=32KiB\n")
        for name in ("kernel.cu", "wordcount.cu"):
            self.write(name, "__global__ void k(const char *__restrict__ a, int *__restrict__ b, int n)\n{\n    int s = 0;\n"
                             "    for (int i = 0; i < n; i++)\n        s += a[threadIdx.x * n + i] == ' ';\n"
                             "    b[threadIdx.x] = s;\n}\nint main() { k<<<1, 32>>>(nullptr, nullptr, 0); }\n")
        shutil.copy(os.path.join(args.root, "bench/vecadd.cu"), os.path.join(self.dir, "vecadd.cu"))
        self.write("copy.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n")
        self.write("ncu.csv", '"ID","Kernel Name","sm__cycles_elapsed.max"\n"","","cycle"\n"0","gather","3,000"\n')
        shutil.copy(glob.glob(os.path.join(args.root, "configs/energy/*.ini"))[0], os.path.join(self.dir, "mine.ini"))
        os.mkdir(os.path.join(self.dir, "my-study"))
        shutil.copy(os.path.join(self.dir, "plan.ini"), os.path.join(self.dir, "my-study/fig1.ini"))
        if not args.list:
            self.shell("weir run -q --profile --json run.json ./app; weir sweep -o monday --set l1.size=16KiB,32KiB ./app;"
                       "cp .cache/weir/results.sqlite .; cp run.json .stand-in.json; cp results.sqlite before.sqlite;"
                       "cp results.sqlite after.sqlite; cp -r monday tuesday")

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)

    def shell(self, command, judge=False):
        env = dict(self.env, WEIR_CLANG=os.path.join(self.dir, "fake-clang")) if judge else self.env
        return subprocess.run(["sh", "-c", command], cwd=self.dir, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=TIME_LIMIT_S)

    def fail(self, where, command, why):
        self.bad += 1
        print(f"FAIL {where}: {command}: {why}", flush=True)

    def run(self, where, command, shown):
        """What it printed, or None when it did not do as it should."""
        if self.args.list:
            print(f"{where}: {command}")
            return None
        judge = shown is None and LONG.search(command) is not None and not self.args.tutorial
        if "plugin new" in command:
            for end in (".c", ".so", "_test.sh"):
                if os.path.exists(os.path.join(self.dir, "mine" + end)):
                    os.unlink(os.path.join(self.dir, "mine" + end))
        if not self.args.tutorial:
            self.stand_ins(command)
        r = self.shell(command, judge)
        said = r.stdout + r.stderr
        if judge and (NO_COMPILER in said or r.returncode == 0):
            self.judged += 1
        elif r.returncode == 0:
            self.ran += 1
        elif MISSING.search(said):
            self.judged += 1
        else:
            self.fail(where, command, f"status {r.returncode}: {said[-400:]}")
            return None
        return r.stdout + r.stderr if shown is not None else None

    def stand_ins(self, command):
        """Files that the command reads and that no command before it has written."""
        for word in command.split():  # documents of runs; what a command writes itself it may overwrite
            if re.fullmatch(r"[\w-]+\.json", word) and not os.path.exists(os.path.join(self.dir, word)):
                shutil.copy(os.path.join(self.dir, ".stand-in.json"), os.path.join(self.dir, word))
        if "weir export" in command:  # 'weir cache clean --results' may have come before
            os.makedirs(os.path.join(self.dir, ".cache/weir"), mode=0o700, exist_ok=True)
            shutil.copy(os.path.join(self.dir, "results.sqlite"), os.path.join(self.dir, ".cache/weir"))
        bfs = os.path.join(self.dir, "bfs")  # not always: 'weir analyze bfs' means the suite's
        if "./bfs" in command:
            shutil.copy(self.args.app, bfs)
        elif os.path.exists(bfs):
            os.unlink(bfs)

    def differs(self, shown, printed):
        """Which shown line is not printed; None = all are."""
        lines = iter(printed.split("\n"))
        for line in shown:
            if line.strip() in ("", "..."):
                continue
            words = NUMBER.sub("#", " ".join(line.split()))
            for got in lines:
                if NUMBER.sub("#", " ".join(got.split())) != words:
                    continue
                pairs = zip(NUMBER.findall(line), NUMBER.findall(got))
                if all(abs(float(a.replace(",", "")) - float(b.replace(",", ""))) <=
                       TOLERANCE * max(float(a.replace(",", "")), float(b.replace(",", ""))) + 0.11 for a, b in pairs):
                    break
                return f"'{line.strip()}' is now '{got.strip()}'"
            else:
                return f"'{line.strip()}' is not printed, or not in this order"
        return None

    def block(self, b):
        skipped = [m[1] for m in b.marks if m[0] == "not here"]
        for kind, what in b.marks:
            if kind == "before" and not skipped and not self.args.list and self.shell(what).returncode:
                self.fail(f"{b.path}:{b.first}", what, "fails, before the block")
            if kind == "file":
                os.makedirs(os.path.dirname(os.path.join(self.dir, what)), exist_ok=True)
                self.write(what, "\n".join(b.lines) + "\n")
        edits = []
        for command, shown, first, past in commands(b):
            where = f"{b.path}:{b.first + first + 1}"
            if skipped or self.args.only not in where + command:
                continue
            printed = self.run(where, command, shown)
            if printed is None or not any(x.strip() for x in shown):
                continue
            self.compared += 1
            why = self.differs(shown, printed)
            if why and self.args.update:
                n = len([x for x in shown if x.strip() != "..."])
                edits.append((first + 1, past, [x.rstrip() for x in printed.split("\n")[:n]] + [x for x in shown if x.strip() == "..."]))
            elif why:
                self.fail(where, command, why)
        for first, past, lines in edits[::-1]:
            b.lines[first:past] = lines
        return bool(edits)

    def file(self, name):
        path = os.path.join(self.args.root, name)
        with open(path) as f:
            text = f.read()
        all = [(b, len(b.lines), self.block(b)) for b in blocks(name, text)]
        for b, _, _ in all:
            self.scripts(b)
        lines = text.split("\n")
        for b, n, changed in all[::-1]:
            if changed:
                lines[b.first:b.first + n] = [" " * b.indent + x if x else "" for x in b.lines]
        if any(changed for _, _, changed in all):
            with open(path, "w") as f:
                f.write("\n".join(lines))

    def scripts(self, b):
        """Programs of the tree and targets of make that a block names are there."""
        for i, line in enumerate(b.lines):
            word = re.match(r"(\$ )?((?:tools|tests|bench|\.ci)/[\w./-]+|make [a-z]+\b)", line)
            if not word or self.args.list:
                continue
            name = word.group(2)
            if name.startswith("make "):
                with open(os.path.join(self.args.root, "Makefile")) as f:
                    there = re.search(r"^%s:" % name[5:], f.read(), re.M)
            else:
                there = os.access(os.path.join(self.args.root, name), os.X_OK)
            if not there:
                self.fail(f"{b.path}:{b.first + i + 1}", line.strip(), "is not there, or cannot be executed")

    def inline(self, name):
        """`weir suite list|run|check` in running text: the commands exist, and so do their options."""
        with open(os.path.join(self.args.root, name)) as f:
            text = f.read()
        for m in re.finditer(r"`(?:build/)?weir ([a-z]+)((?: [^`\n]*)?)`", text):
            where = f"{name}:{text.count(chr(10), 0, m.start()) + 1}"
            r = subprocess.run([self.args.weir, m.group(1), "--help"], capture_output=True, text=True)
            if m.group(1) == "help":
                continue
            if r.returncode:
                self.fail(where, m.group(), "is not a command")
                continue
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", m.group(2)):
                if option not in r.stdout and m.group(1) != "cc":
                    self.fail(where, m.group(), f"has no option {option}")
            actions = re.findall(r"^ *(?:Usage:|or:) *weir %s (?:\[OPTION\.\.\.\] )?([a-z|]+)\b" % m.group(1), r.stdout, re.M)
            first = re.match(r" ([a-z|]+)(?= |$)", m.group(2))
            known = set("|".join(actions).split("|"))
            if first and actions and not set(first.group(1).split("|")) <= known:
                self.fail(where, m.group(), f"does not know {first.group(1)}; it knows {sorted(known)}")


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    for name in ("weir", "root", "app", "recording"):
        p.add_argument(name, type=os.path.abspath)
    p.add_argument("--tutorial", action="store_true")
    p.add_argument("--update", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("--only", default="")
    args = p.parse_args()
    t = Tester(args)
    try:
        for name in sorted(os.path.relpath(f, args.root) for pattern in (TUTORIAL if args.tutorial else FILES) for f in glob.glob(os.path.join(args.root, pattern))):
            if name in ELSEWHERE:
                continue
            t.file(name)
            t.inline(name)
        said = subprocess.run([args.weir, "--help"], capture_output=True, text=True, check=True).stdout
        for command in [] if args.tutorial else re.findall(r"^  ([a-z0-9]+) ", said[said.index("Commands:"):], re.M):
            for example in help_examples(args.weir, command):
                if args.only in example:
                    t.run(f"weir {command} --help", example, None)
        print(f"{t.ran} commands run, {t.judged} judged, {t.compared} outputs compared: {t.bad} not as shown")
    finally:
        shutil.rmtree(t.dir, ignore_errors=True)
    return 1 if t.bad else 0


if __name__ == "__main__":
    sys.exit(main())
