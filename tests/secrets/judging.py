"""Whether anything of a secret is left in what redaction returned, and whether the transcript is still one."""

from __future__ import annotations

import base64
import binascii
import bz2
import html
import json
import lzma
import quopri
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote_plus

MARK = "[REDACTED:"
_ANSI = re.compile(r"(?:\x1b\[|[\x9b\udc9b\ufffd])[0-9;?]*[A-Za-z]|\x1b\]8;[^;]*;|\x1b\\\\|[\xad\u200b\u2060\0]")
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/]{60})\n(?=[A-Za-z0-9+/=])")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}")
_DUMP = re.compile(r"(?m)^[0-9a-f]{8}(?:: ([0-9a-f ]{39})  (.{1,16})|  ([0-9a-f ]{48})  \|(.{1,16})\|)")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^ux]|$))", re.DOTALL)
_UNPACK: dict[bytes, Callable[[bytes], bytes]] = {
    b"x": lambda data: zlib.decompressobj().decompress(data),
    b"B": lambda data: bz2.BZ2Decompressor().decompress(data),
    b"\xfd": lambda data: lzma.LZMADecompressor().decompress(data),
}
_CONTROLS = {"n": "\n", "r": "\n", "t": "\t"}


def strings(tree: Any) -> Iterator[str]:
    """Yield all strings of a JSON value, and its keys."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield key
            yield from strings(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from strings(value)
    elif isinstance(tree, str):
        yield tree


def decoded(text: str) -> str:
    """Return a text as it reads without escapes, colours and encodings; what stood in base64 is added."""
    plain = _unescaped(_ANSI.sub("", _unescaped(text)))
    plain = _ANSI.sub("", plain)
    parts = [plain]
    if "&" in plain:
        parts.append(html.unescape(plain))
    if "%" in plain or "+" in plain:
        parts.append(unquote_plus(plain))
    if "=3D" in plain:
        parts.append(quopri.decodestring(plain.encode("utf-8", "surrogatepass")).decode("latin-1"))
    if "%25" in plain:
        parts.append(unquote_plus(unquote_plus(plain)))
    parts += _from_dumps(plain)
    plain = _WRAPPED.sub("", plain)
    parts += [piece for found in _BASE64.findall(plain) for piece in _from_base64(found)]
    return "\n".join(parts)


def is_left(secrets: Iterable[str], text: str, context: str) -> bool:
    """Tell whether more than a quarter, and more than four letters, of a secret stand in a decoded text.

    What the text without the secrets holds anyway (``context``) is nothing of the secret.
    """
    for secret in secrets:
        size = max(4, len(secret) // 4) + 1
        for at in range(len(secret) - size + 1):
            part = secret[at : at + size]
            if part in text and part not in context:
                return True
    return False


def has_same_shape(before: Any, after: Any) -> bool:
    """Tell whether only strings differ, and only where a mark stands in them."""
    if isinstance(before, dict):
        return (
            isinstance(after, dict)
            and list(before) == list(after)
            and all(map(has_same_shape, before.values(), after.values()))
        )
    if isinstance(before, list):
        return isinstance(after, list) and len(before) == len(after) and all(map(has_same_shape, before, after))
    if isinstance(before, str) and before != after:
        return isinstance(after, str) and MARK in after
    return type(before) is type(after) and bool(before == after)


def _unescaped(text: str) -> str:
    while "\\" in text:
        shorter = _ESCAPE.sub(_character, text)
        if shorter == text:
            break
        text = shorter
    return text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _CONTROLS.get(found[3], found[3])


def _from_dumps(text: str) -> Iterator[str]:
    """Yield what the rows of dumps show, and what their hex digits are."""
    rows = [(found[1] or found[3], found[2] or found[4]) for found in _DUMP.finditer(text)]
    yield "".join(shown for _, shown in rows)
    yield bytes.fromhex("".join(digits for digits, _ in rows)).decode("latin-1")


def _from_base64(text: str) -> Iterator[str]:
    standard = text.replace("-", "+").replace("_", "/")
    for start in range(4):
        piece = standard[start:]
        try:
            data = base64.b64decode(piece[: len(piece) // 4 * 4])
        except binascii.Error:
            continue
        yield data.decode("latin-1")
        if data.startswith(b"\x1f\x8b"):
            yield zlib.decompressobj(31).decompress(data).decode("latin-1")
        elif data.startswith((b"x\x9c", b"BZh", b"\xfd7zXZ")):
            yield _UNPACK[data[:1]](data).decode("latin-1")
        elif data[1:2] == b"\0":
            yield data.decode("utf-16-le", "replace")


def parsed(line: str) -> Any:
    """Return the value of a line of JSON; what is none is not equal to anything."""
    try:
        return json.loads(line)
    except ValueError:
        return object()
