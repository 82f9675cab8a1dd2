"""Whatever the pages say, they say in both languages."""

import re
from pathlib import Path

from remanent.model import GateReason, GateVerdict

STATIC = Path(__file__).parents[3] / "src" / "remanent" / "server" / "web" / "static"
WORD = re.compile(r"""(?:^|[\s,{])"?([\w.]+)"?: \["((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\]""")
SAID = re.compile(r"""\bsay\("([\w.]+)\"""")
PLACE = re.compile(r"\{\w+\}")


def test_every_word_that_a_page_says_is_there_with_the_same_places_in_both_languages() -> None:
    words = {name: (en, zh) for name, en, zh in WORD.findall((STATIC / "words.mjs").read_text(encoding="utf-8"))}
    said = {
        (file.name, name) for file in STATIC.glob("*.mjs") for name in SAID.findall(file.read_text(encoding="utf-8"))
    }
    assert len(said) > 100
    assert {one for one in said if one[1] not in words} == set()
    assert {name for name, (en, zh) in words.items() if not (en and zh)} == set()
    assert {name for name, (en, zh) in words.items() if set(PLACE.findall(en)) != set(PLACE.findall(zh))} == set()


def test_the_page_can_say_every_verdict_of_the_gate_and_every_reason_for_it() -> None:
    words = {name for name, _, _ in WORD.findall((STATIC / "words.mjs").read_text(encoding="utf-8"))}
    assert {f"gate_{reason}" for reason in GateReason} - words == set()
    page = (STATIC / "ask.mjs").read_text(encoding="utf-8")
    verdicts = dict(re.findall(r"(\w+): \"(gate_\w+)\"", page))
    told = (GateVerdict(passed=reason != "strange", reason=reason).verdict for reason in GateReason)
    assert {verdicts[verdict] for verdict in told} <= words
