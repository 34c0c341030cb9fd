"""The style and the script of HTML pages as C strings, and the script's hash for the page's content policy.

Usage: page_parts.py page.css page.js OUTPUT
"""
import base64
import hashlib
import sys


def c_string(text):
    lines = text.splitlines(keepends=True)
    return "\n    ".join('"%s"' % line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for line in lines)


css, js, output = sys.argv[1:]
style, script = open(css, encoding="utf-8").read(), open(js, encoding="utf-8").read()
if "</" in style + script:
    sys.exit("a style or script must not hold the end of an element")
digest = base64.b64encode(hashlib.sha256(("\n" + script).encode()).digest()).decode()
with open(output, "w", encoding="utf-8") as f:
    f.write("/* Made by page_parts.py. */\nstatic const char page_style[] =\n    %s;\n" % c_string(style))
    f.write("static const char page_script[] =\n    %s;\n" % c_string(script))
    f.write('#define PAGE_SCRIPT_HASH "sha256-%s"\n' % digest)
