"""A scripted model server: it speaks a provider's API on 127.0.0.1 and answers what a script says.

A real coding agent is pointed at it, so that a test decides every answer, every tool call and every token the agent is
told about. A provider is one `Dialect`; `DIALECTS` is the table of those that are plugged in.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

from anthropic_dialect import Anthropic
from gemini_dialect import Gemini
from responses_dialect import Responses
from script import Answer, Dialect, Request, Script, Text, Turn

JSON_TYPE = "application/json"
STREAM_TYPE = "text/event-stream"
UNSCRIPTED = "UNSCRIPTED REQUEST"

DIALECTS: tuple[Dialect, ...] = (Anthropic(), Gemini(), Responses())

SIDE_ANSWER = Answer(parts=(Text(text="ok"),))
SIDE_JSON = Answer(parts=(Text(text='{"title": "Scripted session"}'),))


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A request as it came and what it got; `turn` is None for side requests (titles and the like)."""

    path: str
    body: dict[str, Any]
    request: Request
    turn: Turn | None
    answer: Answer


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a request may be in the middle of a long scripted delay
    model: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over an agent that was interrupted and hung up; anything else is a fault of this server."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            self.model.problems.append(f"the model server failed: {error!r}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        self.server.model.handle(self, "GET", {})

    def do_HEAD(self) -> None:
        self.server.model.handle(self, "HEAD", {})

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(size)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = None
        if isinstance(body, dict):
            self.server.model.handle(self, "POST", body)
        else:
            self.reply(400, {"error": {"type": "invalid_request_error", "message": "the body is no JSON object"}})

    def reply(self, status: int, document: dict[str, Any]) -> None:
        """Send one JSON document."""
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", JSON_TYPE)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, pieces: Iterable[bytes], wait: Callable[[], None]) -> None:
        """Send server-sent events as they come, the connection closed at the end."""
        self.send_response(200)
        self.send_header("Content-Type", STREAM_TYPE)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Connection", "close")
        self.end_headers()
        for index, piece in enumerate(pieces):
            if index:
                wait()
            self.wfile.write(piece)
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the name is the base class's)
        """Write nothing: the exchanges are kept instead."""


class ModelServer:
    """The server: a context manager; point the agent at `url`, look at `exchanges` and `problems` afterwards."""

    host: ClassVar[str] = "127.0.0.1"

    def __init__(self, script: Script, dialects: Sequence[Dialect] = DIALECTS) -> None:
        """Prepare a server for this script."""
        self.script = script
        self.exchanges: list[Exchange] = []
        self.problems: list[str] = []
        self._dialects = tuple(dialects)
        self._numbers = itertools.count(1)
        self._name = uuid.uuid4().hex[:12]  # a session may go on with another server: ids never repeat
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._http = _Http((self.host, 0), _Handler)
        self._http.model = self

    @property
    def url(self) -> str:
        """Return the address the agent is to be pointed at."""
        return f"http://{self.host}:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._http.shutdown()
        self._http.server_close()

    def scripted(self, session: str | None = None) -> list[Exchange]:
        """Return the exchanges that belong to a turn (of one session), in the order they were answered."""
        with self._lock:
            return [e for e in self.exchanges if e.turn is not None and session in (None, e.request.session)]

    def last(self, prompt: str) -> Request:
        """Return the newest request of the turn with this prompt."""
        found = [e.request for e in self.scripted() if e.turn is not None and e.turn.fits(prompt)]
        if not found:
            raise AssertionError(f"no request came for {prompt!r}; {self.problems or 'no other problem'}")
        return found[-1]

    def handle(self, http: _Handler, method: str, body: dict[str, Any]) -> None:
        """Answer one request."""
        for dialect in self._dialects:
            aside = dialect.aside(method, http.path, body)
            if aside is not None:
                return http.reply(200, aside)
            if dialect.serves(method, http.path):
                return self._converse(http, dialect, body)
        if method == "HEAD" or http.path == "/":  # agents look whether somebody is there
            return http.reply(200, {})
        return self._refuse(http, self._dialects[0], f"nothing is served at {method} {http.path}")

    def _converse(self, http: _Handler, dialect: Dialect, body: dict[str, Any]) -> None:
        if problem := dialect.problem(body):
            return self._refuse(http, dialect, problem)
        request = dialect.parse(http.path, body)
        found = (
            self.script.find(request.conversation) if request.tools else self.script.find_aside(request.conversation)
        )
        if found is not None:
            reply = self.script.answer(*found)
            if reply is None:
                return self._refuse(http, dialect, f"the turn {found[0].prompt!r} has no answer number {found[1]}")
        elif request.tools:
            newest = next((m.texts for m in reversed(request.conversation) if m.role == "user" and m.texts), ())
            return self._refuse(http, dialect, f"no turn fits {newest!r}")
        else:
            reply = SIDE_JSON if request.wants_json else SIDE_ANSWER
        with self._lock:
            turn_ = found[0] if found else None
            self.exchanges.append(Exchange(path=http.path, body=body, request=request, turn=turn_, answer=reply))
        self._send(http, dialect, request, reply)
        return None

    def _send(self, http: _Handler, dialect: Dialect, request: Request, reply: Answer) -> None:
        self._pause(reply.delay)
        if reply.fault is not None:
            wrong = reply.fault
            http.reply(wrong.status, dialect.refuse(wrong.status, wrong.kind, wrong.message))
            return
        pieces = dialect.render(request, reply, f"{self._name}{next(self._numbers):08d}")
        if request.stream:
            http.stream(pieces, lambda: self._pause(reply.pace))
        else:
            http.reply(200, json.loads(b"".join(pieces)))

    def _pause(self, seconds: float) -> None:
        """Wait, but not for a server that is already closed."""
        self._closed.wait(seconds)

    def _refuse(self, http: _Handler, dialect: Dialect, problem: str) -> None:
        """Answer what no script foresaw: the agent stops with the error, the test finds it in `problems`."""
        with self._lock:
            self.problems.append(f"{UNSCRIPTED}: {problem}")
        http.reply(400, dialect.refuse(400, "invalid_request_error", f"{UNSCRIPTED}: {problem}"))
