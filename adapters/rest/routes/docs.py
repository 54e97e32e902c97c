"""Documentation for people; everything it needs comes from this server."""

from html import escape
from importlib import resources
from pathlib import PurePosixPath

from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Redirect

from adapters.rest.problems import ALL_KINDS, Kind
from services.errors import NotFound

ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
"""Swagger UI 5.35.0, as published."""

FOREVER = {"Cache-Control": "public, max-age=86400"}

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
async def root() -> Redirect:
    """Lead a visitor to the documentation."""
    return Redirect("/docs")


@get("/docs", include_in_schema=False, sync_to_thread=False)
def docs() -> Response[str]:
    """Show the API, to read and to try."""
    head = '<link rel="stylesheet" href="/docs/assets/swagger-ui.css">\n<link rel="icon" href="data:,">'
    body = (
        '<div id="api"></div>\n<script src="/docs/assets/swagger-ui-bundle.js"></script>\n'
        "<script>SwaggerUIBundle({url: '/openapi.json', dom_id: '#api', deepLinking: true,"
        " persistAuthorization: true, validatorUrl: null});</script>"
    )
    return _page("Montane API", head, body)


@get("/docs/assets/{name:str}", include_in_schema=False, sync_to_thread=False)
def asset(name: FromPath[str]) -> Response[bytes]:
    """Give a file that the documentation needs."""
    if name not in ASSETS:
        raise NotFound("NO_SUCH_RESOURCE")
    content = (resources.files("adapters.rest") / "assets" / PurePosixPath(name).name).read_bytes()
    return Response(content, media_type=ASSETS[name], headers=FOREVER)


@get("/problems", include_in_schema=False, sync_to_thread=False)
def problems() -> Response[str]:
    """List the kinds of problems."""
    rows = "".join(
        f'<tr><td>{kind.status}</td><td><a href="/problems/{kind.slug}">{escape(kind.title)}</a></td></tr>'
        for kind in ALL_KINDS
    )
    return _page("Problems", STYLE, f"<h1>Problems</h1><table>{rows}</table>")


@get("/problems/{slug:str}", include_in_schema=False, sync_to_thread=False)
def problem(slug: FromPath[str]) -> Response[str]:
    """Explain a kind of problem: the page that its `type` names."""
    kind = next((kind for kind in ALL_KINDS if kind.slug == slug), None)
    if kind is None:
        raise NotFound("NO_SUCH_RESOURCE")
    return _page(kind.title, STYLE, _explained(kind))


def _explained(kind: Kind) -> str:
    meaning = "".join(
        f"<code>{escape(part)}</code>" if odd else escape(part)
        for part, odd in zip(kind.meaning.split("`"), [False, True] * len(kind.meaning), strict=False)
    )
    return (
        f"<h1>{escape(kind.title)}</h1><p>{meaning}</p><p>HTTP status {kind.status}."
        ' <a href="/problems">All problems</a>, <a href="/docs">the API</a>.</p>'
    )


def _page(title: str, head: str, body: str) -> Response[str]:
    return Response(PAGE.format(title=title, head=head, body=body), media_type="text/html")


ROUTES = (root, docs, asset, problems, problem)
