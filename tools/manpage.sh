#!/bin/sh
# Writes a manual page from a command's own --help, so that the two never differ.
# Usage: tools/manpage.sh WEIR COMMAND|weir VERSION "ONE LINE ABOUT IT" > PAGE.1
# It knows the shapes that help texts of weir have: "Usage:" lines; options in two columns; " Group:" and "Examples:"
# headings; indented lines, which stay as they are; paragraphs.
weir=$1 command=$2 version=$3 about=$4
if [ "$command" = weir ]; then
    page=weir also=$("$weir" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9]*\) .*/weir-\1(1)/p' | paste -sd' ' -)
    set -- --help
else
    page=weir-$command also='weir(1)'
    set -- "$command" --help
fi
# Wide, so that argp does not break lines: troff does.
help=$(ARGP_HELP_FMT=rmargin=1000 "$weir" "$@") || exit 1
printf '%s\n' "$help" | awk -v page="$page" -v version="$version" -v about="$about" -v also="$also" '
function text(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/\047/, "\\(aq", s)
    if (s ~ /^\./) s = "\\&" s
    return s
}
function section(name) {
    verbatim(0)
    if (now != name) print ".SH " name
    now = name
    fresh = 1
}
function verbatim(on) {
    if (on && !raw) print (fresh ? "" : ".PP\n") ".RS 2\n.nf"
    if (!on && raw) print ".fi\n.RE"
    raw = on
}
function entry(left, right) {
    verbatim(0)
    print ".TP\n.B " text(left)
    if (right != "") print text(right)
    fresh = 0
}
function heading_for_prose() { # prose after the options or the examples
    if (now == "OPTIONS" || now == "EXAMPLES" || now == "EXIT STATUS") section("NOTES")
}
BEGIN {
    print ".TH \"" toupper(page) "\" 1 \"\" \"weir " version "\" \"weir manual\""
    section("NAME")
    print text(page) " \\- " text(about)
}
/^(Usage:|  or:)/ {
    section("SYNOPSIS")
    if (n_usage++) print ".br"
    sub(/^(Usage:|  or:) */, "")
    print ".B " text($0)
    gap = 1
    next
}
n_usage && !described { if ($0 == "") next; described = 1; section("DESCRIPTION") }
/^$/ { if (raw) pending = 1; else gap = 1; next }
/^Commands:$/ { section("COMMANDS"); listed = 1; next }
/^Examples?:/ {
    section("EXAMPLES")
    if (sub(/^Examples?: +/, "")) { verbatim(1); print text($0); verbatim(0) }
    next
}
/^Mandatory or optional arguments/ { verbatim(0); print ".PP\n" text($0); next } # argp, of its options
/^Exit status:/ { section("EXIT STATUS"); sub(/^Exit status: */, ""); print text($0); gap = 0; next }
/^ [^ ].*:$/ { section("OPTIONS"); sub(/^ /, ""); print ".SS \"" text($0) "\""; next }
/^  +-/ {
    section("OPTIONS")
    sub(/^ +/, "")
    cut = match($0, /  +/)
    left = cut ? substr($0, 1, RSTART - 1) : $0
    right = cut ? substr($0, RSTART + RLENGTH) : ""
    if (!cut && match($0, /,\.\.\. +/)) { left = substr($0, 1, RSTART + 3); right = substr($0, RSTART + RLENGTH) }
    entry(left, right)
    in_entry = 1
    next
}
/^                +/ && in_entry { sub(/^ +/, ""); print text($0); next }
{ in_entry = 0 }
(/^  [a-z0-9]+  +[^ ]/ && now != "EXAMPLES") || /^[a-z]+  +[^ ]/ || (listed && /^  [a-z0-9]+ [^ ]/) {
    if (!listed) heading_for_prose()
    sub(/^ +/, "")
    match($0, / +/)
    entry(substr($0, 1, RSTART - 1), substr($0, RSTART + RLENGTH))
    gap = 0
    next
}
{ listed = 0 }
/^ / {
    verbatim(1)
    if (pending) print ""
    pending = 0
    print text($0)
    fresh = 0
    next
}
{
    pending = 0
    verbatim(0)
    if (!(now == "EXAMPLES" && /:$/)) heading_for_prose()
    if (gap && !fresh) print ".PP"
    print text($0)
    gap = fresh = 0
}
END {
    section("SEE ALSO")
    print also
}'
