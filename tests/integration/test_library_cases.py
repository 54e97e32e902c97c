"""The event-sourcing library's own test cases, against our recorders on our tables.

Of its test cases these are left out: `ProcessRecorderTestCase`, as nothing here follows events and writes
others; `InfrastructureFactoryTestCase`, which makes a factory from the library's settings, while ours is
given its connections; those of transcoders, which our mapper does without; those of dynamic consistency
boundaries and of projections, which test tables that we do not have.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, cast
from uuid import UUID

import pytest
from eventsourcing.application import Application
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    TrackingRecorder,
)
from eventsourcing.tests import application, persistence
from eventsourcing.utils import Environment, EnvType, get_topic

from adapters.event_store.mapper import EventMapper
from adapters.event_store.store import uuid_of
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log.recorders import RecorderFactory
from adapters.postgres.read_models.catch_up import ReadModels
from domain.games import GAMES
from domain.match import PlayerId
from tests.support.stores.use_cases import postgres_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")


class OnOurTables:
    """A test case with a database of its own."""

    database: ClassVar[str]
    opened: ClassVar[list[Datastore]]

    @pytest.fixture(autouse=True)
    def _on_a_database(self, database: str) -> Iterator[None]:
        """Give each case a database of its own."""
        OnOurTables.database = database
        OnOurTables.opened = []
        yield
        for datastore in self.opened:
            datastore.close()

    @classmethod
    def datastore(cls) -> Datastore:
        """Return connections to the database."""
        datastore = Datastore(cls.database, 12)
        cls.opened.append(datastore)
        return datastore


class TestEvents(OnOurTables, persistence.ApplicationRecorderTestCase[ApplicationRecorder]):
    """The recorder of events stores, reads and numbers as the library's does."""

    EXPECT_CONTIGUOUS_NOTIFICATION_IDS = False

    def create_recorder(self) -> ApplicationRecorder:
        """Return our recorder of events."""
        return RecorderFactory(self.datastore()).application_recorder()


class TestOrder(OnOurTables, persistence.NonInterleavingNotificationIDsBaseCase):
    """The recorder of events gives each insert ids that no other's lie among."""

    def create_recorder(self) -> ApplicationRecorder:
        """Return our recorder of events."""
        return RecorderFactory(self.datastore()).application_recorder()


class TestSnapshots(OnOurTables, persistence.AggregateRecorderTestCase):
    """The recorder of snapshots stores and reads as the library's does."""

    def create_recorder(self) -> AggregateRecorder:
        """Return our recorder of snapshots."""
        return RecorderFactory(self.datastore()).snapshot_recorder()


class TestTracking(OnOurTables, persistence.TrackingRecorderTestCase):
    """The read models' positions are kept as the library's recorders keep them."""

    def create_recorder(self) -> TrackingRecorder:
        """Return our recorder of positions."""
        return ReadModels(dict(GAMES), self.datastore(), ())


class FactoryByEnvironment(RecorderFactory):
    """Our factory, made as the library's applications make theirs."""

    def __init__(self, env: EnvType) -> None:
        """Take the application's settings."""
        super().__init__(OnOurTables.datastore())
        self.env = Environment(self.env.name, {**env, **self.env})


class TestApplication(OnOurTables, application.ExampleApplicationTestCase):
    """An application of the library, with snapshots, works on our tables, its events among ours."""

    expected_factory_topic = get_topic(FactoryByEnvironment)

    @pytest.fixture(autouse=True)
    def _by_our_factory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Name our factory to the library."""
        monkeypatch.setenv("PERSISTENCE_MODULE", self.expected_factory_topic)


class MatchLog(Application[UUID]):
    """All matches, to the library's tools."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore
        super().__init__()

    def construct_factory(self, env: Environment) -> Any:
        """Return our factory."""
        return RecorderFactory(self._datastore)

    def construct_mapper(self) -> EventMapper:
        """Return our mapper."""
        return EventMapper(dict(GAMES))


async def test_the_librarys_tools_read_our_matches(database: str) -> None:
    """What was played through the service is listed, loaded and followed by an application of the library."""
    async with postgres_stores(database) as stores:
        _, listed = await stores.node().openings.open(ANN, proposal(), None)
        written = await stores.store.read(listed.id)
    datastore = Datastore(database, 4)
    log = MatchLog(datastore)
    number = uuid_of(listed.id)
    assert [one.originator_version for one in log.notification_log.select(1, 10)] == [1, 2, 3, 4]
    assert [event.recorded for event in cast(Any, log.events.get(number))] == written
    with log.recorder.subscribe(gt=2) as subscription:
        assert next(subscription).originator_version == 3
    datastore.close()
