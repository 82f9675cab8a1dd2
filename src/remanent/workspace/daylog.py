"""Facts as bullets in Markdown: blocks that say which of their lines are ours, so that a person's are never touched.

A block is a heading, a marker and bullets:

    ## 2026-05-31 18:30 · s1
    <!-- remanent:facts 3f9a01c2 77be4d10 -->
    - 用户请求: 把发布说明翻译成英文
    - 完成事项: 发布说明已翻译

The marker holds a fingerprint of each bullet that we wrote under it. A line whose fingerprint is not there is a
person's: written by hand, or ours once and edited since. Pure functions over texts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from remanent.workspace.files import newline_of

_KEY_CHARACTERS = 80
"""Characters by which bullets are told apart, as the design has it."""
_AUTO_EXTRACTED = "## Auto-extracted"
MARKER = "<!-- remanent:facts"
_MARKER = re.compile(r"<!-- remanent:facts((?: [0-9a-f]{8})*) -->")
_HEADING = re.compile(r"## (?:\d{4}-\d\d-\d\d \d\d:\d\d\b.*|Auto-extracted)")
_BULLET = re.compile(r"[-*+] ")


def bullet_key(line: str) -> str:
    """Return what two bullets have in common that say the same."""
    return line.strip()[:_KEY_CHARACTERS].casefold()


def _fingerprint(line: str) -> str:
    """Return what tells that a line is still as we wrote it."""
    return sha256(line.strip().encode(errors="surrogatepass")).hexdigest()[:8]


def known_keys(text: str) -> set[str]:
    """Return the keys of all bullets of a text, whoever wrote them."""
    return {bullet_key(line) for line in text.splitlines() if _BULLET.match(line.lstrip())}


def merged_facts(held: str, facts: Sequence[str]) -> str:
    """Return the facts of a session with new ones behind them, each once, a line each."""
    kept: dict[str, str] = {}
    for line in (*held.splitlines(), *facts):
        if line.strip():
            kept.setdefault(bullet_key(line), line)
    return "\n".join(kept.values())


def without_comments(text: str) -> str:
    """Return a text without its HTML comments; not by a pattern, which would try each opening to the end."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts.append(text[at:start])
        at = end + len("-->")
    return "".join([*parts, text[at:]])


def with_facts(text: str | None, facts: Sequence[str], *, at: datetime, session: str | None) -> str:
    """Return a day's file with a dated block of facts at its end."""
    line = newline_of(text)
    title = f"## {at:%Y-%m-%d %H:%M}" + (f" · {_named(session)}" if session else "")
    begin = _ended(text, line) + line if text else f"# {at:%Y-%m-%d}{line}{line}"
    return begin + line.join([title, _marker(map(_fingerprint, facts)), *facts]) + line


def with_extracted(text: str, facts: Sequence[str]) -> str:
    """Return MEMORY.md with facts added under its heading for them, which is made where it is missing."""
    kept, line = text.splitlines(keepends=True), newline_of(text)
    bare = [one.rstrip("\r\n") for one in kept]
    place = next((at for at, one in enumerate(bare) if one == _AUTO_EXTRACTED and _has_marker(bare, at + 1)), None)
    if place is None:
        return (
            _ended(text, line) + line + line.join([_AUTO_EXTRACTED, _marker(map(_fingerprint, facts)), *facts]) + line
        )
    marker = place + 1
    prints = [*_prints(bare[marker]), *map(_fingerprint, facts)]
    kept[marker] = _marker(prints) + (kept[marker][len(bare[marker]) :] or line)
    end = marker + 1
    while end < len(bare) and _BULLET.match(bare[end].lstrip()):
        end += 1
    return _ended("".join(kept[:end]), line) + "".join(f"{fact}{line}" for fact in facts) + "".join(kept[end:])


def compacted(text: str) -> str:
    """Return a text without bullets of ours that say what another one says: the first is kept, a person's is first.

    Nothing that is not ours is moved, changed or dropped.
    """
    kept = text.splitlines(keepends=True)
    bare = [one.rstrip("\r\n") for one in kept]
    own = own_bullets(bare)
    seen = {bullet_key(one) for at, one in enumerate(bare) if at not in own and _BULLET.match(one.lstrip())}
    gone: set[int] = set()
    for at in own:
        key = bullet_key(bare[at])
        if key in seen:
            gone.add(at)
        seen.add(key)
    return _without(kept, own, gone)


def without_bullets(text: str, *, is_gone: Callable[[str], bool], session: str | None = None) -> str:
    """Return a text without the bullets of ours that say what is gone, or that were taken down in a session."""
    kept = text.splitlines(keepends=True)
    own = own_bullets([one.rstrip("\r\n") for one in kept])
    gone = {at for at, marker in own.items() if is_of(kept[marker - 1], session) or is_gone(kept[at])}
    return _without(kept, own, gone) if gone else text


def bullets_of(text: str, session: str) -> list[str]:
    """Return the bullets of ours that were taken down in a session, as far as headings tell."""
    lines = text.splitlines()
    return [lines[at] for at, marker in own_bullets(lines).items() if is_of(lines[marker - 1], session)]


def is_of(heading: str, session: str | None) -> bool:
    """Tell whether a line is the heading of what was taken down in a session."""
    return session is not None and bool(_HEADING.match(heading)) and heading.rstrip().endswith(f" · {_named(session)}")


def is_bullet(line: str) -> bool:
    """Tell whether a line is a bullet."""
    return _BULLET.match(line) is not None


def _named(session: str) -> str:
    return " ".join(session.split())


def _without(kept: list[str], own: Mapping[int, int], gone: set[int]) -> str:
    """Return lines without some of our bullets, and without their fingerprints and what would be empty blocks."""
    bare = [one.rstrip("\r\n") for one in kept]
    under = {marker: list[int]() for marker in own.values()}
    for at, marker in own.items():
        under[marker].append(at)
    for marker, places in under.items():
        left = [_fingerprint(bare[at]) for at in places if at not in gone]
        if left:
            kept[marker] = _marker(left) + kept[marker][len(bare[marker]) :]
        else:
            gone |= _empty_block(bare, marker, gone)
    return "".join(one for at, one in enumerate(kept) if at not in gone)


def own_bullets(lines: Sequence[str]) -> dict[int, int]:
    """Return the places of bullets that we wrote and nobody changed since, each with the place of its marker."""
    found: dict[int, int] = {}
    for marker, line in enumerate(lines):
        prints = Counter(_prints(line))
        for at in _under(lines, marker) if prints else ():
            if _BULLET.match(lines[at]) and prints[mark := _fingerprint(lines[at])] > 0:
                prints[mark] -= 1  # a copy that a person made of it is the person's
                found[at] = marker
    return found


def _under(lines: Sequence[str], marker: int) -> Iterator[int]:
    """Yield the places of what stands under a marker, up to the next heading or marker."""
    for at in range(marker + 1, len(lines)):
        if lines[at].startswith("#") or _MARKER.fullmatch(lines[at]):
            return
        yield at


def _empty_block(lines: Sequence[str], marker: int, gone: set[int]) -> set[int]:
    """Return the places of what is left of a block without bullets: nothing of a person's among them."""
    block = {marker}
    blank = {at for at in _under(lines, marker) if not lines[at].strip()}
    is_ours = marker > 0 and _HEADING.fullmatch(lines[marker - 1]) is not None
    if is_ours and all(at in gone or at in blank for at in _under(lines, marker)):
        block |= {marker - 1, *blank}
    return block


def _has_marker(lines: Sequence[str], at: int) -> bool:
    return at < len(lines) and _MARKER.fullmatch(lines[at]) is not None


def _marker(prints: Iterable[str]) -> str:
    return " ".join(["<!-- remanent:facts", *prints, "-->"])


def _prints(line: str) -> list[str]:
    found = _MARKER.fullmatch(line)
    return found[1].split() if found else []


def _ended(text: str, line: str) -> str:
    return text if text.endswith("\n") or not text else text + line
