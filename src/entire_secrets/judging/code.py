"""What values look like that are code, whatever the language: no secret is written so."""

from __future__ import annotations

from entire_secrets import patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

_MEMBER = rb"[A-Za-z_$][\w$]*+(?:\.[\w$]++)++"

# fmt: off
OF_NAMES = (
    rb"\d+(?:\.\d+)+(?:e[+-]?\d+)?",  # a number, the id of an object
    rb"\d+(?:\.\d+){2}[-+][a-z]+[\w.+-]*",  # a version
    rb"0[xX][0-9A-Fa-f]{1,16}[uUlL]{0,3}",  # a number in hex
    rb"\d*_?[iuf](?:8|16|32|64|128|size)\)*",  # a number of Rust, or its type
    rb"(?i:pkcs)#?\d+",  # a standard
    rb"(?i:pbkdf2)[\w-]*",
    rb"(?:XEP|RFC|PEP)-\d+",
    rb"[\w-]{2,40}[_-](?:CBC|GCM|MD5|POLY1305|SHA\d*|Digest)(?:-[A-Z]{2})?",  # a cipher
    rb"(?:is|has)[A-Z][A-Za-z]+\d{0,4}[A-Za-z]*",  # a question, as methods are named
    rb"(?:[A-Z]+[a-z]+){2,8}V\d",  # a type of a protocol's version
    rb"_[A-Za-z]\w*\$[\w.]+",  # a name of a bundler
    rb"[a-z]\w*/\d",  # a function of Erlang, with its arity
    rb"\$[A-Za-z_]\w*-",  # a variable of PHP, of which a member follows
    rb"[a-z]+\.\$\w+(?:\.\w+)?",  # a member that a variable names
    rb"\$\d+[.\xe2][^\w]*",  # the place for a word in a sentence
    rb"(?:Big)?(?:Int|Uint|Float)\d{1,2}(?:Clamped)?Array",  # a type of JavaScript
    rb"\$[A-Za-z_]\w*[(/](?s:.*)",  # a variable that is called, or a folder
    rb"/[\w./-]*+(?::[/$]|\$[a-z])(?s:.*)",  # paths
)
"""What a whole value is that may consist of ``_NAMED`` alone, as random values do; the last two go on."""

WHOLE = (
    rb"[a-z][a-z0-9]*(?:_[a-z0-9]+)+\(\w*\)",  # a call
    rb"&?(?:::\w+)+\)*",  # a path of Rust
    _MEMBER + rb"(?:(?:[-+]\d)?\)[\w)]*|&\d+)",  # the end of a term
    rb"[A-Z]\w+(?:\\+[A-Z]\w+)+",  # a class of PHP
    rb"![A-Za-z_$.]+[()?]*",  # a negation
    rb"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+",  # a path of Rust or C++
    rb"[A-Za-z][\w-]*(?:\.\w+)+#[A-Za-z_]\w*",  # a member, as documentation names it
    rb"(?:" + _MEMBER + rb"=)+" + _MEMBER,  # members that are assigned to each other
    rb"(?:" + _MEMBER + rb"=){2,}\w*",
)
"""What a whole value is that has other signs."""

BEGINNINGS = (
    rb"(?:[\w$]{1,3}|\d+|[\w$]++(?:\.\w++)++),[A-Za-z_$][A-Za-z_$.]{3,60}[:=(]",  # one member, the next
    rb"\w{1,3}\}=",  # the end of an object
    rb"[\w$]{1,20}+(?:,\w{1,20}:[\w$]{1,20}\b){2}",  # members of an object
    rb"[\w$.]{1,40}+,[A-Za-z_$][\w$]{0,2}=[\w$(]",  # one assignment, the next
    rb"\w{1,8}\}\}",  # the end of a template
    rb"[A-Za-z_$]{1,3}\.\w{1,4},[\w$.]{3,80}=",  # a short member, the next assignment
    rb"[\w$.,]{1,40}+\+=[A-Za-z_$]",  # a sum
    rb"!?[\w$.>)(-]++[!=]={1,2}[\w.(-]",  # a comparison
    rb"==[a-z]+\.",  # its second half
    rb"[\w$.+()!-]{1,40}+(?:\|\||&&|\?\?)",  # a condition
    rb"[^{]{0,40}+\{\$[a-z_]+(?:->|\})",  # a template of PHP
    rb"[a-z][A-Za-z]{2,20}\?\.[a-z][A-Za-z]",  # optional chaining
    rb"\+[\w.]+[()]",  # a term behind a string
    rb"\+\w{1,3},[\w.]+\(",
    rb"\),\w{1,3}\?",  # the end of a call, a condition
    rb"\)\.",
    rb"![A-Za-z_$][\w$.]*\(",  # the negation of a call
    rb"(?:rgb|hsl)a?\(",  # a colour
    rb"[\w.:#-]*+\{[a-z-]{3,30}:",  # a rule of CSS
    rb"\$\d\|",  # a choice of words, in a translation
    rb"\d{1,7}\xe2\x86\x92",  # the number of a line
    rb"[!+-][A-Z0-9-]+[:@][!+A-Z]",  # options of a cipher
    rb"\\-",  # a flag in a manual's source
)
"""How a value begins, where the code goes on."""
# fmt: on

_NAMED = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./$-"
_compiled: list[Pattern[bytes]] = []


def is_code(value: bytes) -> bool:
    """Tell whether a value is one of ``OF_NAMES`` or ``WHOLE``, or begins with one of ``BEGINNINGS``."""
    if not _compiled:
        of_names = rb"(?:" + b"|".join(OF_NAMES) + rb")\Z"
        _compiled.append(patterns.compile(of_names))
        _compiled.append(patterns.compile(of_names + rb"|(?:" + b"|".join(WHOLE) + rb")\Z|" + b"|".join(BEGINNINGS)))
    return _compiled[bool(value.translate(None, _NAMED))].match(value) is not None
