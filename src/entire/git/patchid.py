"""Git's stable patch id, counted from patches that we hold anyway instead of by two more processes.

The algorithm is that of ``git patch-id --stable`` (patch-id.c): per file a hash of its header and changed lines with all white
space removed, the files' hashes summed as little-endian numbers with carry.
"""

from __future__ import annotations

from entire.model.digest import sha1, sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from entire.git.diff import FilePatch

_SPACE = b" \t\n\v\f\r"


def patch_id(patches: Sequence[FilePatch], oid_size: int) -> str:
    """Return the patch id of patches without rename detection; '' for none. ``oid_size``: hex digits of this repository's ids."""
    total = bytearray(oid_size // 2)
    seen = False
    for patch in patches:
        digest = sha1() if oid_size == 40 else sha256()
        lines = [line for line in patch.header if not line.startswith(b"index ")]
        for hunk in patch.hunks:
            lines += [kind + text for kind, text in hunk.lines]
        for line in lines:
            digest.update(line.translate(None, _SPACE))
        seen = True
        carry = 0
        for place, byte in enumerate(digest.digest()):
            carry += total[place] + byte
            total[place] = carry & 0xFF
            carry >>= 8
    return total.hex() if seen else ""
