"""Looks up what is known of the turns that wrote lines: agent, model, time and prompt."""

from __future__ import annotations

from entire.model.conversations import TurnView
from entire.model.origins import TURN, Origin
from entire.model.times import parse_time
from entire.model.value import replace
from entire.queries import turns
from entire.store import turnlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from entire.layout import Place
    from entire.model.turns import TurnKey
    from entire.origins.owners import Piece
    from entire.origins.stored import StoredCheckpoints, StoredSlot
    from entire.store.catalog import Catalog


class Details:
    """Reads the checkpoints of many pieces together, and each turn once."""

    def __init__(self, place: Place, catalog: Catalog, stored: StoredCheckpoints) -> None:
        self._place = place
        self._catalog = catalog
        self._stored = stored
        self._known: dict[tuple[str, TurnKey], TurnView] = {}

    def load(self, pieces: Iterable[Piece]) -> None:
        """Read the checkpoints that hold the pieces' turns."""
        self._stored.load_sessions(piece.checkpoint_id for piece in pieces if piece.owner.is_turn)

    def of(self, key: TurnKey, checkpoint_id: str = "") -> TurnView:
        """Return a turn as its checkpoint describes it, else as this machine or another checkpoint does."""
        if (checkpoint_id, key) not in self._known:
            view = self._stored_turn(key, checkpoint_id) if checkpoint_id else None
            if view is None or not view.turn:
                view = self._own_turn(key) or self._earlier_turn(key) or view
            bare = TurnView(session_id=key.session_id, turn=key.turn_id, number=0, checkpoint_id=checkpoint_id)
            self._known[checkpoint_id, key] = view or bare
        return self._known[checkpoint_id, key]

    def _stored_turn(self, key: TurnKey, checkpoint_id: str) -> TurnView | None:
        """Return a turn from a checkpoint; without its id, if only its session is in the checkpoint."""
        slot = self._stored.sessions(checkpoint_id).get(key.session_id)
        if slot is None:
            return None
        details = self._stored.turn(checkpoint_id, key.session_id, key.turn_id)
        if details is None:
            return _session_view(slot, key, checkpoint_id)
        number, recorded, prompt = details
        return TurnView(
            session_id=key.session_id,
            turn=key.turn_id,
            number=number,
            agent=slot.agent,
            model=str(recorded.get("model", "")),
            started=parse_time(recorded.get("started_at")),
            prompt=prompt,
            checkpoint_id=checkpoint_id,
        )

    def _own_turn(self, key: TurnKey) -> TurnView | None:
        """Return a turn that this machine recorded, or that is in progress."""
        if not any(note.turn == key.turn_id for note in turnlog.read(self._place, key.session_id)):
            return turns.in_progress(self._place, key.session_id, key.turn_id)
        return next(turn for turn in turns.of_session(self._place, key.session_id) if turn.turn == key.turn_id)

    def _earlier_turn(self, key: TurnKey) -> TurnView | None:
        """Return a turn from any other checkpoint of its session."""
        ids = [name for name, held in self._catalog.sessions_by_checkpoint.items() if key.session_id in held]
        self._stored.load(ids)
        self._stored.load_sessions(ids)
        views = (self._stored_turn(key, name) for name in ids)
        return next((turn for turn in views if turn is not None and turn.turn), None)


def _session_view(slot: StoredSlot, key: TurnKey, checkpoint_id: str) -> TurnView:
    """Return what is known of a session whose turns are not recorded: its only prompt must be the turn's."""
    only = slot.prompts[0] if len(slot.prompts) == 1 else ""
    return TurnView(session_id=key.session_id, turn="", number=1 if only else 0, agent=slot.agent, prompt=only,
                    checkpoint_id=checkpoint_id)  # fmt: skip


def of_turn(basis: Origin, turn: TurnView) -> Origin:
    """Return an origin as that of a turn's line."""
    return replace(basis, kind=TURN, session_id=turn.session_id, turn=turn.turn, agent=turn.agent, model=turn.model,
                   started=turn.started, prompt=turn.prompt)  # fmt: skip
