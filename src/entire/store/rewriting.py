"""Writes histories of ours again: with other content in some blobs, and without some checkpoints and sessions.

Everything else stays byte for byte: order, authors, dates, messages and trailers of commits, and all other blobs. The
same change of the same commit gives the same commit, in every clone and at any time.
"""

from __future__ import annotations

import os

from entire.git import history
from entire.git.read import tree_entries
from entire.model.ids import HEX, CheckpointId
from entire.model.records import summarize
from entire.model.value import Value, replace
from entire.store import checkpoint_writer, checkpoints, lineage_file, transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from entire.git.pack import Pack
    from entire.git.read import Objects

    Entries = list[tuple[bytes, bytes, str]]  # mode, name, object id

_TREE = b"40000"
_HASH, _TRANSCRIPT = b"content_hash.txt", (b"full.jsonl", b"full.log")
_SAID = ".entire/metadata/"


class BlobRewrite(Value):
    """What a rewriting changes. ``blobs``: other content, by object id; ``commits``: known results."""

    blobs: Mapping[str, str] = {}
    commits: Mapping[str, str] = {}
    checkpoints: frozenset[str] = frozenset()  # removed
    sessions: frozenset[str] = frozenset()  # removed from checkpoints and steps


class Rewriter:
    """Rewrites commits and their trees. ``message`` returns a commit's new message, from its id and old message."""

    def __init__(
        self, objects: Objects, pack: Pack, change: BlobRewrite, message: Callable[[str, bytes], bytes] | None = None
    ) -> None:
        self._objects = objects
        self._pack = pack
        self._change = change
        self._message = message or (lambda _oid, text: text)
        self._trees: dict[tuple[str, str], str] = {}
        self.commits: dict[str, str] = {}  # those that changed
        self.origins: list[str] = []  # the first of them in each line of history
        self.reduced: dict[str, bool] = {}  # checkpoints that lost a session, and whether another is left
        self._root = ""  # the tree of the commit that is being rewritten

    def rewrite(self, where: str, tips: Sequence[str], *, steps: bool = False) -> None:
        """Rewrite the history of some tips; ``steps``: their trees hold the user's files beside ours."""
        for oid in history.oldest_first(where, tips):
            if oid not in self.commits:
                self._commit(oid, steps=steps)

    def _commit(self, oid: str, *, steps: bool) -> None:
        obj = self._objects.get(oid)
        if obj is None or obj.type != "commit":
            return
        if oid in self._change.commits:
            self.commits[oid] = self._change.commits[oid]
            return
        head, gap, message = obj.data.partition(b"\n\n")
        lines = head.split(b"\n")
        new = [self._line(line, steps=steps) for line in lines]
        text = self._message(oid, message)
        if new == lines and text == message:
            return
        if not any(line[7:].decode() in self.commits for line in lines if line.startswith(b"parent ")):
            self.origins.append(oid)
        self.commits[oid] = self._pack.add("commit", b"\n".join(_unsigned(new)) + gap + text)

    def _line(self, line: bytes, *, steps: bool) -> bytes:
        key, _, value = line.partition(b" ")
        if key == b"parent":
            return b"parent " + self.commits.get(value.decode(), value.decode()).encode()
        if key == b"tree":
            self._root = old = value.decode()
            return b"tree " + (self._tree(old, "", steps=steps) or self._pack.add("tree", b"")).encode()
        return line

    def _tree(self, oid: str, path: str, *, steps: bool) -> str:
        """Return the new id of a tree at a path, '' if nothing is left of it."""
        known = self._trees.get((oid, path))
        if known is None:
            known = self._trees[oid, path] = self._new_tree(oid, path, steps=steps)
        return known

    def _new_tree(self, oid: str, path: str, *, steps: bool) -> str:
        obj = self._objects.get(oid)
        if obj is None or obj.type != "tree":
            return oid
        size = len(oid) // 2
        before = [(mode, name, child.hex()) for mode, name, child in tree_entries(obj.data, size)]
        checkpoint = "" if steps else _checkpoint_at(path)
        if checkpoint in self._change.checkpoints:
            return ""
        after: Entries = []
        for mode, name, child in before:
            inner = f"{path}{name.decode('utf-8', 'surrogateescape')}"
            if steps and not _may_be_said(inner + "/"):
                new = child
            elif mode == _TREE:
                is_gone = steps and inner.removeprefix(_SAID) in self._change.sessions and inner.startswith(_SAID)
                new = "" if is_gone else self._tree(child, inner + "/", steps=steps)
            else:
                new = self._change.blobs.get(child, child)
            if new:
                after.append((mode, name, new))
        if checkpoint and self._change.sessions:
            after = self._without_sessions(CheckpointId(checkpoint), after)
        if after == before:
            return oid
        after = self._with_hash(before, after)
        return self._pack.add("tree", _tree_data(after)) if after else ""

    def _with_hash(self, before: Entries, after: Entries) -> Entries:
        """Return a slot's entries with the hash of its changed transcript, if the old one was right."""
        old, new = ({name: oid for _, name, oid in entries if name.startswith(_TRANSCRIPT)}
                    for entries in (before, after))  # fmt: skip
        stored = next((oid for _, name, oid in before if name == _HASH), "")
        if not stored or old == new or self._objects.blob(stored) != self._hash(old):
            return after
        hashed = self._pack.add("blob", self._hash(new))
        return [(mode, name, hashed if name == _HASH else oid) for mode, name, oid in after]

    def _hash(self, parts: Mapping[bytes, str]) -> bytes:
        files = checkpoints.transcript_files({name.decode("utf-8", "replace"): oid for name, oid in parts.items()})
        return transcripts.content_hash([self._objects.blob(oid) or b"" for oid in files.values()]).encode()

    def _without_sessions(self, checkpoint_id: CheckpointId, after: Entries) -> Entries:
        """Return the entries of a checkpoint's folder without the sessions that go; none if no other is left."""
        stored = checkpoints.read_at(self._objects, self._root, checkpoint_id)
        gone = [slot for slot in stored.slots if slot.session_id in self._change.sessions] if stored is not None else []
        if stored is None or not gone:
            return after
        left = [slot for slot in stored.slots if slot not in gone]
        self.reduced[checkpoint_id] = self.reduced.get(checkpoint_id, False) or bool(left)
        if not left:
            return []
        numbers = {str(slot.number) for slot in gone}
        records = [checkpoint_writer.record_of(slot, checkpoint_id) for slot in left]
        pointers = [files for files in stored.summary.sessions
                    if checkpoints.path_in(files.metadata, checkpoint_id).partition("/")[0] not in numbers]  # fmt: skip
        new = {b"metadata.json": checkpoint_writer.metadata(summarize(records, pointers, stored.summary.extra))}
        by_name = {name: oid for _, name, oid in after}
        lineage = lineage_file.parse(self._objects.blob(by_name.get(b"lineage.json", "")))
        if lineage is not None:
            turns = {name: notes for name, notes in lineage.turns.items() if name not in self._change.sessions}
            new[b"lineage.json"] = lineage_file.dumps(replace(lineage, turns=turns))
        kept = [entry for entry in after if entry[1].decode("utf-8", "replace") not in numbers]
        return [(mode, name, self._pack.add("blob", new[name]) if name in new else oid)
                for mode, name, oid in self._without_tasks(kept)]  # fmt: skip

    def _without_tasks(self, entries: Entries) -> Entries:
        """Return the entries of a checkpoint's folder without the subagents' tasks of the sessions that go."""
        out = []
        for mode, name, oid in entries:
            new = self._tasks_left(oid) if name == b"tasks" and mode == _TREE else oid
            out += [(mode, name, new)] if new else []
        return out

    def _tasks_left(self, oid: str) -> str:
        """Return the tree of tasks without those of the sessions that go, '' if none is left."""
        left: Entries = []
        for entry in self._objects.tree(oid):
            if checkpoints.read_task(self._objects, entry).session_id not in self._change.sessions:
                left.append((entry.mode.lstrip("0").encode(), os.fsencode(entry.name), entry.oid))
        return self._pack.add("tree", _tree_data(left)) if left else ""


def _unsigned(lines: Sequence[bytes]) -> list[bytes]:
    """Return the head of a commit without its signature, which was made for another content."""
    kept: list[bytes] = []
    is_signature = False
    for line in lines:
        is_signature = line.startswith(b"gpgsig") or (is_signature and line.startswith(b" "))
        kept += [] if is_signature else [line]
    return kept


def _may_be_said(path: str) -> bool:
    """Tell whether a folder or file of a step is on the way to, or in, what redaction passed."""
    return path.startswith(_SAID) or _SAID.startswith(path)


def _checkpoint_at(path: str) -> str:
    """Return the checkpoint whose folder is at a path that ends with a slash, '' for none."""
    name = path[:2] + path[3:13]
    return name if len(path) == 14 and path[2] == path[13] == "/" and HEX.issuperset(name) else ""


def _tree_data(entries: Entries) -> bytes:
    return b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
