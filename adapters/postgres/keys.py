"""The keys that sign, in PostgreSQL or in memory."""

from collections.abc import Sequence

from adapters.keys.signing import Ed25519Signer, key_of, new_secret
from adapters.postgres.connection.datastore import Datastore, hold
from domain.shared.chain import read
from services.proof.heads import KeyElsewhere
from services.proof.keys import Key, Signer

ADD = (
    "INSERT INTO signing_keys (kid, x, secret, active) VALUES (%s, %s, %s, true)"
    " ON CONFLICT (kid) DO UPDATE SET active = true"
)


BEGIN = (
    "INSERT INTO signing_keys (kid, x, secret, active) SELECT %s, %s, %s, true"
    " WHERE NOT EXISTS (SELECT FROM signing_keys)"
)


RETIRE = "UPDATE signing_keys SET active = false WHERE active AND kid <> %s"


ALONE = "signing_keys"
"""Held while keys are changed."""


class PostgresKeys:
    """The port `Keys`: in a table that all nodes share, or with the private key in a file of each node."""

    def __init__(self, datastore: Datastore, own: Ed25519Signer | None = None) -> None:
        """Take the connections, and what signs with the key of a file, if that is set."""
        self._datastore = datastore
        self._own = own
        self._registered = False
        self._active: Ed25519Signer | None = None

    async def begin(self) -> None:
        """Handle it that there is a key: that of the file signs from now on; else the first one is made."""
        if self._own is not None:
            await self._register(self._own)
            return
        made = Ed25519Signer(secret := new_secret())

        def work() -> None:
            with self._datastore.transaction() as cursor:
                hold(cursor, ALONE)
                cursor.execute(BEGIN, (made.key.kid, made.key.x, secret))

        await self._datastore.run(work)

    async def signer(self) -> Signer:
        """Return what signs now."""
        if self._own is not None:
            await self._register(self._own)
            return self._own
        rows = await self._datastore.execute("SELECT kid, secret FROM signing_keys WHERE active")
        if not rows:
            await self.begin()
            return await self.signer()
        kid, secret = rows[0]["kid"], rows[0]["secret"]
        if secret is None:
            raise KeyElsewhere(f"the key {kid} is in a file, which is to be set here too")
        if self._active is None or self._active.key.kid != kid:
            self._active = Ed25519Signer(bytes(secret))
        return self._active

    async def rotate(self) -> Key:
        """Let a fresh key sign from now on, and return it; those before stay published."""
        if self._own is not None:
            raise KeyElsewhere("the key is in a file: put another into it and start the service again")
        made = Ed25519Signer(secret := new_secret())
        await self._activate(made, secret)
        return made.key

    async def published(self) -> Sequence[Key]:
        """Return all keys: the one that signs now, then those that did before, newest first."""
        rows = await self._datastore.execute(
            "SELECT x FROM signing_keys ORDER BY active DESC, created_at DESC, kid"
        )
        return [key_of(read(row["x"])) for row in rows]

    async def _register(self, own: Ed25519Signer) -> None:
        """Publish the key of the file, once for this process."""
        if not self._registered:
            await self._activate(own, None)
            self._registered = True

    async def _activate(self, signer: Ed25519Signer, secret: bytes | None) -> None:
        key = signer.key

        def work() -> None:
            with self._datastore.transaction() as cursor:
                hold(cursor, ALONE)
                cursor.execute(RETIRE, (key.kid,))
                cursor.execute(ADD, (key.kid, key.x, secret))

        await self._datastore.run(work)
