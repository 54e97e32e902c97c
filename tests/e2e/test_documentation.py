"""The documentation in a real browser, with no network but the server itself."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error

from tests.support.faces.browser import chromium, needs_chromium
from tests.support.faces.server import Server

pytestmark = needs_chromium


@pytest.fixture
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with chromium() as browser:
        yield browser


def test_a_visitor_reads_the_api_and_opens_an_account(database: str, browser: Browser) -> None:
    """The page shows every operation, asks nobody else for anything, and can be used to try one."""
    with Server("--database-url", database, face="rest") as server:
        page = browser.new_page()
        asked: list[str] = []
        faults: list[Error] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(error))
        page.goto(f"{server.url}/")
        page.wait_for_selector(".opblock")
        assert page.url == f"{server.url}/docs"
        assert page.locator(".opblock").count() >= 15
        page.click("#operations-Players-create_player .opblock-summary")
        page.click("#operations-Players-create_player .try-out__btn")
        page.fill("#operations-Players-create_player textarea", '{"display_name": "Ann"}')
        page.click("#operations-Players-create_player .execute")
        page.wait_for_selector("#operations-Players-create_player .live-responses-table >> text=montane_")
        assert not faults
        assert {url.partition("/")[0] for url in asked} <= {"http:", "data:"}
        assert all(url.startswith((server.url, "data:")) for url in asked)


def test_problems_lead_to_their_explanation(database: str, browser: Browser) -> None:
    """The address in a problem's `type` is a page for people."""
    with Server("--database-url", database, face="rest") as server:
        page = browser.new_page()
        page.goto(f"{server.url}/problems")
        page.click("text=The rules refuse")
        assert page.url == f"{server.url}/problems/rejected"
        assert "HTTP status 422" in page.inner_text("body")
