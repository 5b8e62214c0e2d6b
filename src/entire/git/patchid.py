"""Git's stable patch id, computed from patches that are already parsed, which saves two processes.

The algorithm is that of ``git patch-id --stable`` (patch-id.c): per file, a hash of its header and changed lines
without white space; the files' hashes are added as little-endian numbers with carry.
"""

from __future__ import annotations

from entire.model.digest import sha1, sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.diff import FilePatch

_SPACE = b" \t\n\r"


def patch_id(patches: Sequence[FilePatch], oid_size: int) -> str:
    """Return the patch id of patches without rename detection, '' for none. ``oid_size``: hex digits of object ids."""
    total = bytearray(oid_size // 2)
    new_digest = sha1 if oid_size == 40 else sha256
    digest = new_digest()
    after_binary = False
    halves = [half for patch in patches for half in patch.halves or (patch,)]
    for number, patch in enumerate(halves, 1):
        lines = _lines(patch)[after_binary:]  # git skips the first line of the file after a binary one
        after_binary = _is_binary(patch)
        for line in lines:
            digest.update(line.translate(None, _SPACE))
        if not patch.hunks and not patch.binary and number < len(halves):
            continue  # only a header (an empty file, a mode change): for git the next file continues it
        _add(total, digest.digest())
        digest = new_digest()
    if after_binary:  # the last file: git finishes it, and then the patch
        _add(total, digest.digest())
    return total.hex() if patches else ""


def _add(total: bytearray, digest: bytes) -> None:
    """Add a little-endian number to the sum."""
    carry = 0
    for place, byte in enumerate(digest):
        carry += total[place] + byte
        total[place] = carry & 0xFF
        carry >>= 8


def _is_binary(patch: FilePatch) -> bool:
    """Tell whether git prints ids instead of lines."""
    return any(line.startswith((b"Binary files ", b"GIT binary patch")) for line in patch.header)


def _lines(patch: FilePatch) -> list[bytes]:
    """Return what is hashed of a patch: its header and lines, or of a binary file its header and blob ids."""
    if _is_binary(patch):
        header = [
            line for line in patch.header if not line.startswith((b"index ", b"Binary files ", b"GIT binary patch"))
        ]
        ids = next((line.split(b" ")[1] for line in patch.header if line.startswith(b"index ")), b"")
        return [*header, *ids.split(b"..")]
    lines = [line for line in patch.header if not line.startswith(b"index ")]
    return lines + [kind + text for hunk in patch.hunks for kind, text in hunk.lines]
