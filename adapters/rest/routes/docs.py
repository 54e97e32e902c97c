"""Documentation for people; everything it needs comes from this server."""

from functools import cache
from html import escape
from importlib import resources
from pathlib import PurePosixPath

from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Redirect

from adapters.rest.answers import Answer
from adapters.rest.documentation.prepared import Prepared, shelf
from adapters.rest.problems import ALL_KINDS, Kind
from adapters.rest.requests import Call, base_of, link
from services.shared.errors import FailureReason, NotFound

ASSETS = {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
}
"""Swagger UI 5.35.0, as published."""

FOR_A_DAY = "public, max-age=86400"
"""How long a file may be kept without asking, as a release seldom changes it."""

HTML = "text/html; charset=utf-8"

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{head}
</head>
<body>
{body}
</body>
</html>
"""

STYLE = """<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
code { background: #f2f2f2; padding: .1em .3em; border-radius: .2em; }
td, th { text-align: left; padding: .4rem 1rem .4rem 0; vertical-align: top; }
</style>"""


@get("/", include_in_schema=False)
async def root(request: Call) -> Redirect:
    """Lead a visitor to the documentation."""
    return Redirect(link(request, "/docs"))


@get("/docs", include_in_schema=False)
async def docs(request: Call) -> Response[bytes]:
    """Show the API, to read and to try."""
    base = base_of(request.scope)
    head = (
        f'<link rel="stylesheet" href="{base}/docs/assets/swagger-ui.css">\n<link rel="icon" href="data:,">'
    )
    body = (
        f'<div id="api"></div>\n<script src="{base}/docs/assets/swagger-ui-bundle.js"></script>\n'
        f"<script>SwaggerUIBundle({{url: '{base}/openapi.json', dom_id: '#api', deepLinking: true,"
        " persistAuthorization: true, validatorUrl: null});</script>"
    )
    return _page(request, "Montane API", head, body)


@get("/docs/assets/{name:str}", include_in_schema=False, sync_to_thread=True)
def asset(request: Call, name: FromPath[str]) -> Response[bytes]:
    """Give a file that the documentation needs; in a thread, as it takes long to compress."""
    if name not in ASSETS:
        raise NotFound(FailureReason.NO_SUCH_RESOURCE)
    return _asset(name).answer(request)


@get("/problems", include_in_schema=False)
async def problems(request: Call) -> Response[bytes]:
    """List the kinds of problems."""
    rows = "".join(
        f'<tr><td>{kind.status}</td><td><a href="{link(request, f"/problems/{kind.slug}")}">'
        f"{escape(kind.title)}</a></td></tr>"
        for kind in ALL_KINDS
    )
    return _page(request, "Problems", STYLE, f"<h1>Problems</h1><table>{rows}</table>")


@get("/problems/{slug:str}", include_in_schema=False)
async def problem(request: Call, slug: FromPath[str]) -> Response[bytes]:
    """Explain a kind of problem: the page that its `type` names."""
    kind = next((kind for kind in ALL_KINDS if kind.slug == slug), None)
    if kind is None:
        raise NotFound(FailureReason.NO_SUCH_RESOURCE)
    return _page(request, kind.title, STYLE, _explained(kind, base_of(request.scope)))


@cache
def _asset(name: str) -> Prepared:
    content = (resources.files("adapters.rest") / "assets" / PurePosixPath(name).name).read_bytes()
    return Prepared(ASSETS[name], content, FOR_A_DAY)


def _explained(kind: Kind, base: str) -> str:
    meaning = "".join(
        f"<code>{escape(part)}</code>" if odd else escape(part)
        for part, odd in zip(kind.meaning.split("`"), [False, True] * len(kind.meaning), strict=False)
    )
    return (
        f"<h1>{escape(kind.title)}</h1><p>{meaning}</p><p>HTTP status {kind.status}."
        f' <a href="{base}/problems">All problems</a>, <a href="{base}/docs">the API</a>.</p>'
    )


def _page(request: Call, title: str, head: str, body: str) -> Answer:
    html = PAGE.format(title=title, head=head, body=body)
    return shelf(request).get(html, lambda: Prepared(HTML, html.encode())).answer(request)


ROUTES = (root, docs, asset, problems, problem)
