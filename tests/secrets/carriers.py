"""Carriers: where in a transcript a text with a secret stands, and in what form tools and people put it there."""

from __future__ import annotations

import base64
import bz2
import gzip
import html
import json
import lzma
import quopri
import re
import shlex
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from tests.secrets.transcripts import Planted

RESET = "\x1b[0m"
_NAME = re.compile(r"(?m)^([^\w«\n]*)([\w.-]+)")
GO_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "=&<>'+"}


@dataclass(frozen=True)
class Text:
    """A text with its secrets between ``«»``; ``command`` if a shell reads it."""

    marked: str
    command: bool = False

    @property
    def plain(self) -> str:
        """Return the text without the marks."""
        return self.marked.replace("«", "").replace("»", "")

    @property
    def lines(self) -> list[str]:
        """Return the lines of the plain text."""
        return self.plain.split("\n")


@dataclass(frozen=True)
class Carrier:
    """A slot of the transcript and what happens to the text on its way there."""

    name: str
    slot: str
    carry: Callable[[Text], str]
    old: Callable[[Text], str] | None = None

    def planted(self, text: Text) -> Planted:
        """Return what stands in the transcript."""
        return Planted(self.carry(text), self.old(text)) if self.old else Planted(self.carry(text))


def _plain(text: Text) -> str:
    return text.plain


def _between(before: str, after: str) -> Callable[[Text], str]:
    return lambda text: f"{before}{text.plain}{after}"


def _each(before: Callable[[int], str], after: str = "", first: int = 11) -> Callable[[Text], str]:
    return lambda text: "\n".join(f"{before(at)}{line}{after}" for at, line in enumerate(text.lines, first))


def _command(text: Text) -> str:
    return text.plain if text.command else f"cat > config.env <<'EOF'\n{text.plain}\nEOF\nchmod 600 config.env"


def _diff(text: Text) -> str:
    added = "\n".join(f"+{line}" for line in text.lines)
    return (
        "diff --git a/config/app.conf b/config/app.conf\nindex 3f1c2aa..9b7d0e4 100644\n--- a/config/app.conf\n"
        f"+++ b/config/app.conf\n@@ -3,2 +3,9 @@ section\n # settings\n{added}\n retries\n"
    )


def _colour_diff(text: Text) -> str:
    added = "\n".join(f"\x1b[32m+\x1b[m\x1b[32m{line}\x1b[m" for line in text.lines)
    return (
        "\x1b[1mdiff --git a/config/app.conf b/config/app.conf\x1b[m\n\x1b[1mindex 3f1c2aa..9b7d0e4 100644\x1b[m\n"
        f"\x1b[36m@@ -3,2 +3,9 @@\x1b[m section\n # settings\n{added}\n"
    )


def _colour_value(text: Text) -> str:
    return text.marked.replace("«", "\x1b[32m").replace("»", RESET)


def _colour_name(text: Text) -> str:
    return Text(_NAME.sub(f"\\1\x1b[1;36m\\2{RESET}", text.marked)).plain


def _colour_both(text: Text) -> str:
    named = _NAME.sub(f"\\1\x1b[38;5;81m\\2{RESET}", text.marked)
    return named.replace("«", "\x1b[38;5;186m").replace("»", RESET)


def _grep_colour(text: Text) -> str:
    """Return what ``grep -n --color`` prints for a search that meets the secret's first letters."""
    colon = "\x1b[36m\x1b[K:\x1b[m\x1b[K"
    head = f"\x1b[35m\x1b[Kconfig/app.conf\x1b[m\x1b[K{colon}\x1b[32m\x1b[K{{}}\x1b[m\x1b[K{colon}"
    marked = re.sub(r"«([^»]{1,6})", "\x1b[01;31m\x1b[K\\1\x1b[m\x1b[K", text.marked).replace("»", "")
    return "\n".join(head.format(at) + line for at, line in enumerate(marked.split("\n"), 11))


def _json(depth: int) -> Callable[[Text], str]:
    def carry(text: Text) -> str:
        made = json.dumps({"path": "config/app.conf", "content": text.plain, "size": 512})
        for _ in range(depth - 2):
            made = json.dumps({"id": 7, "result": made})
        return made

    return carry


def _go_json(text: Text) -> str:
    return json.dumps({"name": "app.conf", "data": text.plain}).translate(GO_ESCAPES)


def _shell(text: Text) -> str:
    return f"ssh app1 bash -c {shlex.quote(text.plain if text.command else 'echo ' + shlex.quote(text.plain))}"


def _crlf(text: Text) -> str:
    return "\r\n".join(("# settings", *text.lines, ""))


def _url(text: Text) -> str:
    return f"https://logs.orchard.dev/ingest?level=info&message={quote(text.plain, safe='')}&tail=20"


def _form(text: Text) -> str:
    head = "POST /ingest HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
    return f"{head}level=info&message={quote_plus(text.plain)}&tail=20"


def _base64(text: Text) -> str:
    return json.dumps(
        {"name": "app.conf", "encoding": "base64", "content": base64.b64encode(text.plain.encode()).decode()}
    )


PREAMBLE = "# settings of the service, reviewed before each deploy\nname: app\nregion: eu-west-1\n"


def _lines_of(data: bytes, width: int = 76) -> str:
    """Return base64 as ``base64`` prints it."""
    digits = base64.b64encode(data).decode()
    return "\n".join(digits[at : at + width] for at in range(0, len(digits), width))


def _wrapped(text: Text) -> str:
    return f"$ base64 app.conf\n{_lines_of((PREAMBLE + text.plain).encode())}\n$ echo done"


def _packed(text: Text) -> str:
    made = gzip.compress((PREAMBLE + text.plain).encode(), mtime=0)
    return f"echo {base64.b64encode(made).decode()} | base64 -d | gunzip"


def _packed_otherwise(*compress: Callable[[bytes], bytes]) -> Callable[[Text], str]:
    """Return a carrier for which several ways to compress take turns."""

    def carry(text: Text) -> str:
        data = (PREAMBLE + text.plain).encode()
        return f'{{"body": "{base64.b64encode(compress[len(data) % len(compress)](data)).decode()}"}}'

    return carry


def _xxd(text: Text) -> str:
    lines = ["$ xxd app.conf"]
    for at, part, shown in _rows_of((PREAMBLE + text.plain).encode()):
        lines.append(f"{at:08x}: {part.hex(' ', -2):<39}  {shown}")
    return "\n".join((*lines, "$ echo done"))


def _hexdump(text: Text) -> str:
    lines = ["$ hexdump -C app.conf"]
    for at, part, shown in _rows_of((PREAMBLE + text.plain).encode()):
        lines.append(f"{at:08x}  {part[:8].hex(' '):<23}  {part[8:].hex(' '):<23}  |{shown}|")
    return "\n".join((*lines, "$ echo done"))


def _rows_of(data: bytes) -> Iterator[tuple[int, bytes, str]]:
    """Yield the rows of a dump: offset, bytes, and how they are shown."""
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        yield at, part, "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)


def _power_shell(text: Text) -> str:
    return f"powershell -EncodedCommand {base64.b64encode(text.plain.encode('utf-16-le')).decode()}"


def _base64_url(text: Text) -> str:
    return f"state={base64.urlsafe_b64encode((PREAMBLE + text.plain).encode()).decode().rstrip('=')}&code=7"


def _twice_url(text: Text) -> str:
    return f"https://login.orchard.dev/?next={quote('/run?m=' + quote(text.plain, safe=''), safe='')}"


def _quoted_printable(text: Text) -> str:
    head = "Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n"
    return head + quopri.encodestring(f"Hello,\nhere are the settings:\n{text.plain}\n".encode()).decode()


def _all_escaped(text: Text) -> str:
    return '{"name": "app.conf", "content": "' + "".join(f"\\u{ord(sign):04x}" for sign in text.plain) + '"}'


def _strings(text: Text) -> str:
    lines = ["@@ -3,2 +3,9 @@", " # settings", *(f"+{line}" for line in text.lines), " retries"]
    return json.dumps({"filePath": "config/app.conf", "structuredPatch": [{"oldStart": 3, "lines": lines}]}, indent=2)


def _block_scalar(text: Text) -> str:
    return "data:\n  app.conf: |\n" + "\n".join(f"    {line}" for line in text.lines) + "\nkind: ConfigMap\n"


def _short_codes(text: Text) -> str:
    return text.marked.replace("«", "\x9b32m").replace("»", "\x9b0m")


def _single_bytes(text: Text) -> str:
    """Return the text with codes whose first byte is no UTF-8: surrogates stand for such bytes."""
    return text.marked.replace("«", "\udc9b32m").replace("»", "\udc9b0m")


def _linked(text: Text) -> str:
    return "\n".join(f"\x1b]8;;file:///srv/app.conf\x1b\\{line}\x1b]8;;\x1b\\" for line in text.lines)


def _progress(text: Text) -> str:
    return f"fetching  10 %\rfetching  80 %\r{text.plain}\r\ndone\n"


def _without_width(text: Text) -> str:
    """Return the text with characters that nobody sees after each fifth one, as web pages put them into long words."""
    return re.sub(r"(\w{5})(?=\w)", lambda found: found[1] + "\u200b\xad\u2060"[found.start() % 3], text.plain)


def _continued(text: Text) -> str:
    """Return a command over several lines, broken at blanks outside of quotes and secrets; or joined lines."""
    if len(text.lines) > 1:
        return " \\\n".join(text.lines)
    if not text.command:
        return f"docker run --rm \\\n  -e {shlex.quote(text.plain)} \\\n  app:latest"
    pieces = re.findall(r"(?:\"[^\"]*\"|'[^']*'|«[^»]*»|[^ ])+", text.marked)
    return Text(" \\\n    ".join(pieces)).plain


def _table(text: Text) -> str:
    """Return a Markdown table: names beside their values where a line is an assignment, else whole lines."""
    cells = []
    for at, line in enumerate(text.marked.split("\n"), 1):
        found = re.fullmatch(r"[^\w«]{0,6}(?:export |const )?([A-Za-z_][\w.-]*)['\"]?\s?(?:=>?|:\s)\s?(.+)", line)
        name, value = (found[1], found[2]) if found else (str(at), f"`{line}`")
        cells.append(f"| {name} | {value.replace('|', chr(92) + '|')} |")
    return "The settings:\n\n| Setting | Value |\n|---------|-------|\n" + Text("\n".join(cells)).plain + "\n"


def _inline(text: Text) -> str:
    return "Use these:\n" + "\n".join(f"- `{line}`" for line in text.lines) + "\nand restart."


CARRIERS = (
    Carrier("prompt", "prompt", _between("Here is what I use, please fix the deploy:\n\n", "\n\nThanks!")),
    Carrier("answer", "answer", _between("I found this in the configuration:\n\n", "\n\nIt works now.")),
    Carrier("thinking", "thinking", _between("The user gave me\n", "\nso I can continue.")),
    Carrier("shell command", "command", _command),
    Carrier("command output", "output", _between("total 2\n", "\ndone\n")),
    Carrier("file read (→)", "output", _each(lambda at: f"{at:6}→")),
    Carrier("file read (tab)", "output", _each(lambda at: f"{at}\t")),
    Carrier("cat -n", "output", _each(lambda at: f"{at:6}\t")),
    Carrier("file written", "write", _between("# settings\n", "\n")),
    Carrier("edit", "edit", _plain, _between("", "\nretries: 3")),
    Carrier("edit (patch)", "patch", _plain),
    Carrier("unified diff", "output", _diff),
    Carrier("grep", "output", _each(lambda at: f"config/app.conf:{at}:")),
    Carrier("JSON in JSON", "output", _json(2)),
    Carrier("JSON, 3 deep", "output", _json(3)),
    Carrier("JSON, 4 deep", "write", _json(4)),
    Carrier("colour: value", "output", _colour_value),
    Carrier("colour: name", "output", _colour_name),
    Carrier("colour: both", "output", _colour_both),
    Carrier("grep --color", "output", _grep_colour),
    Carrier("colour diff", "output", _colour_diff),
    Carrier("\\u003d escapes", "output", _go_json),
    Carrier("Python repr", "output", lambda text: repr({"stdout": text.plain, "returncode": 0})),
    Carrier("shell quoting", "command", _shell),
    Carrier("CRLF", "output", _crlf),
    Carrier("URL-encoded", "command", _url),
    Carrier("form-encoded", "output", _form),
    Carrier("HTML", "write", lambda text: f"<pre><code>{html.escape(text.plain)}</code></pre>\n"),
    Carrier("base64", "output", _base64),
    Carrier("base64, wrapped", "output", _wrapped),
    Carrier("base64, compressed", "command", _packed),
    Carrier("base64, zlib", "output", _packed_otherwise(zlib.compress)),
    Carrier("base64, bzip2 or xz", "output", _packed_otherwise(bz2.compress, lzma.compress)),
    Carrier("xxd", "output", _xxd),
    Carrier("hexdump -C", "output", _hexdump),
    Carrier("base64 of UTF-16", "command", _power_shell),
    Carrier("base64url", "output", _base64_url),
    Carrier("URL in URL", "output", _twice_url),
    Carrier("quoted-printable", "output", _quoted_printable),
    Carrier("all escaped", "output", _all_escaped),
    Carrier("UTF-16 as bytes", "output", lambda text: "\0".join(text.plain) + "\0"),
    Carrier("patch as JSON", "output", _strings),
    Carrier("YAML block", "write", _block_scalar),
    Carrier("colour: 8 bit", "output", _short_codes),
    Carrier("colour: Latin-1", "output", _single_bytes),
    Carrier("linked (OSC 8)", "output", _linked),
    Carrier("progress (CR)", "output", _progress),
    Carrier("without width", "answer", _without_width),
    Carrier("backslash at line ends", "command", _continued),
    Carrier("Markdown code", "answer", _between("```sh\n", "\n```\n")),
    Carrier("Markdown table", "answer", _table),
    Carrier("Markdown inline", "answer", _inline),
)  # fmt: skip
BY_NAME = {carrier.name: carrier for carrier in CARRIERS}
