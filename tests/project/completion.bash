# Usage: bash completion.bash WEIR ROOT: what the completion of bash offers; zsh's is read where zsh is installed.
weir=$1
export XDG_CACHE_HOME=/nonexistent
. "$2/tools/completion/weir.bash" || exit 1
compopt() { :; } # only there while a completion is asked for
bad=0
offers() { # offers WORD-TO-COMPLETE... : WANTED...   The last word before the colon is completed; a wanted word is one of the offers.
    COMP_WORDS=("$weir")
    while [ "$1" != : ]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _weir
    local want
    for want; do
        case " ${COMPREPLY[*]} " in
        *" $want "*) ;;
        *) echo "weir ${COMP_WORDS[*]:1}: no '$want' in: ${COMPREPLY[*]}"; bad=1 ;;
        esac
    done
}
offers "" : run record replay suite help
offers re : record replay reproduce
offers help su : suite
offers run --g : --gpu --gpgpusim-stats
offers run --gpu gtx : gtx480 gtx780
offers run --gpu = h2 : h200
offers run --with "" : gto apcm
offers run --with apcm,g : apcm,gto
offers run --engine "" : skip tick
offers analyze --size p : paper
offers suite "" : list run check
offers suite run bf : bfs
offers trace "" : info check dump import
offers list "" : gpus policies workloads papers statistics parameters
offers cache "" : list clean
offers config show me : mesh28
offers explain ap : apcm
offers explain l1.mi : l1.miss_queue l1.miss_rate
offers run --set vm.l1_ : vm.l1_entries=
offers reproduce "" : apcm sharedl1 where
offers reproduce apcm --figure "" : 12 13U
plugins=$(mktemp -d) && : >"$plugins/mine.so"
offers run --plugin "$plugins/m" : "$plugins/mine.so"
rm -r "$plugins"
offers cc -f : -fno-unroll-loops
cd "$2" && offers run READ : README.md
if command -v zsh >/dev/null; then
    zsh -n "$2/tools/completion/_weir" || bad=1
fi
exit $bad
