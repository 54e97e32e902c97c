"""An OpenID Connect issuer of this machine: a real server with real keys."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, override

from joserfc import jws
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

AUDIENCE = "montane"


class LocalIssuer:
    """Tells about itself, publishes its keys and signs tokens.

    Attributes:
        url: What its tokens name as `iss`.
        keys: The keys that it publishes; to be changed at will.
        published: What it publishes in place of its keys, if anything.
        told: What it tells about itself beyond what is so.
        asked: The paths that it was asked for.
        status: What it answers with.
        hangs: Whether it answers nothing.
    """

    def __init__(self, port: int) -> None:
        """Begin with a key of each type."""
        self.url = f"http://127.0.0.1:{port}"
        self.keys: list[Key] = [rsa("rsa-1"), elliptic("ec-1"), edwards("ed-1")]
        self.published: Any = None
        self.told: dict[str, Any] = {}
        self.asked: list[str] = []
        self.status = 200
        self.hangs = False
        self.go_on = Event()

    def document(self, path: str) -> Any:
        """Return what stands at a path."""
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys", "scopes_supported": ["openid"]} | (
                self.told
            )
        if path != "/keys":
            return None
        keys = [{**key.as_dict(private=False), "use": "sig"} for key in self.keys]
        return {"keys": keys} if self.published is None else self.published

    def token(self, *, key: Key | None = None, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """Return a token, good from 2026 on for a year if nothing else is said; None leaves a claim out."""
        key = key or self.keys[0]
        said = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ann",
            "iat": 1_767_225_600,
            "exp": 1_767_225_600 + 365 * 86_400,
        } | claims
        payload = json.dumps({name: value for name, value in said.items() if value is not None})
        return signed(key, payload.encode(), header or {})


def signed(key: Key, payload: bytes, header: dict[str, Any]) -> str:
    """Return a payload signed with a key, by the usual algorithm if the header names no other."""
    usual = {"RSA": "RS256", "EC": "ES256", "OKP": "Ed25519", "oct": "HS256"}[key.key_type]
    whole = {"alg": usual, "kid": key.kid, "typ": "JWT"} | header
    registry = jws.JWSRegistry(algorithms=[whole["alg"]], strict_check_header=False)
    return jws.serialize_compact(
        {name: value for name, value in whole.items() if value is not None}, payload, key, registry=registry
    )


def rsa(name: str, bits: int = 2048) -> RSAKey:
    """Return a new key for RS256."""
    return RSAKey.generate_key(bits, {"kid": name})


def elliptic(name: str) -> ECKey:
    """Return a new key for ES256."""
    return ECKey.generate_key("P-256", {"kid": name})


def edwards(name: str) -> OKPKey:
    """Return a new key for Ed25519."""
    return OKPKey.generate_key("Ed25519", {"kid": name})


@contextmanager
def serving(issuer_on: int = 0) -> Iterator[LocalIssuer]:
    """Give an issuer that answers, at any port or one that is named."""

    class Handler(BaseHTTPRequestHandler):
        @override
        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer."""
            issuer.asked.append(self.path)
            if issuer.hangs:
                issuer.go_on.wait(30)
                return
            found = issuer.document(self.path)
            body = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(404 if found is None else issuer.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", issuer_on), Handler)
    server.daemon_threads = True
    issuer = LocalIssuer(server.server_address[1])
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield issuer
    finally:
        issuer.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
