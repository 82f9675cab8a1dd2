"""What the commands say to people, in English and Chinese, and which of the two a person reads.

The wording stands in `words.txt`, where a translator can read it from top to bottom; here each phrase has its name.
"""

from pathlib import Path

from remanent.bilingual import Bilingual, Language, locale_language


def chosen_language(setting: str) -> Language:
    """Return the language of the `language` setting, or the user's own when it leaves the choice open."""
    return "zh" if setting == "zh" else "en" if setting == "en" else locale_language()


def read_words(text: str) -> tuple[dict[str, Bilingual], dict[str, dict[str, Bilingual]]]:
    """Return the phrases and the tables of `words.txt`, which says at its top how they are written."""
    phrases: dict[str, Bilingual] = {}
    tables: dict[str, dict[str, Bilingual]] = {}
    for paragraph in text.split("\n\n"):
        name, *lines = [line.replace("\\n", "\n") for line in paragraph.splitlines() if line[:1] != "#"] or [""]
        if name.endswith(":"):
            rows = [line.split(" | ") for line in lines]
            tables[name[:-1]] = {row[0]: Bilingual(*row[-2:]) for row in rows}
        elif name:
            phrases[name] = Bilingual(*lines)
    return phrases, tables


_PHRASES, _TABLES = read_words(Path(__file__).with_name("words.txt").read_text(encoding="utf-8"))


def __getattr__(name: str) -> Bilingual:
    """Return a phrase by its name."""
    if name not in _PHRASES:
        raise AttributeError(f"words.txt has no phrase {name}")
    return _PHRASES[name]


USAGE = tuple(_TABLES["USAGE"].values())
"""What the parser of command lines says, from the longest to the shortest where one begins like another."""
MOVED_HEADINGS, MARK_HEADINGS, SHRUNK_HEADINGS = (
    tuple(_TABLES[name].values()) for name in ("MOVED_HEADINGS", "MARK_HEADINGS", "SHRUNK_HEADINGS")
)
EXITS, GROUPS, BOOSTS, GATE_REASONS = (_TABLES[name] for name in ("EXITS", "GROUPS", "BOOSTS", "GATE_REASONS"))
AGO, SORTS, CHECKS, SETTING_PLACES = (_TABLES[name] for name in ("AGO", "SORTS", "CHECKS", "SETTING_PLACES"))
STRATEGIES = _TABLES["STRATEGIES"]
HELP, NAMES, FIELDS = (
    {name: text.zh for name, text in _TABLES[table].items()} for table in ("HELP", "NAMES", "FIELDS")
)
"""What is said in Chinese only: the parser's own words, kinds and states of memories, and the fields of answers."""
