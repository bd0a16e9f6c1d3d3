"""The report: what it gathers and leaves out, and the page itself in a real browser."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from experiments import report
from experiments.lab.storage import results_root
from experiments.page.gather import gather
from experiments.page.tables import table
from experiments.page.texts import paragraphs, rule_cards

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
PHONE, DESKTOP = 375, 1280
CARDS = """AS PRINTED
The published game.

4 players, 200 deals of the cards. In brackets: where the true number lies.

Length        A player marks 6.1 (6.0 to 6.3) cards in a round.
Close finish  The winner is at most 3 points ahead in 40 of 100 (33 to 47)
              games.
              The victory is shared in 1 of 100 (0 to 2) games.

================================================================================

DARKNESS OFF
Nobody is ever in the dark.
What changes: darkness off instead of sole_most (who is in the dark).

4 players, 200 deals of the cards.

Length        A player marks 10 cards in a round; as printed 6.1: 3.9 (3.7 to
              4.0) more.
"""


def write_result(root: Path, name: str, **files: str) -> Path:
    """A small finished result."""
    folder = root / name
    folder.mkdir(parents=True)
    content = {
        "answer.txt": f"What is {name}?\nA `thing` of 3 (2 to 4; n = 10 deals).\n",
        "summary.csv": "who,n_deals,gain,gain_low,gain_high\nb,10,-1.5,-2,-1\na,1000,,,\nc,9,12,11,13\n",
    } | files
    for file, text in content.items():
        (folder / file).write_text(text, encoding="utf-8")
    manifest = {
        "format": 1, "experiment": name, "settings": {"n_deals": 10, "risks": [0.1, 0.2]}, "rules_given": {},
        "world": {"breadth_sd": 0.3, "storyteller_floor": None}, "files": sorted(content),
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def results(tmp_path: Path) -> Path:
    root = tmp_path / "results"
    write_result(root, "weights", **{"rule_cards.txt": CARDS, "columns.txt": "gain: points <won>"})
    write_result(root, "calibration")
    return root


def test_finished_results_are_gathered_trust_last(results: Path) -> None:
    entries, skipped = gather(results)
    assert [entry.name for entry in entries] == ["weights", "calibration"]
    assert not skipped
    entry = entries[0]
    assert entry.question == "What is weights?"
    assert entry.commands == (
        "python -m experiments.weights",
        "python -m experiments.rerun results/weights/manifest.json",
    )
    assert dict(entry.settings) == {
        "n deals": "10", "risks": "0.1, 0.2", "world": "breadth sd 0.3, storyteller floor -", "agents": "-"
    }  # fmt: skip
    assert [card.title for card in entry.cards] == ["As printed", "Darkness off"]
    assert entry.texts == (("columns.txt", "gain: points <won>"),)


def test_what_is_no_result_is_named_and_left_out(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (results / "notes").mkdir()
    (results / "going" / ".blocks").mkdir(parents=True)
    (write_result(results, "torn") / "summary.csv").unlink()
    (write_result(results, "other") / "manifest.json").write_text("{}")
    (write_result(results, "empty") / "summary.csv").write_text("")
    (results / "runs" / "weights-1234").mkdir(parents=True)
    out = results.parent / "page.html"
    assert report.main(["--results", str(results), "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "2 results" in said.out
    reasons = {
        "notes": "no result: it has no manifest.json",
        "going": "an unfinished run: it has no manifest.json",
        "torn": "half-written: summary.csv is missing",
        "other": "manifest.json is not a manifest",
        "empty": "summary.csv is not a table",
    }
    page = out.read_text(encoding="utf-8")
    for name, reason in reasons.items():
        assert f"left out: {name} ({reason}" in said.err
        assert f"<code>{name}</code>: {reason}" in page
    assert "runs" not in said.err
    assert str(results) not in page


def test_the_same_results_give_the_same_page(results: Path) -> None:
    pages = [report.write(report.Report(results=results, out=results.parent / f"{i}.html"))[0] for i in range(2)]
    first, second = (path.read_bytes() for path in pages)
    assert first == second
    assert first.startswith(b"<!doctype html>")
    text = first.decode()
    assert "http://" not in text and "https://" not in text  # nothing is fetched from anywhere
    assert "<code>thing</code>" in text and "points &lt;won&gt;" in text


@pytest.mark.parametrize("arguments", [["--results", "nowhere"], ["--results", "."]])
def test_nothing_to_gather(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert report.main(arguments) == 2
    assert "run an experiment first" in capsys.readouterr().err


def test_without_jinja2(results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert report.main(["--results", str(results)]) == 2
    assert "jinja2" in capsys.readouterr().err
    assert not (results / "report.html").exists()


def test_sentences_become_paragraphs_and_lists() -> None:
    plain = paragraphs("Risk 0.3 (0.2 to 0.4; n = 9 deals). Nobody falls; all win.")
    assert [(one.text, one.items) for one in plain] == [
        ("Risk 0.3 (0.2 to 0.4; n = 9 deals). Nobody falls; all win.", ())
    ]
    listed = paragraphs("Best: 3 players: 0.2 (a; b); 4 players: 0.3; 5 players: 0.4. The rest follows.")
    assert listed[0].text == "Best:"
    assert listed[0].items == ("3 players: 0.2 (a; b)", "4 players: 0.3", "5 players: 0.4")
    assert listed[1].text == "The rest follows."


def test_rule_cards_are_read_as_they_are_written() -> None:
    printed, off = rule_cards(CARDS)
    assert printed.facts == (
        ("Length", ("A player marks 6.1 (6.0 to 6.3) cards in a round.",)),
        (
            "Close finish",
            (
                "The winner is at most 3 points ahead in 40 of 100 (33 to 47) games.",
                "The victory is shared in 1 of 100 (0 to 2) games.",
            ),
        ),
    )
    assert off.intro[:2] == (
        "Nobody is ever in the dark.",
        "What changes: darkness off instead of sole_most (who is in the dark).",
    )
    assert off.facts[0][1] == ("A player marks 10 cards in a round; as printed 6.1: 3.9 (3.7 to 4.0) more.",)
    assert rule_cards("ODD\n\nsomething else\n")[0].plain == "something else"


def test_tables_fold_intervals_and_keep_what_they_sort_by() -> None:
    frame = pd.DataFrame(
        {"who": ["b", "a"], "n": [1000.0, None], "x": [-1.5, 2], "x_low": [-2.0, 1], "x_high": [-1.0, 3]}
    )
    found = table("t.csv", frame)
    assert found.columns == ("who", "n", "x")
    assert found.numeric == (False, True, True)
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["b", "1,000", "-1.5 (-2.0 to -1.0)"],
        ["a", "-", "2 (1 to 3)"],
    ]
    assert [[cell.key for cell in row] for row in found.rows] == [[None, "1000", "-1.5"], [None, "", "2"]]


# In a real browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    for program in (CHROMIUM, DRIVER):
        if not program.is_file():
            pytest.skip(f"there is no {program}: apt-get install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking",
        "disable-component-update", "disable-sync", "disable-dev-shm-usage",
        f"user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):  # fmt: skip
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(str(DRIVER)), options=options)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the committed results and one small one, as an address."""
    root = tmp_path_factory.mktemp("report") / "results"
    write_result(root, "weights", **{"rule_cards.txt": CARDS})
    for folder in results_root().iterdir():
        if (folder / "manifest.json").is_file():
            shutil.copytree(folder, root / folder.name)
    return report.write(report.Report(results=root))[0].as_uri()


def visit(browser: Any, page: str, width: int, scheme: str = "light") -> None:
    """Open the page, everything unfolded, in a window of some width."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    media = [{"name": name, "value": value} for name, value in wishes.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.get(page)
    browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def column(browser: Any, number: int) -> list[str]:
    """The texts of one column of the small result's table."""
    cells = browser.execute_script(
        "return [...document.querySelectorAll('#weights tbody tr')].map((row) => row.cells[arguments[0]].textContent)",
        number,
    )
    return list(cells)


def click(browser: Any, number: int) -> str | None:
    """Click on a head of the small result's table. -> how the column says that it is sorted."""
    head = browser.find_elements("css selector", "#weights thead th")[number]
    head.find_element("css selector", "button").click()
    sorted_how: str | None = head.get_attribute("aria-sort")
    return sorted_how


def test_tables_sort_by_numbers_and_words(browser: Any, page: str) -> None:
    visit(browser, page, DESKTOP)
    assert column(browser, 0) == ["b", "a", "c"]
    assert click(browser, 1) == "ascending"
    assert column(browser, 1) == ["9", "10", "1,000"]
    assert click(browser, 1) == "descending"
    assert column(browser, 1) == ["1,000", "10", "9"]
    assert click(browser, 2) == "ascending"
    assert column(browser, 2) == ["-1.5 (-2.0 to -1.0)", "12 (11 to 13)", "-"]
    assert click(browser, 2) == "descending"
    assert column(browser, 2) == ["12 (11 to 13)", "-1.5 (-2.0 to -1.0)", "-"]  # what is missing stays last
    assert click(browser, 0) == "ascending"
    assert column(browser, 0) == ["a", "b", "c"]
    assert len(browser.find_elements("css selector", "#weights th[aria-sort]")) == 1


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_nothing_overflows(browser: Any, page: str, width: int) -> None:
    visit(browser, page, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    cut = browser.execute_script(
        """return [...document.querySelectorAll("main *, header *, footer *")].filter((one) => {
             const box = one.getBoundingClientRect();
             return box.width > 0 && box.right > arguments[0] + 1 && !one.closest(".scroll, .figure, pre");
           }).map((one) => one.outerHTML.slice(0, 200))""",
        width,
    )
    assert cut == []


def test_no_error_in_the_console_and_every_figure_loads(browser: Any, page: str) -> None:
    browser.get_log("browser")
    visit(browser, page, DESKTOP)
    click(browser, 0)
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    broken = "return [...document.images].filter((one) => !one.complete || !one.naturalWidth).map((one) => one.alt)"
    assert browser.execute_script(broken) == []
    assert browser.execute_script("return document.images.length") >= 1


def test_dark_mode_applies(browser: Any, page: str) -> None:
    def brightness(what: str) -> float:
        colour = browser.execute_script(f"return getComputedStyle(document.body).{what}")
        return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]) / 3

    visit(browser, page, DESKTOP)
    assert brightness("backgroundColor") > 200 and brightness("color") < 60
    visit(browser, page, DESKTOP, scheme="dark")
    assert brightness("backgroundColor") < 60 and brightness("color") > 200
    assert "invert" in browser.execute_script("return getComputedStyle(document.querySelector('.figure img')).filter")


def test_the_page_says_what_it_promises(browser: Any, page: str) -> None:
    visit(browser, page, DESKTOP)
    for link in browser.find_elements("css selector", "nav a"):
        target = str(link.get_attribute("href")).rpartition("#")[2]
        assert browser.find_elements("id", target), target
    facts = [fact.text for fact in browser.find_elements("css selector", "#rule-cards .card dd")]
    assert any(fact.startswith("A player marks 6.1 (6.0 to 6.3) cards") for fact in facts)
    told = browser.find_element("id", "dark-round").text
    assert "In the dark: seat" in told and "erased in the dark" in told
    dark = browser.find_elements("css selector", ".grid b.dark")
    assert len(dark) >= 2
