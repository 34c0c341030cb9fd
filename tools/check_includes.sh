#!/bin/sh
# The include rule of src/. A header is named with its folder ("engine/port.h").
#   The front end executes programs and knows nothing of cycles; the machine models time and knows nothing of PTX. They
#   never include each other: both know base/ and trace/, and one file joins them in a program's process.
# Within the machine, neighbors on the path of a request do not include each other either: they meet through
# engine/port.h and engine/request.h.
# Usage: tools/check_includes.sh [src-dir]; prints every violation, exits 1 if there is one.
#        tools/check_includes.sh --table; prints the table, which CONTRIBUTING.md explains.
joins="frontend/cudart/timing.c"
table="
base
trace base
machine/engine base
machine/cache base engine
machine/sm base trace engine
machine/l1 base engine cache
machine/noc base engine
machine/l2 base engine cache
machine/dram base engine
machine/vm base engine
machine/energy base engine
machine/gpu base trace engine cache sm l1 noc l2 dram vm energy weir
frontend/ptx base trace
frontend/code base trace ptx
frontend/emu base trace ptx code
frontend/import base trace
frontend/check base trace ptx emu
frontend/cudart base trace ptx emu check weir
lab/chart base engine
lab/profile base trace engine cache sm gpu chart
lab/study base trace engine cache energy gpu chart profile
lab/report base engine gpu chart study
cc base ptx emu
libraries/compile base cc weir
libraries/nvrtc base cc compile weir
libraries/cublas base compile weir
libraries/cufft base compile weir
libraries/curand base compile weir
cli base trace ptx code emu check cudart import engine energy gpu chart profile study report cc transform
" # weir/: include/weir, the headers of weir cc and of plugins
if [ "$1" = --table ]; then
    echo "$table" | grep .
    exit
fi
src=${1:-$(dirname "$0")/../src}
cd "$src" || exit 2
find . -mindepth 2 \( -name '*.[ch]' -o -name '*.def' \) -exec grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + |
    awk -v table="$table" -v src="$src" -v joins="$joins" '
    BEGIN {
        n = split(table, line, "\n")
        for (i = 1; i <= n; i++) {
            folder = line[i]
            sub(/ .*/, "", folder)
            if (split(folder, part, "/") == 2)
                wing[part[1]] = 1
            allowed[folder] = " " line[i] " "
        }
    }
    {
        sub(/^\.\//, "")
        file = $0
        sub(/:.*/, "", file)
        split(file, part, "/")
        folder = part[1] in wing ? part[1] "/" part[2] : part[1]
        own = part[1] in wing ? part[2] : part[1]
        included = $0
        sub(/^[^"]*"/, "", included)
        sub(/".*/, "", included)
        if (included !~ /\//) {
            print src "/" $0 ": name the folder"
            bad = 1
            next
        }
        sub(/\/.*/, "", included)
        if (included != own && !index(allowed[folder], " " included " ") && file != joins) {
            print src "/" file ": includes " included "/, but " folder "/ may include only:" allowed[folder]
            bad = 1
        }
    }
    END { exit bad }'
