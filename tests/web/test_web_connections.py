"""Hostile connections and requests: slow, numerous, forged or malformed, and a server without free file descriptors."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from warlight_env.web.access.connections import ConnectionLimits, address_of
from warlight_env.web.http.app import create_app
from warlight_env.web.http.server import config_of
from warlight_env.web.http.settings import ServerSettings
from web_helpers import needs_page, serving


@contextlib.contextmanager
def run_server(folder: Path, limits: ConnectionLimits, proxies: tuple[str, ...] = (), **settings: Any) -> Iterator[int]:
    """Run a server in this process; yield its port."""
    server = uvicorn.Server(config_of(create_app(ServerSettings(folder, workers=1, **settings)), proxies, limits))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)


def client_of(port: int) -> httpx.Client:
    """Return a client. Certificates are not loaded, because nothing is encrypted."""
    return httpx.Client(base_url=f"http://127.0.0.1:{port}/", verify=False)


def connect_to(port: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(30)
    return client


def read_answer(client: socket.socket) -> bytes:
    """Read all bytes until the server closes the connection."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(65536):
            data += part
    return data


def send_slowly(client: socket.socket, head: bytes, rest: bytes) -> bytes:
    """Send a request byte by byte, with pauses shorter than any idle timeout; return the answer."""
    client.sendall(head)
    client.settimeout(0.05)
    data = b""
    for byte in rest * 10_000:
        try:
            client.sendall(bytes([byte]))
            data += (part := client.recv(65536))
            if not part:
                return data
        except TimeoutError:
            continue
        except ConnectionError:
            return data
    raise AssertionError("it was listened to for ever")


def test_a_request_that_never_ends_gets_status_408(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(head_timeout=0.4)) as port:
        assert read_answer(connect_to(port)) == b""  # sends nothing, like browsers that connect in advance
        assert send_slowly(connect_to(port), b"GET / HTTP/1.1\r\nHost: x\r\n", b"a: b\r\n").startswith(b"HTTP/1.1 408")
        again = connect_to(port)  # slow in its second request
        again.sendall(b"GET /api/home HTTP/1.1\r\nHost: x\r\n\r\n")
        assert again.recv(65536).startswith(b"HTTP/1.1 200")
        assert b"HTTP/1.1 408" in send_slowly(again, b"GET / HTTP/1.1\r\n", b"a: b\r\n")
        assert client_of(port).get("api/home").status_code == 200


def test_many_incomplete_request_headers_get_status_408(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(head_timeout=0.4)) as port:
        clients = [connect_to(port) for _ in range(100)]
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\nHost: loc")
        assert {read_answer(client)[:12] for client in clients} == {b"HTTP/1.1 408"}
        assert client_of(port).get("api/home").status_code == 200


def test_the_scheme_of_an_origin_comes_only_from_trusted_proxies(tmp_path: Path):
    def status(port: int, origin: str, forwarded: str = "") -> int:
        headers = {"origin": origin, **({"x-forwarded-proto": forwarded} if forwarded else {})}
        return client_of(port).get("api/home", headers=headers).status_code

    for name, proxies in (("bare", ()), ("behind", ("127.0.0.1",))):
        with run_server(tmp_path / name, ConnectionLimits(), proxies=proxies) as port:
            host = f"127.0.0.1:{port}"
            assert status(port, f"http://{host}") == 200
            assert status(port, f"https://{host}") == 403
            assert status(port, f"https://{host}", "https") == (200 if proxies else 403)


def test_missing_bodies_time_out_and_too_large_bodies_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("warlight_env.web.access.auth.SLOWEST", 0.4)
    with run_server(tmp_path, ConnectionLimits(head_timeout=0.4)) as port:
        for path, length in (("games", b"1000"), ("replays", b"8000000")):
            head = b"POST /api/%b HTTP/1.1\r\nHost: x\r\nContent-Length: %b\r\n\r\n{" % (path.encode(), length)
            assert send_slowly(connect_to(port), head, b" ").startswith(b"HTTP/1.1 408")
        chunked = b"POST /api/replays HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        client = connect_to(port)
        client.sendall(chunked)
        with contextlib.suppress(ConnectionError):
            for _ in range(9):
                client.sendall(b"100000\r\n" + b"x" * 2**20 + b"\r\n")
        assert read_answer(client).startswith(b"HTTP/1.1 413")


def test_a_client_that_does_not_read_its_answers_is_disconnected(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(read_timeout=0.4)) as port:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", port))
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 30)  # the answers exceed the system's buffers
        time.sleep(2)
        client.settimeout(30)
        data = read_answer(client)
        assert data.count(b"HTTP/1.1 200") < 30


def test_connections_are_limited_per_address_and_in_total(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(address=5)) as port:
        connections = [connect_to(port) for _ in range(5)]
        connections[0].sendall(b"GET /api/home HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connections[0].recv(65536).startswith(b"HTTP/1.1 200")  # existing connections are served
        assert read_answer(connect_to(port)).startswith(b"HTTP/1.1 429")
        connections.pop().close()
        deadline = time.monotonic() + 10
        while True:
            client = connect_to(port)
            client.sendall(b"GET /api/home HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            if read_answer(client).startswith(b"HTTP/1.1 200"):
                break
            assert time.monotonic() < deadline
    with run_server(tmp_path / "full", ConnectionLimits(max_connections=3)) as port:
        connections = [connect_to(port) for _ in range(3)]
        assert read_answer(connect_to(port)).startswith(b"HTTP/1.1 503")


def test_a_websocket_may_stay_silent_for_a_long_time(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(head_timeout=0.2)) as port:
        body = {"players": [{"name": "A"}, {"name": "B"}], "map": "small"}
        game = client_of(port).post("api/games", json=body).json()
        with connect(f"ws://127.0.0.1:{port}/api/games/{game['id']}/feed") as viewer:
            time.sleep(1)
            viewer.send(json.dumps({"token": game["tokens"]["0"]}))
            assert json.loads(viewer.recv(10))["event"] == "start"
            time.sleep(1)
            while json.loads(viewer.recv(10))["type"] != "now":
                pass
            viewer.ping().wait(10)


def frame(kind: int, payload: bytes = b"") -> bytes:
    """Return a WebSocket frame of a client, with a mask of zeros."""
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return bytes([0x80 | kind]) + length + bytes(4) + payload


TEXT, PING, PONG = 1, 9, 10


def test_a_viewer_that_sends_more_than_its_first_message_is_disconnected(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits()) as port, client_of(port) as http:
        game = http.post("api/games", json={"players": [{"name": "A"}, {"name": "B"}], "map": "small"}).json()
        lines = (f"GET /api/games/{game['id']}/feed HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade")
        for introduced in (False, True):
            for more in (frame(TEXT), frame(TEXT, b"x" * 2000), frame(PING), frame(PONG, b"1234")):
                client = connect_to(port)
                client.sendall("\r\n".join((*lines, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "")).encode())
                client.sendall(b"Sec-WebSocket-Version: 13\r\n\r\n")
                assert client.recv(65536).startswith(b"HTTP/1.1 101")
                if introduced:
                    client.sendall(frame(TEXT, json.dumps({"token": game["tokens"]["0"]}).encode()))
                    assert b"start" in client.recv(65536)
                with contextlib.suppress(ConnectionError):
                    client.sendall(more * 20_000)
                read_answer(client)  # returns only after the server has closed the connection
                assert http.get("api/home").status_code == 200


def test_a_viewer_may_send_pings_and_a_fragmented_first_message(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits()) as port:
        body = {"players": [{"name": "A"}, {"name": "B"}], "map": "small"}
        game = client_of(port).post("api/games", json=body).json()
        with connect(f"ws://127.0.0.1:{port}/api/games/{game['id']}/feed") as viewer:
            message = json.dumps({"token": game["tokens"]["0"]})
            viewer.send([message[:10], message[10:]])  # as two fragments
            for _ in range(20):
                assert viewer.ping().wait(10)
            assert json.loads(viewer.recv(10))["event"] == "start"


def test_open_websockets_count_towards_the_limit_of_an_address(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(), at_once=3) as port:
        body = {"players": [{"name": "A"}, {"name": "B"}], "map": "small"}
        game = client_of(port).post("api/games", json=body).json()
        url = f"ws://127.0.0.1:{port}/api/games/{game['id']}/feed"
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                viewer = stack.enter_context(connect(url))
                viewer.send(json.dumps({"token": game["tokens"]["0"]}))
                assert json.loads(viewer.recv(10))["type"] == "event"
            assert client_of(port).get("api/home").status_code == 429


def test_forwarded_addresses_are_accepted_from_trusted_proxies_only(tmp_path: Path):
    def statuses(port: int) -> list[int]:
        with client_of(port) as client:
            responses = [client.get("api/home", headers={"x-forwarded-for": f"10.0.0.{n}"}) for n in range(30)]
        return [response.status_code for response in responses]

    with run_server(tmp_path / "bare", ConnectionLimits(), rate=1.0) as port:
        assert 429 in statuses(port)  # the server ignores the header: one address
    with run_server(tmp_path / "behind", ConnectionLimits(), proxies=("127.0.0.1",), rate=1.0) as port:
        assert 429 not in statuses(port)  # thirty addresses
    with run_server(tmp_path / "other", ConnectionLimits(), proxies=("192.0.2.1",), rate=1.0) as port:
        assert 429 in statuses(port)


def test_trusted_proxies_match_in_all_notations_of_ipv4_and_ipv6():
    limits = ConnectionLimits(address=1, trusted=("::1", "0:0:0:0:0:0:0:2", "192.0.2.1"))
    transports: list[Any] = [type("Transport", (), {"is_closing": lambda self: False})() for _ in range(20)]
    for host in ("::1", "::2", "192.0.2.1", "::ffff:192.0.2.1"):
        assert [limits.admit(transports.pop(), (host, n)) for n in range(3)] == [None] * 3, host
    assert limits.admit(transports.pop(), ("2001:db8::1", 1)) is None
    assert limits.admit(transports.pop(), ("2001:db8::2", 1)) == "429 Too Many Requests"


def test_rejected_requests_count_towards_the_rate_limit(tmp_path: Path):
    with run_server(tmp_path, ConnectionLimits(), token="right", rate=1.0) as port:
        with client_of(port) as client:
            statuses = [client.get("api/home", headers={"x-warlight-token": "wrong"}).status_code for _ in range(30)]
        assert statuses[0] == 401 and statuses[-1] == 429


def test_a_viewer_of_an_unreadable_game_receives_an_error(tmp_path: Path):
    seats = {"seats": [["Ann", None, "a" * 24], ["Bo", None, "b" * 24]], "watch": None, "pace": 0.8}
    (tmp_path / "aaaaaaaaaaaa.seats.json").write_text(json.dumps(seats))  # the log is missing
    with (
        run_server(tmp_path, ConnectionLimits()) as port,
        connect(f"ws://127.0.0.1:{port}/api/games/aaaaaaaaaaaa/feed") as viewer,
    ):
        viewer.send(json.dumps({"token": "a" * 24}))
        message = json.loads(viewer.recv(30))
        assert (message["type"], message["status"]) == ("error", 503)
        assert "No such file" in message["error"] and str(tmp_path) not in message["error"]
        with pytest.raises(ConnectionClosed):
            viewer.recv(30)


def test_connections_count_for_their_ipv4_address_or_ipv6_network():
    assert address_of(("192.0.2.7", 1)) == address_of(("::ffff:192.0.2.7", 2)) == "192.0.2.7"
    assert address_of(("2001:db8::1", 1)) == address_of(("2001:db8::ffff:2", 1)) != address_of(("2001:db8:0:1::1", 1))
    assert address_of(None) == ""


def malformed_requests(game: str, key: str, token: str) -> Iterator[tuple[str, bytes]]:
    """Yield malformed requests, each with a description of its error."""
    key_header = f"x-warlight-token: {key}\r\n".encode()
    both_headers = key_header + f"authorization: Bearer {token}\r\n".encode()

    def get(target: str, headers: bytes = both_headers) -> bytes:
        return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n".encode() + headers + b"\r\n"

    def post(target: str, body: bytes, headers: bytes = both_headers) -> bytes:
        head = f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"content-type: application/json\r\n" + headers + b"\r\n" + body

    at = f"/api/games/{game}"
    for value in (b"Bearer \xe9", b"\xff\xfe", b"x" * 5000, b"", b"Bearer", b"Bearer \x01"):
        yield f"authorization {value!r:.40}", get(at, key_header + b"authorization: " + value + b"\r\n")
        yield f"server's token {value!r:.40}", get("/api/home", b"x-warlight-token: " + value + b"\r\n")
    for value in (b"http://[", b"null", b"\xe9", b"http://127.0.0.1:1@evil", b"//", b"http://" + b"[" * 500):
        yield f"origin {value!r:.40}", get("/api/home", key_header + b"origin: " + value + b"\r\n")
    for value in (b"9" * 5000, b"-1", b"1e3", b"0x10", b"\xb2", b"1, 2", b"", b"99999999999999999999"):
        head = b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + key_header
        yield f"content-length {value!r:.40}", head + b"Content-Length: " + value + b"\r\n\r\n"
    for target in (
        "/api/games/%00", "/api/games/..%2f..%2fetc%2fpasswd", "/api/games/%ff%fe", "/api/games/" + "a" * 9000,
        f"{at}%00", f"/api/games/{game}.seats.json", "/api/games/%F0%9D%94%98", "//api//home", "/api/../api/nothing",
        "/api/tournaments/%00", "/api/tournaments/..%2f..", "/api/tournaments/%ed%a0%80", "/api/tournaments/x/games",
        "/api/tournaments/x/games?agent=%ff&against=%00", "/api/tournaments/x/games?agent=" + "a" * 6000,
        "/api/tournaments/cup/games/1e999/1",
        f"/api/tournaments/cup/games/{10**400}/1", "/api/tournaments/cup/games/NaN/1",
        f"/api/tournaments/cup/games/1/{10**300}", f"/api/tournaments/cup/games/{'9' * 5000}/1", "/api/nothing", "/etc",
        "/api/tournaments/cup/games/-1/-1", "/api/tournaments/cup/games/1/1%00", "/api/replays/%00/analysis",
    ):  # fmt: skip
        yield f"GET {target:.60}", get(target)
    two = b'{"players":[{"name":"A"},{"bot":"random"}],'
    for body in (
        b"", b"null", b"[]", b"3", b"\xff\xfe{\x00}", b'{"\\ud800":1}',
        b'{"players":[{"name":"\\ud800"},{"name":"b"}]}',
        b'{"players":[{"name":"\\u0000"},{"name":"b"}]}', b'{"players":[{"name":"\\u001b[2J"},{"name":"b"}]}',
        b'{"players":[{"bot":"\\ud800"},{"name":"b"}]}', two + b'"pace":NaN}', two + b'"pace":Infinity}',
        two + b'"pace":1e999}', two + b'"seed":1e999}', two + b'"seed":%d}' % 10**400,
        two + b'"seed":' + b"9" * 5000 + b"}",
        two + b'"regions":1e308}', two + b'"regions":-1e999}', two + b'"map":"\\u0000"}', two + b'"map":"../x"}',
        two + b'"map":"\\ud800"}', two + b'"rules":"\\ud800"}', b"[" * 60_000, b'{"a":' * 10_000,
        two + b'"map":"x\xff"}',
    ):  # fmt: skip
        yield f"POST games {body!r:.60}", post("/api/games", body)
    for body in (
        b'{"round":1e999,"deploys":[],"attacks":[]}', b'{"round":%d,"deploys":[],"attacks":[]}' % 10**400,
        b'{"round":1,"deploys":[[0,%d]],"attacks":[]}' % 10**400, b'{"round":1,"deploys":[[NaN,1]],"attacks":[]}',
        b'{"round":1,"deploys":[[-0.0,1]],"attacks":[]}', b'{"round":1,"deploys":{},"attacks":[[0,1,1e999]]}',
        b'{"round":1,"deploys":[],"attacks":[],"hint":"\\ud800"}', b'{"round":1,"deploys":[[999,1]],"attacks":[]}',
        b'{"round":1,"deploys":[],"attacks":[],"' + b"x" * 60_000 + b'":1}',
    ):  # fmt: skip
        yield f"POST orders {body!r:.60}", post(f"{at}/orders", body)
    yield "picks", post(f"{at}/picks", b'{"wishes":[%d]}' % 10**400)
    for body in (b'{"bot":"\\ud800"}', b'{"bot":"random","seconds":1e999}', b'{"bot":"random","focus":%d}' % 10**400):
        yield f"POST insight {body!r:.60}", post(f"{at}/insight", body)
        yield f"POST analysis {body!r:.60}", post(f"{at}/analysis", body)
    for data in (
        b"",
        b"\x00" * 100,
        b"\x1f\x8b" + b"\xff" * 100,
        b'{"format":"warlight-log","version":1e999}\n',
        b"\n" * 999,
    ):
        yield f"log {data!r:.40}", post("/api/replays", data)
    for line in (b"GET", b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        yield f"line {line!r}", line + b"\r\n\r\n"
    yield "method", b"\x01\x02 / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    yield "DELETE", get("/api/home").replace(b"GET", b"DELETE", 1)
    yield "no host", b"GET /api/home HTTP/1.1\r\nConnection: close\r\n" + key_header + b"\r\n"
    yield "host", get("/api/home").replace(b"Host: 127.0.0.1", b"Host: [::1")
    yield "many headers", get("/api/home", key_header + b"".join(b"h%d: x\r\n" % n for n in range(20_000)))
    for more in (b"Sec-WebSocket-Key: x\r\n", b"", b"Sec-WebSocket-Key: \xff\r\nSec-WebSocket-Version: 99\r\n"):
        upgrade = b"Upgrade: websocket\r\n" + more
        yield f"upgrade {more!r}", get(f"{at}/feed", upgrade).replace(b"Connection: close", b"Connection: Upgrade")


HELLOS: list[str | bytes] = [
    "", "{}", "null", '"x"', "\x00", '{"token":"\\ud800"}', '{"token":"\u00e9"}', '{"token":"x","key":"\u00e9"}',
    '{"token":"x","after":1e999}', '{"token":"x","after":9' + "0" * 400 + "}",
    '{"token":"x","after":' + "9" * 5000 + "}",
    "[" * 10_000, '{"token":NaN}', b"\x00\xff", b"{}", '{"\\ud800":1,"token":"x"}',
]  # fmt: skip


@needs_page
def test_malformed_requests_are_rejected_without_a_traceback(tmp_path: Path):
    errors = tmp_path / "errors"
    with serving(tmp_path, "play", "--vs", "random", "--map", "small", errors=errors) as server:
        port, token = int(server.base.rpartition(":")[2]), server.token(0)
        for description, request in malformed_requests(server.game, server.key, token):
            client = connect_to(port)
            with contextlib.suppress(ConnectionError):
                client.sendall(request)
            data = read_answer(client)
            assert data[:10] == b"HTTP/1.1 4", (description, data[:300])
            assert b"Traceback" not in data
        url = f"{server.base.replace('http', 'ws')}/api/games/{server.game}/feed"
        for hello in HELLOS:
            with connect(url) as viewer, contextlib.suppress(ConnectionClosed):
                viewer.send(hello)
                message = json.loads(viewer.recv(10))
                assert message["type"] == "error"
                assert 400 <= message["status"] < 500
        assert server.client().get("home").status_code == 200
        assert server.client(token).get(f"games/{server.game}").json()["awaited"][0] == 0
    assert "Traceback" not in errors.read_text()
    assert "Exception" not in errors.read_text()


@needs_page
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="another process's limits cannot be set here")
def test_a_server_without_free_file_descriptors_serves_open_connections(tmp_path: Path):
    errors = tmp_path / "errors"
    with serving(tmp_path, "play", "--vs", "random", "--map", "small", errors=errors) as server:
        port = int(server.base.rpartition(":")[2])
        with server.client() as client, server.feed(server.game, server.token(0)) as feed:
            feed.now(phase="pick")
            assert client.get("home").status_code == 200
            open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            before = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (open_files + 4, before[1]))
            connections = [connect_to(port) for _ in range(20)]
            deadline = time.monotonic() + 30
            while "new connections must wait" not in errors.read_text():
                assert time.monotonic() < deadline
                time.sleep(0.05)
            for _ in range(3):
                response = client.get("home")  # the server answers, with a result or with an error
                assert response.status_code in (200, 503), response.text
                time.sleep(0.5)
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, before)
            for connection in connections:
                connection.close()
            assert httpx.get(f"{server.base}/", timeout=30, verify=False).status_code == 200
            picks = {"wishes": list(range(10))}
            assert server.client(server.token(0)).post(f"games/{server.game}/picks", json=picks).status_code == 422
    log = errors.read_text()
    assert "Traceback" not in log
    assert len(log.splitlines()) < 10
