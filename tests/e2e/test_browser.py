"""The page of ``lectern serve`` in headless Chromium: by keys alone, dark, narrow and in German."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pymupdf
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from indexer.api.requests import Index
from tests.integration.doors import CONTRACTS, open_doors
from tests.integration.serving_http import http_server
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from selenium.webdriver.chrome.webdriver import WebDriver

    from tests.integration.doors import OpenDoors
    from tests.integration.serving_http import HttpServer

pytestmark = pytest.mark.skipif(
    shutil.which("chromium") is None or shutil.which("chromedriver") is None,
    reason="Chromium is not installed (apt-get install chromium chromium-driver)",
)
HOSTILE = "<img src=x onerror=document.title='broken'> <script>document.title='broken'</script>"


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("b"), tiny_models_dir) as opened:
        folder = opened.world.documents / "contracts"
        with pymupdf.open() as document:
            for number in range(3):
                page = document.new_page()
                page.insert_text((72, 100), f"The plan says on page {number + 1} what is built.")
            document.save(folder / "plan.pdf")
        (folder / "hostile.txt").write_text(f"The turnip says {HOSTILE} and no more.")
        opened.engine.call(Index((folder,)))
        opened.allow("serve", CONTRACTS)
        yield opened


@pytest.fixture(scope="module")
def server(doors: OpenDoors) -> Iterator[HttpServer]:
    with http_server(doors) as running:
        yield running


@pytest.fixture
def browser(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WebDriver]:
    language, width, dark = request.param
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
        f"--lang={language}", f"--user-data-dir={tmp_path}", "--force-prefers-reduced-motion",
        *(["--force-dark-mode", "--enable-features=WebUIDarkMode"] if dark else []),
    ):  # fmt: skip
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(str(shutil.which("chromedriver")))
    driver = webdriver.Chrome(options, service)
    try:
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        yield driver
    finally:
        driver.quit()


wide = pytest.mark.parametrize("browser", [("en", 1200, False)], indirect=True)
narrow = pytest.mark.parametrize("browser", [("de", 400, True)], indirect=True)


def until(browser: WebDriver, condition: Callable[[WebDriver], object]) -> None:
    WebDriverWait(browser, WAIT_S).until(condition)


def press(browser: WebDriver, *keys: str) -> None:
    for key in keys:
        browser.switch_to.active_element.send_keys(key)


def titles(browser: WebDriver) -> list[str]:
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#hits h2")]


def state(browser: WebDriver) -> str:
    return browser.find_element(By.ID, "state").text


def is_quiet(browser: WebDriver) -> bool:
    """Whether nothing is complained of: no error, no refused address, no broken markup."""
    said = browser.get_log("browser")  # type: ignore[no-untyped-call]  # of selenium
    assert said == []
    return bool(browser.title == "Lectern")


@wide
def test_a_passage_is_found_and_seen_by_keys_alone(browser: WebDriver, server: HttpServer) -> None:
    browser.get(server.address)
    until(browser, lambda b: b.switch_to.active_element.get_attribute("id") == "query")
    assert server.token not in browser.current_url
    press(browser, '"page 2 what is built"')
    until(browser, lambda b: "plan" in "".join(titles(b)))
    press(browser, Keys.ARROW_DOWN, Keys.ENTER)
    until(browser, lambda b: b.find_elements(By.CSS_SELECTOR, "#sheet span"))
    image = browser.find_element(By.CSS_SELECTOR, "#sheet img")
    outline = browser.find_element(By.CSS_SELECTOR, "#sheet span")
    for side in ("width", "height"):
        assert 0 < outline.rect[side] < image.rect[side]
    assert image.rect["y"] < outline.rect["y"] < image.rect["y"] + image.rect["height"]
    page = int(browser.find_element(By.ID, "place").text.removeprefix("page "))
    turn, then = (Keys.PAGE_UP, page - 1) if page == 3 else (Keys.PAGE_DOWN, page + 1)
    press(browser, turn)
    until(browser, lambda b: b.find_element(By.ID, "place").text == f"page {then}")
    press(browser, Keys.ESCAPE)
    until(browser, lambda b: not b.find_element(By.ID, "reading").is_displayed())
    press(browser, "/")
    assert browser.switch_to.active_element.get_attribute("id") == "query"
    assert is_quiet(browser)


@wide
def test_what_a_document_says_is_text_and_never_markup(
    browser: WebDriver, server: HttpServer
) -> None:
    browser.get(server.address)
    until(browser, lambda b: b.switch_to.active_element.get_attribute("id") == "query")
    press(browser, "turnip")
    until(browser, lambda b: HOSTILE in b.find_element(By.ID, "hits").text)
    press(browser, Keys.ARROW_DOWN, Keys.ENTER)
    until(browser, lambda b: HOSTILE in b.find_element(By.ID, "sheet").text)
    assert is_quiet(browser)


@narrow
def test_it_is_german_dark_and_fits_a_narrow_window(browser: WebDriver, server: HttpServer) -> None:
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    browser.get(server.address)
    until(browser, lambda b: b.switch_to.active_element.get_attribute("id") == "query")
    press(browser, "wer repariert das Dach roof")
    until(browser, titles)
    until(
        browser,
        lambda b: "Stellen" in state(b) or "Treffer" in state(b) or "Vielleicht" in state(b),
    )
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "de"
    assert browser.find_element(By.CSS_SELECTOR, "summary").text == "Filter"
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= 400
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, ground[4:-1].split(","))) < 200
    assert is_quiet(browser)


@wide
def test_without_the_token_the_page_asks_for_it(browser: WebDriver, server: HttpServer) -> None:
    browser.get(server.address.partition("#")[0] + "?q=landlord")
    until(browser, lambda b: b.find_element(By.ID, "token").is_displayed())
    assert titles(browser) == []
    press(browser, "wrong", Keys.ENTER)
    until(browser, lambda b: state(b) == "The token is wrong.")
    press(browser, server.token, Keys.ENTER)
    until(browser, titles)
    assert not browser.find_element(By.ID, "token").is_displayed()
