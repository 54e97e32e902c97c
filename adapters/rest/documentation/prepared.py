"""Documents that are the same for everybody: written, compressed and tagged once."""

import gzip
from collections import OrderedDict
from collections.abc import Callable, Hashable
from hashlib import sha256
from typing import Any

import msgspec
from litestar.exceptions import HTTPException

from adapters.rest.answers import JSON, PUBLIC, Answer, Empty
from adapters.rest.negotiation import takes_gzip, takes_plain
from adapters.rest.requests import Call, base_of, header_of, unchanged

REVALIDATED = "public, no-cache"
"""Anyone who keeps a document asks each time whether it is still the same."""

MOST = 128
"""How many documents a shelf keeps; each path in front of the server has its own."""
FEW = 4
"""How many descriptions of the API are kept, one for each path in front: half a megabyte each."""


class Prepared:
    """A document, ready to be sent."""

    def __init__(self, media_type: str, body: bytes, lifetime: str = REVALIDATED) -> None:
        """Compress and tag it.

        Args:
            media_type: What it is.
            body: The document.
            lifetime: For how long it may be kept without asking, as `Cache-Control` says it.
        """
        tag = sha256(body).hexdigest()[:24]
        self._tags = f'"{tag}"', f'"{tag}.gzip"'
        self._media_type = media_type
        self._lifetime = lifetime
        self._body = body
        self._compressed = gzip.compress(body, mtime=0)

    def answer(self, request: Call) -> Answer:
        """Return the answer to a request.

        Raises:
            HTTPException: The request takes it neither compressed nor as it is.
        """
        accepted = header_of(request, "accept-encoding")
        compressed = takes_gzip(accepted)
        if not (compressed or takes_plain(accepted)):
            raise HTTPException(status_code=406)
        tag = self._tags[compressed]
        headers = {
            "Cache-Control": self._lifetime,
            "ETag": tag,
            "Vary": "Accept-Encoding, Origin, X-Forwarded-Prefix",
        }
        if unchanged(request, *self._tags):
            return Empty(304, headers, PUBLIC)
        if compressed:
            headers["Content-Encoding"] = "gzip"
        return Answer(200, self._media_type, self._compressed if compressed else self._body, headers, PUBLIC)


class Shelf:
    """Documents by name, each prepared when it is first asked for."""

    def __init__(self, most: int = MOST) -> None:
        """Begin with none; so many are kept."""
        self._most = most
        self._kept: OrderedDict[Hashable, Prepared] = OrderedDict()

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._kept)

    def __contains__(self, name: Hashable) -> bool:
        """Return whether a document is prepared."""
        return name in self._kept

    def get(self, name: Hashable, prepare: Callable[[], Prepared]) -> Prepared:
        """Return a document; the one that was wanted longest ago makes room for it."""
        if (found := self._kept.get(name)) is None:
            found = self._kept[name] = prepare()
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(name)
        return found


def document(request: Call, name: Hashable, content: Callable[[], Any]) -> Answer:
    """Return the answer with a document of JSON, which is made when it is first asked for.

    Args:
        request: The request.
        name: What tells it from all other documents, but for the path that clients see in front.
        content: Gives what it says.
    """
    return (
        shelf(request)
        .get((name, base_of(request.scope)), lambda: Prepared(JSON, msgspec.json.encode(content())))
        .answer(request)
    )


def shelf(request: Call) -> Shelf:
    """Return the application's documents."""
    found: Shelf = request.app.state.shelf
    return found
