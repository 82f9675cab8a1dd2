"""A hostile client with bare sockets against a real server: requests that no library would send, and what they get.

`python -m tests.server.attacks` prints the table of every attack and the status that it meets.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from remanent.operations.access.keys import KeyRing, Permission, Reach

AGENT = "/v1/orgs/acme/workspaces/lab/agents/ada"
EVIL = "http://evil.example"
HEADER = '{"a":1}\n'
CHAT = '{"model":"m","messages":[{"role":"user","content":"I live in Lisbon"}]}'
ENTRY = '{"messages":["planted"]}'


@dataclass(frozen=True, slots=True)
class Attack:
    """One request, byte for byte; `{port}` stands for the server's own."""

    name: str
    method: str
    path: str
    headers: tuple[str, ...] = ()
    body: str = ""
    host: tuple[str, ...] = ("Host: 127.0.0.1:{port}",)
    version: str = "1.1"

    def raw(self, port: int) -> bytes:
        """Return what is sent."""
        has_length = self.name != "two lengths" and any(line.startswith("Content-Length") for line in self.headers)
        needs = (self.body or self.method != "GET") and not has_length
        length = [f"Content-Length: {len(self.body.encode())}"] if needs else []
        lines = [f"{self.method} {self.path} HTTP/{self.version}", *self.host, *self.headers, *length]
        head = "\r\n".join([*lines, "Connection: close", "", ""]).replace("{port}", str(port))
        return head.encode("latin-1") + self.body.encode()


def _foreign(name: str, method: str, path: str, *headers: str, body: str = "") -> Attack:
    return Attack(f"another site's page: {name}", method, path, (f"Origin: {EVIL}", *headers), body)


def _simple(name: str, path: str, kind: str, body: str) -> Attack:
    headers = (f"Content-Type: {kind}",) if kind else ()
    return Attack(f"what a form can send: {name}", "POST", path, headers, body)


def _host(*lines: str, name: str = "", version: str = "1.1") -> Attack:
    told = name or " and ".join(lines).replace("Host: ", "") or "none"
    return Attack(f"host: {told}", "GET", f"{AGENT}/entries", host=lines, version=version)


JSON = "Content-Type: application/json"
BYTES = "Content-Type: application/octet-stream"
CROSS_SITE: tuple[Attack, ...] = (
    _foreign("chat", "POST", "/v1/chat/completions", JSON, body=CHAT),
    _foreign("chat as text/plain", "POST", "/v1/chat/completions", "Content-Type: text/plain", body=CHAT),
    _foreign("embeddings", "POST", "/v1/embeddings", JSON, body='{"input":"x"}'),
    _foreign("responses", "POST", "/v1/responses", JSON, body='{"model":"m","input":"x"}'),
    _foreign("messages", "POST", "/v1/messages", JSON, body=CHAT),
    _foreign("count tokens", "POST", "/v1/messages/count_tokens", JSON, body=CHAT),
    _foreign("an address the proxy does not have", "POST", "/v1/nothing", JSON, body="{}"),
    _foreign("an address nobody has", "GET", "/nothing"),
    _foreign("health", "GET", "/readyz"),
    _foreign("a method nobody has", "FROB", "/"),
    _foreign("models", "GET", "/v1/models"),
    _foreign("entries", "GET", f"{AGENT}/entries"),
    _foreign("remember", "POST", f"{AGENT}/entries", JSON, body=ENTRY),
    _foreign("import as text/plain", "POST", f"{AGENT}/import", "Content-Type: text/plain", body=HEADER),
    _foreign("attachment as text/plain", "POST", f"{AGENT}/attachments", "Content-Type: text/plain", body="x"),
    _foreign("forget without a body", "POST", f"{AGENT}/records/none/forget"),
    _foreign("revoke a key", "DELETE", "/v1/orgs/acme/keys/000000000000"),
    _foreign("runs", "GET", "/v1/orgs/acme/runs"),
    _foreign("MCP", "POST", "/mcp", JSON, "Accept: application/json, text/event-stream", body="{}"),
    _foreign("figures", "GET", "/metrics"),
    _foreign("sign in", "POST", "/session", JSON, body='{"key":"k"}'),
    _foreign("who is signed in", "GET", "/session"),
    _foreign("sign out", "DELETE", "/session"),
    _foreign("the list of agents", "GET", "/v1/places"),
    _foreign("a file of the pages", "GET", "/static/api.mjs"),
    _foreign("upload a document", "POST", f"{AGENT}/knowledge/documents?name=a.md", BYTES, body="# a"),
    _foreign("preview a document", "POST", f"{AGENT}/knowledge/preview?name=a.md", BYTES, body="# a"),
    _foreign("fetch a page", "POST", f"{AGENT}/knowledge/pages", JSON, body='{"url":"http://127.0.0.1/"}'),
    _foreign("remove a document", "DELETE", f"{AGENT}/knowledge/documents/a.md"),
    _foreign("edit a memory", "PUT", f"{AGENT}/memories/none", JSON, body='{"content":"x"}'),
    _foreign("write a file", "POST", f"{AGENT}/workspace/memory", JSON, body='{"command":"view"}'),
    _foreign("end a session", "POST", f"{AGENT}/sessions/end", JSON, body='{"session":"s"}'),
    _foreign("shorten a conversation", "POST", f"{AGENT}/context", JSON, body='{"messages":[]}'),
    _foreign("preflight", "OPTIONS", f"{AGENT}/entries", "Access-Control-Request-Method: POST"),
    Attack("another port of this machine", "GET", f"{AGENT}/entries", ("Origin: http://127.0.0.1:1",)),
    Attack("a sandboxed page", "GET", f"{AGENT}/entries", ("Origin: null",)),
    Attack("an origin with a user in it", "GET", f"{AGENT}/entries", ("Origin: http://127.0.0.1:{port}@evil.example",)),
    Attack(
        "an own and a foreign origin", "GET", f"{AGENT}/entries", ("Origin: http://127.0.0.1:{port}", f"Origin: {EVIL}")
    ),
    Attack(
        "fetched across sites", "GET", f"{AGENT}/entries", ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors")
    ),
    Attack("fetched within the site", "GET", f"{AGENT}/entries", ("Sec-Fetch-Site: same-site",)),
    Attack(
        "a link to an interface",
        "GET",
        f"{AGENT}/entries",
        ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
    ),
    Attack(
        "the page of documents in a frame",
        "GET",
        "/docs",
        ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"),
    ),
)
"""Requests that a page of another site can have a browser send; each must get 403."""

FORMS: tuple[Attack, ...] = (
    _simple("chat as text/plain", "/v1/chat/completions", "text/plain", CHAT),
    _simple("chat as a form", "/v1/chat/completions", "application/x-www-form-urlencoded", CHAT),
    _simple("chat without a type", "/v1/chat/completions", "", CHAT),
    _simple("embeddings as text/plain", "/v1/embeddings", "text/plain;charset=UTF-8", '{"input":"x"}'),
    _simple("import as text/plain", f"{AGENT}/import", "text/plain", HEADER),
    _simple("import without a type", f"{AGENT}/import", "", HEADER),
    _simple("triples as a form", f"{AGENT}/associative/triples", "multipart/form-data; boundary=x", "x"),
    _simple("attachment as text/plain", f"{AGENT}/attachments", "Text/Plain", "x"),
    _simple("attachment without a type", f"{AGENT}/attachments", "", "x"),
    _simple("forget as text/plain", f"{AGENT}/records/none/forget", "text/plain", ""),
    _simple("remember as text/plain", f"{AGENT}/entries", "text/plain", ENTRY),
    _simple("MCP as text/plain", "/mcp", "text/plain", "{}"),
    _simple("sign in as text/plain", "/session", "text/plain", '{"key":"k"}'),
    _simple("sign in as a form", "/session", "application/x-www-form-urlencoded", "key=k"),
    _simple("a document as text/plain", f"{AGENT}/knowledge/documents?name=a.md", "text/plain", "# a"),
    _simple("a document in a form", f"{AGENT}/knowledge/documents?name=a.md", "multipart/form-data; boundary=x", "x"),
    _simple("a document without a type", f"{AGENT}/knowledge/preview?name=a.md", "", "# a"),
    _simple("a page as text/plain", f"{AGENT}/knowledge/pages", "text/plain", '{"url":"http://127.0.0.1/"}'),
    _simple("a conversation as text/plain", f"{AGENT}/context", "text/plain", '{"messages":[]}'),
    _simple("a file as text/plain", f"{AGENT}/workspace/memory", "text/plain", '{"command":"view"}'),
    Attack(
        "what a form can send: two types",
        "POST",
        f"{AGENT}/entries",
        (JSON, "Content-Type: text/plain"),
        ENTRY,
    ),
)
"""Requests of types for which a browser asks no permission first; each must get 415."""

HOSTS: tuple[Attack, ...] = (
    _host("Host: evil.example"),
    _host("Host: 127.0.0.1:1@evil"),
    _host("Host: 127.0.0.1@evil"),
    _host("Host: [::1]evil"),
    _host("Host: [::1]:1@evil"),
    _host("Host: [::1"),
    _host("Host: 127.0.0.1:"),
    _host("Host: 127.0.0.1:0"),
    _host("Host: 127.0.0.1:65536"),
    _host("Host: 127.0.0.1:80:80"),
    _host("Host: 127.0.0.1:+80"),
    _host("Host: 127.0.0.1.:80"),
    _host("Host: localhost."),
    _host("Host: localhost, evil.example"),
    _host("Host: localhost/evil"),
    _host("Host: localhost#evil"),
    _host("Host:"),
    _host(name="none, as in HTTP/1.0", version="1.0"),
    _host("Host: 127.0.0.1", "Host: evil.example"),
)
"""Requests for names that only look like the server's own; each must get 400 or 421."""


def _raw(name: str, path: str = f"{AGENT}/entries", *headers: str, body: str = "", method: str = "POST") -> Attack:
    return Attack(name, method, path, (JSON, *headers), body)


_CHUNKED = "Transfer-Encoding: chunked"
MALFORMED: tuple[Attack, ...] = (
    _raw("two lengths", f"{AGENT}/entries", "Content-Length: 7", body="{}"),
    _raw("a length and chunks", f"{AGENT}/entries", _CHUNKED, body="0\r\n\r\n"),
    _raw("a coding nobody has", f"{AGENT}/entries", "Transfer-Encoding: gzip, chunked", body="0\r\n\r\n"),
    _raw("a space before the colon", f"{AGENT}/entries", "X-A : b"),
    _raw("NUL in a header", f"{AGENT}/entries", "X-A: a\0b"),
    _raw("a thousand headers", f"{AGENT}/entries", *["X-A: b"] * 1000),
    _raw("a header of 40 kB", f"{AGENT}/entries", f"X-A: {'a' * 40_000}"),
    _raw("an address of 40 kB", f"/{'a' * 40_000}", method="GET"),
    _raw("deep lists", f"{AGENT}/recall", body='{"query":' + "[" * 10_000 + "]" * 10_000 + "}"),
    _raw("deep objects", f"{AGENT}/recall", body='{"a":' * 10_000 + "1" + "}" * 10_000),
    _raw("a number of many digits", f"{AGENT}/recall", body='{"query":"x","limit":' + "9" * 10_000 + "}"),
    _raw("no number", f"{AGENT}/recall", body='{"query":"x","limit":NaN}'),
    _raw("half a character", f"{AGENT}/entries", body='{"messages":["\\ud800"]}'),
    _raw("a list", f"{AGENT}/entries", body="[]"),
    _raw("deep lists to MCP", "/mcp", "Accept: application/json, text/event-stream", body="[" * 10_000 + "]" * 10_000),
    _raw("a key of 5 kB for repeating", f"{AGENT}/entries", f"Idempotency-Key: {'k' * 5000}", body=ENTRY),
    _raw("a name with a path in a header", "/v1/chat/completions", "x-remanent-agent: ..%2f..%2fetc", body=CHAT),
    *(
        _raw(f"a path in a name: {name[:20]}", f"/v1/orgs/{name}/workspaces/lab/agents/ada/entries", method="GET")
        for name in ("%2e%2e", "..", "a%2fb", "a%00b", "%c0%ae%c0%ae", ".access", "a" * 300)
    ),
    *(
        _raw(f"a path among the files: {name}", f"/static/{name}", method="GET")
        for name in ("../pages.py", "%2e%2e/pages.py", "..%2fpages.py", "/etc/passwd", "vendor", "")
    ),
    _raw("a sign-in of 100 kB", "/session", body=json.dumps({"key": "k" * 100_000})),
    _raw("a deep sign-in", "/session", body='{"key":' + "[" * 1000 + "]" * 1000 + "}"),
    _raw("a sign-in that is a list", "/session", body="[]"),
    _raw("a folder of the machine from afar", f"{AGENT}/workspace/memory", body='{"command":"view","path":"../.."}'),
    _raw("a hidden file", f"{AGENT}/workspace/memory", body='{"command":"view","path":".remanent/owner"}'),
    _raw("a page of this machine", f"{AGENT}/knowledge/pages", body='{"url":"http://127.0.0.1:80/readyz"}'),
    _raw("a page of the cloud's", f"{AGENT}/knowledge/pages", body='{"url":"http://169.254.169.254/latest"}'),
    _raw("a page that is a file", f"{AGENT}/knowledge/pages", body='{"url":"file:///etc/passwd"}'),
    Attack("a document without a name", "POST", f"{AGENT}/knowledge/documents", (BYTES,), "# a"),
    Attack("an empty document", "POST", f"{AGENT}/knowledge/documents?name=a.md", (BYTES,)),
    Attack("a damaged document", "POST", f"{AGENT}/knowledge/documents?name=a.pdf", (BYTES,), "%PDF-1.7 " + "<<" * 999),
    Attack("a program", "POST", f"{AGENT}/knowledge/documents?name=a.bin", (BYTES,), "\x7fELF" + "\0" * 999),
    Attack(
        "a document of 10 GB", "POST", f"{AGENT}/knowledge/documents?name=a.md", (BYTES, "Content-Length: 10737418240")
    ),
    _raw("a path in a run", "/v1/orgs/acme/runs/%2e%2e%2f%2e%2e%2fkeys", method="GET"),
    _raw("another server's address", "http://evil.example/v1/orgs/acme/runs", method="GET"),
)
"""Requests that no client sends by mistake; each must get a 4xx, and the server go on."""

PROXIED: tuple[Attack, ...] = tuple(
    Attack(f"through a proxy: {line}", "GET", f"{AGENT}/entries", (line,))
    for line in (
        "X-Forwarded-For: 203.0.113.9",
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: memory.example",
        "X_Forwarded_For: 127.0.0.1",
        "Forwarded: for=127.0.0.1",
        "X-Real-IP: 127.0.0.1",
        "Via: 1.1 proxy",
        "CF-Connecting-IP: 203.0.113.9",
        "X-Forwarded-For:",
    )
)
"""Requests that came through a reverse proxy on this machine; each must get 401 while there is no key."""

KEYLESS: tuple[Attack, ...] = (
    Attack("read", "GET", f"{AGENT}/entries"),
    Attack("write", "POST", f"{AGENT}/entries", (JSON,), ENTRY),
    Attack("chat", "POST", "/v1/chat/completions", (JSON,), CHAT),
    Attack("MCP", "POST", "/mcp", (JSON, "Accept: application/json, text/event-stream"), "{}"),
    Attack("runs", "GET", "/v1/orgs/acme/runs"),
    Attack("figures", "GET", "/metrics"),
    Attack("make an admin's key", "POST", "/v1/orgs/acme/keys", (JSON,), '{"name":"mine","permissions":["admin"]}'),
)
"""Requests without a key, to be sent when keys were made once: each must get 401, or 500 while the keys are damaged."""


def _ring(home: Path) -> KeyRing:
    return KeyRing(home)


def _made_and_revoked(home: Path) -> None:
    key, _ = _ring(home).create("k", reach=Reach(), permissions=(Permission.ADMIN,))
    _ring(home).revoke(key.key_id)


def _made_and_expired(home: Path) -> None:
    (home / ".access" / "keys.json").unlink()
    over = datetime.now(UTC) - timedelta(days=1)
    ring = KeyRing(home, clock=lambda: over - timedelta(days=1))
    ring.create("k", reach=Reach(), permissions=(Permission.ADMIN,), expires_at=over)


def _file_deleted(home: Path) -> None:
    (home / ".access" / "keys.json").unlink()


def _file_damaged(home: Path) -> None:
    (home / ".access" / "keys.json").write_text("{", encoding="utf-8")


def _file_emptied(home: Path) -> None:
    (home / ".access" / "keys.json").write_text('{"format": 1, "keys": []}', encoding="utf-8")


def _folder_deleted(home: Path) -> None:
    (home / ".access").rename(home.with_name("gone"))


STATES: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("the last key is revoked", _made_and_revoked),
    ("the last key is expired", _made_and_expired),
    ("the file of keys is deleted", _file_deleted),
    ("the file of keys is damaged", _file_damaged),
    ("the file of keys is emptied", _file_emptied),
    ("the folder of keys is deleted", _folder_deleted),
)
"""What is done to the keys of a home, one after the other, while its server runs."""


def send(raw: bytes, *, port: int) -> tuple[int, bytes]:
    """Send bytes to the server and return the status and all that was answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(raw)
        answered = b""
        while piece := connection.recv(65536):
            answered += piece
    return int(answered.split(b" ", 2)[1]), answered


@contextmanager
def serving(home: Path, **settings: str) -> Iterator[int]:
    """Run the real program on a home of its own and give its port."""
    own = {"REMANENT_HOME": str(home), "REMANENT_MEMORY__PATH": str(home.with_name("files"))}
    environment = {**os.environ, "REMANENT_EMBEDDER": "none", **own, **settings}
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as running:
        try:
            assert running.stdout is not None
            yield int(json.loads(running.stdout.readline())["url"].rpartition(":")[2])
        finally:
            running.kill()


# ── sessions of the pages ────────────────────────────────────────────────────


def sign_in(port: int, token: str) -> tuple[str, str]:
    """Sign in with a key; return the header with the cookie, and the session's word."""
    status, answer = send(Attack("", "POST", "/session", (JSON,), json.dumps({"key": token})).raw(port), port=port)
    assert status == 200, answer
    head, _, body = answer.partition(b"\r\n\r\n")
    [cookie] = [line for line in head.decode().split("\r\n") if line.lower().startswith("set-cookie:")]
    return f"Cookie: {cookie.partition(':')[2].partition(';')[0].strip()}", json.loads(body)["csrf"]


def session_attacks(home: Path, port: int) -> Iterator[tuple[str, int, int]]:
    """Attack the sessions of people at the pages; yield each attack with the status it met and the one it must."""
    kept, token = _ring(home).create("k", reach=Reach(org="acme"), permissions=(Permission.READ, Permission.WRITE))
    _, rival = _ring(home).create("r", reach=Reach(org="rival"), permissions=(Permission.ADMIN,))
    cookie, word = sign_in(port, token)
    _, foreign = sign_in(port, rival)
    name = cookie.partition("=")[0]

    def met(about: str, must: int, *headers: str, method: str = "GET", path: str = f"{AGENT}/entries") -> Any:
        kind, body = ((JSON,), ENTRY) if method == "POST" else ((), "")
        return about, send(Attack(about, method, path, (*kind, *headers), body).raw(port), port=port)[0], must

    yield met("the session itself", 200, cookie)
    yield met("the session with its word", 200, cookie, f"x-remanent-csrf: {word}", method="POST")
    yield met("a cookie alone that writes", 403, cookie, method="POST")
    yield met("another session's token", 403, cookie, f"x-remanent-csrf: {foreign}", method="POST")
    yield met("the word as a cookie", 403, f"{cookie}; x-remanent-csrf={word}", method="POST")
    yield met("another site with cookie and word", 403, cookie, f"x-remanent-csrf: {word}", f"Origin: {EVIL}")
    yield met("signing somebody out without the word", 403, cookie, method="DELETE", path="/session")
    yield met("a guessed cookie", 401, f"{name}={'A' * 43}")
    yield met("an empty cookie", 401, f"{name}=")
    yield met("the word in place of the cookie", 401, f"{name}={word}")
    yield met("the cookie of another port", 401, cookie.replace(name, "Cookie: remanent_session_1"))
    yield met("a damaged cookie", 401, f"{name}=\xff; {{;=")
    yield met("a thousand cookies", 401, "Cookie: " + "; ".join(f"a{number}=b" for number in range(1000)))
    yield met("another organisation's memory", 404, cookie, path="/v1/orgs/rival/workspaces/lab/agents/ada/entries")
    yield met("keys without the right to them", 403, cookie, path="/v1/orgs/acme/keys")
    yield met("figures of the whole server", 403, cookie, path="/metrics")
    yield met("the key in the address", 401, path=f"{AGENT}/entries?key={token}")
    ended, last = sign_in(port, token)
    yield met("signing out", 200, ended, f"x-remanent-csrf: {last}", method="DELETE", path="/session")
    yield met("a session that was ended", 401, ended)
    _ring(home).revoke(kept.key_id)
    yield met("a session whose key was revoked", 401, cookie)
    yield met("the same with its word", 401, cookie, f"x-remanent-csrf: {word}", method="POST")


# ── slow ─────────────────────────────────────────────────────────────────────

_BODY = b" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 99999\r\nContent-Type: application/"
SLOW: tuple[tuple[str, bytes], ...] = (
    ("half a header", b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1:"),
    ("headers without an end", b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-A: b\r\n"),
    ("a sign-in that never comes", b"POST /session" + _BODY.replace(b"99999", b"99") + b"json\r\n\r\n{"),
    (
        "a document that never comes",
        f"POST {AGENT}/knowledge/documents?name=a.md".encode() + _BODY + b"octet-stream\r\n\r\n#",
    ),
    ("a connection without a request", b""),
)
"""What is sent before nothing more comes; each connection must be ended by the server."""
QUICK = {"REMANENT_SERVER__HEADER_TIMEOUT": "1", "REMANENT_SERVER__BODY_TIMEOUT": "1"}


def ended_by_server(raw: bytes, *, port: int) -> bytes:
    """Send bytes and nothing more, and return what was answered when the server had enough."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(raw.replace(b"{port}", str(port).encode()))
        answered = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                answered += piece
    return answered


def main() -> None:
    """Print what every attack meets."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with serving(home) as port:
            for attack in (*CROSS_SITE, *FORMS, *HOSTS, *MALFORMED, *PROXIED):
                print(send(attack.raw(port), port=port)[0], attack.name, sep="\t", flush=True)
            for about, status, _ in session_attacks(home, port):
                print(status, f"at the pages: {about}", sep="\t", flush=True)
            for state, reach in STATES:
                reach(home)
                for attack in KEYLESS:
                    print(send(attack.raw(port), port=port)[0], f"{state}: {attack.name}", sep="\t", flush=True)
        with serving(Path(folder) / "slow", **QUICK) as port:
            for about, raw in SLOW:
                begun = time.monotonic()
                answered = ended_by_server(raw, port=port).split(b"\r\n")[0].decode() or "closed"
                print(f"{answered}\tslow: {about}, after {time.monotonic() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
