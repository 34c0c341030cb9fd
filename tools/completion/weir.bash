# Completion of weir for bash. Commands, options and the choices of options come from weir's own --help, machines,
# policies and programs from 'weir list', so there is nothing here to keep in step.

_weir_commands() { "$weir" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p'; }
_weir_names() { "$weir" list "$1" 2>/dev/null | sed -n 's/^\(  \)\?\([A-Za-z0-9_.-]\+\) .*/\2/p' | sort -u; }
# Words that a command takes first, as its usage lines name them: show, check, info|dump ...
_weir_actions() {
    ARGP_HELP_FMT=rmargin=400 "$weir" "$1" --help 2>/dev/null | sed -n "s/^\(Usage:\|  or:\) *weir $1 \(\[OPTION\.\.\.\] \)\?\([a-z|]*\)\( .*\)\?\$/\3/p" | tr '|' '\n'
}
_weir_options() { "$weir" "$1" --help 2>/dev/null | sed -n '/^  *-/s/   *[^ -].*//p' | grep -oE -- '-[A-Za-z-]+' | sort -u; }
# The choices of an option, where its help reads --option=one|two.
_weir_choices() { "$weir" "$1" --help 2>/dev/null | sed -n "s/.*$2=\([a-z]*|[a-z|]*\).*/\1/p" | tr '|' '\n' | sort -u; }

_weir_figures() { "$weir" list papers 2>/dev/null | sed -n "s/^  $1  *figures //p" | tr -d ,; }

_weir() {
    local weir=${COMP_WORDS[0]} # what the functions above ask: the program that is being typed
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words= option=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; }; then
        COMPREPLY=($(compgen -W "$(_weir_commands) help --help --version" -- "$cur"))
        return
    fi
    # bash splits --gpu=NAME into three words
    if [ "$cur" = = ]; then
        option=$prev cur=
    elif [ "$prev" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        option=$prev
    fi
    case $option in
    --gpu | -g) words=$(_weir_names gpus) ;;
    --with) # a list: complete what follows the last comma
        local head=
        case $cur in *,*) head=${cur%,*}, ;; esac
        COMPREPLY=($(compgen -P "$head" -W "$(_weir_names policies)" -- "${cur##*,}"))
        compopt -o nospace
        return
        ;;
    --plugin)
        compopt -o filenames
        COMPREPLY=($(compgen -f -X '!*.so' -- "$cur") $(compgen -d -- "$cur"))
        return
        ;;
    --set | -s) # KEY=VALUE
        COMPREPLY=($(compgen -S = -W "$(_weir_names parameters)" -- "$cur"))
        compopt -o nospace
        return
        ;;
    --figure | -f) [ "$command" = reproduce ] && words=$(for word in "${COMP_WORDS[@]:2}"; do _weir_figures "$word"; done) ;;
    --*) words=$(_weir_choices "$command" "$option") ;;
    esac
    if [ -z "$words" ]; then
        case $cur in
        -*)
            COMPREPLY=($(compgen -W "$(_weir_options "$command")" -- "$cur"))
            return
            ;;
        esac
        [ "$COMP_CWORD" = 2 ] && words=$(_weir_actions "$command")
        case $command:$prev in
        explain:explain) words="$(_weir_names gpus) $(_weir_names policies) $(_weir_names parameters) $(_weir_names statistics)" ;;
        reproduce:*) words=$(_weir_names papers) ;;
        config:show) words=$(_weir_names gpus) ;;
        analyze:* | profile:* | suite:*) [ -n "$words" ] || words=$(_weir_names workloads) ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [ -n "${COMPREPLY[*]}" ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _weir weir
