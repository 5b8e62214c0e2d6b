"""The turns that wrote uncommitted lines: what this machine recorded of them, whether a checkpoint has them or not."""

from __future__ import annotations

from entire.git.read import Objects
from entire.model.conversations import TurnView
from entire.model.ids import CheckpointId
from entire.model.origins import Origin, OriginKind
from entire.model.turns import Owner
from entire.queries import turns
from entire.store import checkpoints, lineage_file, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from entire.model.session import Session
    from entire.model.turns import TurnKey
    from entire.store.catalog import Catalog


class OpenTurns:
    """Describes turns by their owners in the journal. Reads each session once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._turns: dict[str, dict[str, TurnView]] = {}  # by session, then turn
        self._checkpoints: dict[tuple[TurnKey, str], str] = {}

    def origin(self, owner: Owner, path: str) -> Origin:
        """Return the origin of a turn's line in a file."""
        key = owner.turn
        checkpoint_id = "" if owner.is_new else self._checkpoint(key, path)
        turn = self._of_session(key.session_id).get(key.turn_id) or self._stored(key, checkpoint_id)
        return Origin(
            kind=OriginKind.TURN,
            checkpoint_id=checkpoint_id,
            session_id=turn.session_id,
            turn=turn.turn,
            agent=turn.agent,
            model=turn.model,
            started=turn.started,
            prompt=turn.prompt,
        )

    def _of_session(self, session_id: str) -> dict[str, TurnView]:
        """Return the turns that this machine recorded of a session, the one in progress too, by id."""
        if session_id not in self._turns:
            found: dict[str, TurnView] = {}
            for turn in turns.of_session(self._catalog.place, session_id):
                found.setdefault(turn.turn, turn)  # its first prompt
            session = sessions.find(self._catalog.place, session_id)
            if session is not None and session.turn is not None:
                found.setdefault(session.turn.id, _in_progress(session, len(found) + 1))
            self._turns[session_id] = found
        return self._turns[session_id]

    def _stored(self, key: TurnKey, checkpoint_id: str) -> TurnView:
        """Return what a checkpoint has of a turn that this machine has no record of; only its names without one."""
        with Objects(self._catalog.place.top) as objects:
            held = (
                checkpoints.read(objects, self._catalog.commits, CheckpointId(checkpoint_id)) if checkpoint_id else None
            )
            found = turns.of_checkpoint(objects, held, lineage_file.read(objects, held)) if held is not None else []
        mine = (turn for turn in found if turn.session_id == key.session_id and turn.turn == key.turn_id)
        return next(mine, TurnView(session_id=key.session_id, turn=key.turn_id, number=0))

    def _checkpoint(self, key: TurnKey, path: str) -> str:
        """Return the checkpoint that has a turn's lines of a file; '' if there is none."""
        if (key, path) not in self._checkpoints:
            ids = [name for name, held in self._catalog.sessions_by_checkpoint.items() if key.session_id in held]
            with Objects(self._catalog.place.top) as objects:
                holders = (name for name in ids if self._holds(objects, name, key, path))
                self._checkpoints[key, path] = next(holders, "")
        return self._checkpoints[key, path]

    def _holds(self, objects: Objects, checkpoint_id: str, key: TurnKey, path: str) -> bool:
        held = checkpoints.read(objects, self._catalog.commits, CheckpointId(checkpoint_id))
        own = lineage_file.read(objects, held) if held is not None else None
        lines = own.files.get(path) if own is not None else None
        return lines is not None and any(
            Owner(who).turn == key for who in (lines.made_by, *(who for *_, who in lines.added))
        )


def _in_progress(session: Session, number: int) -> TurnView:
    turn = session.turn
    assert turn is not None
    return TurnView(session_id=session.session_id, turn=turn.id, number=number, agent=session.agent_type,
                    model=turn.model or session.model, prompt=turn.prompt, started=turn.started,
                    position=turn.prompt_position)  # fmt: skip
