"""How well key phrases are found beside YAKE (English) and jieba's TF-IDF and TextRank (Chinese), in one run."""

import json
import re
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.abstracts import KeyedText, generated_abstracts
from bench.figures import Figure, Report
from remanent.errors import MissingDependency
from remanent.text.keywords import keywords
from remanent.text.words import stem

ENVIRONMENT = Path(".venv-bench-keywords")
NEEDED = ("yake==0.7.3", "jieba==0.42.1")
GENERATED = 200
DOCUMENTS = 500
COUNT = 5

Language = Literal["en", "zh"]
Extract = Callable[[str], Sequence[str]]

# Runs in the other environment: reads texts, answers with the key phrases that each of its methods finds.
_OTHER = """
import json, logging, sys
import jieba, jieba.analyse, yake

jieba.setLogLevel(logging.ERROR)
count = int(sys.argv[1])
extractor = yake.KeywordExtractor(lan="en", n=3, top=count)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["language"] == "en":
        found = {"YAKE": [phrase for phrase, _ in extractor.extract_keywords(asked["text"])]}
    else:
        found = {"TF-IDF": jieba.analyse.extract_tags(asked["text"], topK=count)}
        found["TextRank"] = jieba.analyse.textrank(asked["text"], topK=count)
    print(json.dumps(found), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of the first five phrases, each the mean over all texts."""

    precision: float
    recall: float
    f1: float


def run_keyword_bench(
    data: Path | None = None, report: Report = lambda _: None, *, environment: Path = ENVIRONMENT
) -> list[Figure]:
    """Measure on generated abstracts; with a folder, also on the public sets that lie in it.

    A set is a folder with `docsutf8/*.txt` and `keys/*.key` beside each other (English), or a file `*.tsv` whose last
    two columns are a text and its key phrases joined by "_" (Chinese). The other methods are installed into an
    environment of their own the first time.
    """
    python = _prepare(environment, report)
    figures: list[Figure] = []
    for name, language, texts in _sets(data):
        report(f"key phrases of {len(texts)} texts: {name}")
        others = _answers(python, language, [text.text for text in texts])
        figures += compare(name, language, texts, others)
    return figures


def compare(
    name: str, language: Language, texts: Sequence[KeyedText], others: Sequence[dict[str, list[str]]]
) -> list[Figure]:
    """Return the figures of one set: ours, which must exceed each of the others', and theirs."""
    ours = score(language, texts, [[one.text for one in keywords(text.text, limit=COUNT)] for text in texts])
    theirs = {
        method: score(language, texts, [answer[method] for answer in others])
        for method in (others[0] if others else {})
    }
    best = max((one.f1 for one in theirs.values()), default=0.0)
    figures = [Figure(f"keywords, {name}, F1@5", round(ours.f1, 3), "", f"> {best:.3f}", ours.f1 > best)]
    figures += [Figure(f"keywords, {name}, F1@5, {method}", round(one.f1, 3), "") for method, one in theirs.items()]
    return figures


def score(language: Language, texts: Sequence[KeyedText], found: Sequence[Sequence[str]]) -> Score:
    """Return how many of the first five phrases are keys, and how many keys are among them; forms of a word are one."""
    rows = []
    for text, phrases in zip(texts, found, strict=True):
        keys = {_normal(language, key) for key in text.keys} - {""}
        first = list(dict.fromkeys(filter(None, (_normal(language, phrase) for phrase in phrases))))[:COUNT]
        hits = len(keys & set(first))
        precision, recall = hits / COUNT, hits / len(keys) if keys else 0.0
        rows.append((precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0))
    count = max(1, len(rows))
    precision, recall, f1 = (sum(row[place] for row in rows) / count for place in range(3))
    return Score(precision, recall, f1)


def _normal(language: Language, phrase: str) -> str:
    if language == "zh":
        return re.sub(r"[\s“”\"《》]", "", phrase.lower())
    return " ".join(stem(word) for word in re.findall(r"[a-z0-9+#.]+", phrase.lower()))


def _sets(data: Path | None) -> Iterator[tuple[str, Language, list[KeyedText]]]:
    yield "generated English", "en", generated_abstracts("en", GENERATED)
    yield "generated Chinese", "zh", generated_abstracts("zh", GENERATED)
    if data is None:
        return
    for folder in sorted(path.parent for path in data.rglob("docsutf8") if (path.parent / "keys").is_dir()):
        yield folder.name, "en", load_folder(folder)[:DOCUMENTS]
    for file in sorted(data.rglob("*.tsv")):
        yield file.stem, "zh", load_table(file)[:DOCUMENTS]


def load_folder(folder: Path) -> list[KeyedText]:
    """Read texts and their keys from a folder with `docsutf8` and `keys`."""
    texts = []
    for file in sorted((folder / "docsutf8").glob("*.txt")):
        keys = (folder / "keys" / f"{file.stem}.key").read_text(encoding="utf-8", errors="replace").splitlines()
        text = file.read_text(encoding="utf-8", errors="replace")
        texts.append(KeyedText(text, tuple(key.strip() for key in keys if key.strip())))
    return texts


def load_table(file: Path) -> list[KeyedText]:
    """Read texts and their keys from a table; only keys that stand in the text can be found in it."""
    texts = []
    for line in file.read_text(encoding="utf-8").splitlines():
        *_, text, keys = ["", *line.split("\t")]
        present = tuple(
            key for key in re.split(r"[_；;]", keys) if _normal("zh", key) and _normal("zh", key) in _normal("zh", text)
        )
        if present:
            texts.append(KeyedText(text, present))
    return texts


def _answers(python: Path, language: Language, texts: Sequence[str]) -> list[dict[str, list[str]]]:
    asked = "".join(json.dumps({"language": language, "text": text}) + "\n" for text in texts)
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", _OTHER, str(COUNT)],
        input=asked,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MissingDependency(f"{python.parent.parent} cannot run {', '.join(NEEDED)}; remove it and measure again")
    answers: list[dict[str, list[str]]] = [json.loads(line) for line in done.stdout.splitlines()]
    return answers


def _prepare(environment: Path, report: Report) -> Path:
    python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = environment / ".made"
    if not done.exists():
        report(f"make {environment} with {', '.join(NEEDED)}")
        venv.create(environment, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "-qq", "install", "--disable-pip-version-check", *NEEDED, "setuptools<81"]
        if subprocess.run(command, check=False).returncode:
            raise MissingDependency(f"cannot install {', '.join(NEEDED)} into {environment}; see above")
        done.touch()
    return python
