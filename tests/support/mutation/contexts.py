"""A plugin of pytest: what is covered is noted beside the test that covers it, its fixtures included."""

from collections.abc import Iterator

import coverage
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name the test that runs."""
    running = coverage.Coverage.current()
    if running is not None:
        running.switch_context(item.nodeid)
    return (yield)
