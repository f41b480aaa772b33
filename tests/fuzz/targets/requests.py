"""Requests to the server, over HTTP and WebSockets."""

from __future__ import annotations

import json
import logging
import random
import shutil
from pathlib import Path
from typing import Any

from fuzz import asgi, mutate, values
from fuzz.target import LONGEST, Data, Finding, Target, expect
from log_helpers import play_logged
from warlight_env.web.http.app import create_app
from warlight_env.web.http.settings import ServerSettings

#: Number of inputs after which a new server starts, so that games do not accumulate.
LIFE = 400
#: A map as the map editor of the page sends it.
DRAWN: dict[str, Any] = {
    "name": "row", "title": "A row", "description": "", "source": "", "super_regions": [{"name": "All", "bonus": 2}],
    "regions": [
        {"name": name, "code": name[:2].upper(), "super_region": 0, "army": 2,
         "shape": {"path": f"M{x} 0L{x + 9} 0L{x + 9} 9L{x} 9Z", "label": [x + 4, 4], "radius": 4}}
        for name, x in (("Ash", 0), ("Birch", 9), ("Cedar", 18))
    ],
    "borders": [[0, 1], [1, 2], [0, 2]], "view_box": [0, 0, 30, 10],
    "sea_links": [{"regions": [0, 2], "line": [[9, 4], [18, 4]]}],
}  # fmt: skip
BODIES: dict[str, Any] = {
    "/api/games": {
        "players": [{"name": "Ann"}, {"name": "Bo"}], "map": "small", "regions": 12, "rules": "thesis", "fog": False,
        "seed": 1, "picks": "choose", "pace": 0.5,
    },
    "/api/games/GAME/picks": {"wishes": [0, 1, 2, 3]},
    "/api/games/GAME/orders": {"round": 1, "deploys": [[0, 1]], "attacks": [[0, 1, 1]], "hint": "off"},
    "/api/games/GAME/control": {"paused": True, "pace": 0.5},
    "/api/games/GAME/insight": {"bot": "aggressive", "round": 0, "seat": 0},
    "/api/games/GAME/branch": {"round": 0, "players": [{"name": "Ann"}, {"name": "Bo"}]},
    "/api/replays/LOG/insight": {"bot": "aggressive", "round": 1, "seat": 0},
    "/api/replays/LOG/branch": {"round": 1, "players": [{"name": "Ann"}, {"name": "Bo"}]},
    "/api/maps/check": DRAWN,
    "/api/maps/file": DRAWN,
    "/api/maps": DRAWN,
    "/api/maps/read": DRAWN,
    "/api/maps/row/remove": {},
}  # fmt: skip
GET_PATHS = (
    "/", "/api/home", "/api/games/GAME", "/api/games/GAME/replay", "/api/tournaments/cup",
    "/api/tournaments/cup/games", "/api/tournaments/cup/games/1/1", "/api/maps/small", "/api/maps/row",
    "/api/maps/generated:12:1", "/api/nothing", "/api/games/../home",
)  # fmt: skip
HELLO = {"token": "TOKEN", "key": "", "after": -1}


class Requests(Target):
    """``("http", method, path, query, headers, pieces)`` or ``("socket", path, query, headers, messages)``.

    The words GAME, TOKEN and LOG stand for a game, a token of one of its seats and an opened log.
    """

    share = 45

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._silenced = logging.root.manager.disable  # the level that `close` restores
        logging.disable(logging.CRITICAL)
        log = folder / "seed.wl.jsonl"
        play_logged(log, map="small", max_rounds=3)
        self._log = log.read_bytes()
        self._client: asgi.Client | None = None
        self._asked = 0

    def make(self, rng: random.Random) -> Data:
        headers = [
            (b"host", b"127.0.0.1:8000"),
            (b"authorization", b"Bearer TOKEN"),
            (b"content-type", b"application/json"),
        ]
        if rng.random() < 0.25:
            headers = _headers(headers, rng)
        if rng.random() < 0.15:
            hello = json.dumps(mutate.changed(HELLO, rng) if rng.random() < 0.7 else HELLO)
            message: Any = rng.choice(
                (hello, hello, hello.encode(), mutate.damaged(hello.encode(), rng).decode("latin-1"))
            )
            return ("socket", _path("/api/games/GAME/feed", rng), b"", headers, [message] * rng.choice((0, 1, 1, 2)))
        if rng.random() < 0.2:
            query = rng.choice(
                (b"", b"agent=a&against=b", b"agent=%ff&against", mutate.damaged(b"agent=a&against=b", rng))
            )
            return (
                "http",
                rng.choice(("GET", "GET", "HEAD", "DELETE")),
                _path(rng.choice(GET_PATHS), rng),
                query,
                headers,
                [],
            )
        if rng.random() < 0.08:
            content = mutate.damaged(self._log, rng) if rng.random() < 0.97 else self._log
            return ("http", "POST", "/api/replays", b"", headers, [content])
        path = rng.choice(list(BODIES))
        body = BODIES[path]
        content = json.dumps(mutate.changed(body, rng) if rng.random() < 0.7 else body).encode()
        if rng.random() < 0.3:
            content = mutate.damaged(content, rng)
        at = rng.randrange(len(content) + 1)
        pieces = [content] if rng.random() < 0.9 else [content[:at], content[at:]]
        return (
            "http",
            "POST" if rng.random() < 0.95 else rng.choice(("PUT", "GET", "X")),
            _path(path, rng),
            b"",
            headers,
            pieces,
        )

    def run(self, data: Data) -> bool:
        if self._client is None or self._asked >= LIFE:
            self._begin()
        client = self._client
        assert client is not None
        self._asked += 1
        kind, *rest = data
        if kind == "socket":
            path, query, headers, messages = rest
            received = client.listen(self._real(path), query, self._told(headers), [self._real(m) for m in messages])
            expect(all(len(text) < 10**6 for text in received), "a message that is too much")
            return not any('"error"' in text[:40] for text in received)
        method, path, query, headers, pieces = rest
        before = self._look()
        answer = client.ask(
            method, self._real(path), query, self._told(headers), [self._real(piece) for piece in pieces]
        )
        if answer.status >= 500:
            raise Finding(f"status {answer.status}: {answer.body[:300]!r}")
        if answer.status >= 400:
            _check_refusal(answer)
            expect(self._look() == before, "a refused request that changed a game")
        return 200 <= answer.status < 400

    def _begin(self) -> None:
        self.close()
        folder = self.folder / "games"
        shutil.rmtree(folder, ignore_errors=True)
        app = create_app(ServerSettings(folder, bots=("aggressive", "random"), rate=1e9, max_rooms=50, workers=1))
        self._client, self._asked = asgi.Client(app), 0
        headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
        body = json.dumps({**BODIES["/api/games"], "picks": "random"}).encode()
        made = self._client.ask("POST", "/api/games", b"", headers, [body])
        expect(made.status == 200, f"no game: {made.body[:300]!r}")
        self._words = {"GAME": made.json()["id"], "TOKEN": made.json()["tokens"]["0"], "LOG": "0" * 32}

    def _look(self) -> Any:
        assert self._client is not None
        headers = [(b"host", b"127.0.0.1:8000"), (b"authorization", b"Bearer " + self._words["TOKEN"].encode())]
        answer = self._client.ask("GET", f"/api/games/{self._words['GAME']}", b"", headers, [])
        expect(answer.status == 200, f"the game is gone: {answer.body[:300]!r}")
        return answer.json()

    def _real(self, text: Any) -> Any:
        """Replace the words GAME, TOKEN and LOG by the values of this server."""
        if isinstance(text, bytes):
            for word, replacement in self._words.items():
                text = text.replace(word.encode(), replacement.encode())
            return text
        for word, replacement in self._words.items():
            text = text.replace(word, replacement)
        return text

    def _told(self, headers: Any) -> list[tuple[bytes, bytes]]:
        return [(name, self._real(value)) for name, value in headers]

    def close(self) -> None:
        logging.disable(self._silenced)
        if self._client is not None:
            client, self._client = self._client, None
            client.close()


def _check_refusal(answer: asgi.Answer) -> None:
    """Check that an error response contains a reason of limited length."""
    expect(len(answer.body) < 4 * LONGEST, "a refusal that says too much")
    if answer.status in (404, 405) and answer.body in (b'{"detail":"Not Found"}', b'{"detail":"Method Not Allowed"}'):
        return
    if answer.body:
        expect(isinstance(answer.json().get("error"), str) and answer.json()["error"], "a refusal without a reason")


def _path(path: str, rng: random.Random) -> str:
    if rng.random() < 0.85:
        return path
    way = rng.randrange(4)
    if way == 0:
        return path.replace("GAME", values.text(rng)).replace("LOG", values.text(rng))
    if way == 1:
        return mutate.damaged(path.encode(), rng).decode("latin-1")
    return path + rng.choice(("/", "/..", "%00", "\x00", "?", "/\udcff")) if way == 2 else path.upper()


def _headers(headers: list[tuple[bytes, bytes]], rng: random.Random) -> list[tuple[bytes, bytes]]:
    way = rng.randrange(4)
    if way == 0:
        return [pair for pair in headers if rng.random() < 0.6]
    if way == 1:
        name, value = rng.choice(headers)
        return [*headers, (name, mutate.damaged(value, rng)[:5000])]
    odd = rng.choice((
        (b"content-length", rng.choice((b"-1", b"0", b"999999999999", b"x", b"\xb2", b"", b"9" * 500, b"1e3"))),
        (b"authorization", rng.choice((b"", b"Bearer \xff\xfe", b"Basic x", b"Bearer " + b"t" * 5000))),
        (b"origin", rng.choice((b"null", b"http://evil.example", b"http://[", b"http://127.0.0.1:8000", b"\xff"))),
        (b"host", rng.choice((b"", b"evil.example", b"[::1", b"127.0.0.1:99999999", b"\xff"))),
        (b"x-warlight-token", rng.choice((b"", b"\xff", b"x" * 5000))),
        (b"x-forwarded-for", b"1.2.3.4"),
        (b"content-type", rng.choice((b"", b"text/html", b"application/json; charset=utf-7"))),
        (b"accept-encoding", b"gzip, br;q=\xff"), (b"expect", b"100-continue"), (b"transfer-encoding", b"chunked"),
    ))  # fmt: skip
    return [pair for pair in headers if pair[0] != odd[0]] + [odd] * rng.choice((1, 1, 2))


TARGET = Requests
