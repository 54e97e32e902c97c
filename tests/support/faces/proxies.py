"""Real proxies in front of a server: nginx, haproxy and Caddy, under the path `/montane`."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.faces.server import eventually, free_port

BASE = "/montane"

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/unused-1;
    uwsgi_temp_path {folder}/unused-2;
    scgi_temp_path {folder}/unused-3;
    map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}
    server {{
        listen 127.0.0.1:{port};
        location {base}/ {{
            proxy_pass http://127.0.0.1:{behind}{cut};
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            {more}
        }}
    }}
}}
"""

HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    timeout tunnel 60s
frontend front
    bind 127.0.0.1:{port}
    option forwardfor
    use_backend montane if {{ path {base} }} or {{ path_beg {base}/ }}
backend montane
    {more}
    server montane 127.0.0.1:{behind}
"""

CADDY = """
{{
    admin off
    auto_https off
}}
http://127.0.0.1:{port} {{
    {kind} {base}/* {{
        reverse_proxy 127.0.0.1:{behind} {{
            {more}
        }}
    }}
}}
"""

SAYS = f"http-request set-header X-Forwarded-Prefix {BASE}"
CUTS = f"http-request replace-path {BASE}(/)?(.*) /\\2"

PROXIES: dict[str, tuple[str, str, dict[str, str]]] = {
    "nginx leaves the path": ("nginx", NGINX, {"cut": "", "more": "proxy_http_version 1.1;"}),
    "nginx cuts the path off": ("nginx", NGINX, {"cut": "/", "more": "proxy_http_version 1.1;"}),
    "nginx says the path": (
        "nginx",
        NGINX,
        {"cut": "/", "more": f"proxy_http_version 1.1; proxy_set_header X-Forwarded-Prefix {BASE};"},
    ),
    "haproxy leaves the path": ("haproxy", HAPROXY, {"more": ""}),
    "haproxy says the path": ("haproxy", HAPROXY, {"more": f"{SAYS}\n    {CUTS}"}),
    "Caddy leaves the path": ("caddy", CADDY, {"kind": "handle", "more": ""}),
    "Caddy says the path": (
        "caddy",
        CADDY,
        {"kind": "handle_path", "more": f"header_up X-Forwarded-Prefix {BASE}"},
    ),
    # As nginx does unless it is told otherwise.
    "nginx speaks HTTP/1.0": ("nginx", NGINX, {"cut": "", "more": ""}),
}
"""Every way in which a proxy serves a path: its program, its configuration, and what differs in it."""


@contextmanager
def proxy(name: str, behind: int, folder: Path) -> Iterator[str]:
    """Run a proxy in front of a port, and give where clients find what is there.

    Args:
        name: One of `PROXIES`.
        behind: The port of the server.
        folder: Where it may write.
    """
    program, template, differing = PROXIES[name]
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    if (binary := shutil.which(program, path=path)) is None:
        pytest.skip(f"{program} is not installed")
    port = free_port()
    file = folder / "configuration"
    file.write_text(template.format(folder=folder, port=port, behind=behind, base=BASE, **differing))
    arguments: dict[str, list[str | Path]] = {
        "nginx": ["-p", folder, "-c", file],
        "haproxy": ["-db", "-f", file],
        "caddy": ["run", "--adapter", "caddyfile", "--config", file],
    }
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "output").open("w") as output:
        process = subprocess.Popen(
            [binary, *arguments[program]], stdout=output, stderr=output, env={**os.environ, **home}
        )
    try:
        eventually(lambda: process.poll() is not None or _listens(port))
        assert process.poll() is None, (folder / "output").read_text()
        yield f"http://127.0.0.1:{port}{BASE}"
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
