"""The first level: what a result of a tool comes to, and a line of text for each picture."""

import json
from functools import partial

import pytest

from remanent.context.messages import read_messages, with_results
from remanent.context.trimming import RESULT_TOKENS, shortened_result, without_pictures
from remanent.text.tokens import token_counter

COUNT = token_counter()


@pytest.mark.spec("COG-03")
def test_a_long_log_keeps_its_beginning_its_end_and_what_failed() -> None:
    log = "\n".join(["$ make all", *(f"compiling part {number}" for number in range(300)), "all: exit code 2"])
    log = log.replace("compiling part 150", "error: part 150 has no header")

    short = shortened_result(log, count=COUNT)

    assert COUNT(short) <= RESULT_TOKENS + 8
    assert short.startswith("$ make all")
    assert "error: part 150 has no header" in short
    assert "all: exit code 2" in short
    assert f"shortened from {COUNT(log)} tokens" in short


def test_the_one_failure_of_a_long_log_comes_before_its_first_line_and_its_last() -> None:
    """Two lines of a log with dates fill what a result may take; the line that was looked for had been left out."""
    failure = "2026-11-17 12:05:01 ERROR order-svc: timeout after 5000ms calling inventory:8082 (pool exhausted)"
    lines = [
        f"2026-11-17 12:00:{number % 60:02d} INFO order-svc: request {number} was answered" for number in range(300)
    ]
    short = shortened_result("\n".join([*lines[:200], failure, *lines[200:]]), count=COUNT)
    assert failure in short
    assert COUNT(short) <= RESULT_TOKENS + 8


def test_json_keeps_its_shape_and_tells_how_much_there_was() -> None:
    rows = [{"id": number, "name": f"item {number}", "note": "long " * 40} for number in range(50)]

    short = shortened_result(json.dumps({"status": "ok", "rows": rows}), count=COUNT, limit=200)

    assert '"status": "ok"' in short
    assert "… 50" in short
    assert COUNT(short) <= 208


def test_a_short_result_stays_as_it_is() -> None:
    message = read_messages([{"role": "tool", "tool_call_id": "c", "content": "12 passed"}])[0]

    assert with_results(message, partial(shortened_result, count=COUNT)) is message


def test_a_result_inside_blocks_is_shortened_in_place() -> None:
    long = "word " * 500
    block = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": long}]}
    message = read_messages([{"role": "user", "content": [block]}])[0]

    short = with_results(message, partial(shortened_result, count=COUNT, is_chinese=True))

    (changed,) = short.raw["content"]
    assert changed["tool_use_id"] == "c"
    assert "已缩短，原" in changed["content"][0]["text"]
    assert COUNT(short.text) < 100


@pytest.mark.spec("COG-03")
@pytest.mark.parametrize(
    ("block", "english", "chinese"),
    [
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}, "description": "a red bridge"},
            "[picture: a red bridge]",
            "[图片：a red bridge]",
        ),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}, "image/png", "图片"),
        ({"type": "file", "file": {"filename": "plan.pdf"}}, "[file: plan.pdf]", "[附件：plan.pdf]"),
    ],
)
def test_a_line_of_text_stands_for_a_picture(block: dict[str, object], english: str, chinese: str) -> None:
    message = read_messages([{"role": "user", "content": [{"type": "text", "text": "Look:"}, block]}])[0]

    for is_chinese, expected in ((False, english), (True, chinese)):
        told = without_pictures(message, is_chinese=is_chinese)
        assert told.pictures == 0
        assert expected in told.raw["content"][1]["text"]
        assert "AAAA" not in str(told.raw)
