"""Contradictions planted into texts of a folder, and the figures that come of them."""

import gzip
import json
from pathlib import Path

from bench.language_texts import run_planted_bench

KELT = (
    "Mount Kelt is a mountain in the north of Corvia. The summit of Mount Kelt is 3412 metres above the sea. It was "
    "first climbed in 1871."
)
HARBOUR = "青岚港是云澜市的一座海港。青岚港全长1122米。青岚港于1931年正式启用并对外开放。"


def test_planted_contradictions_are_counted_kind_by_kind_on_each_half(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "multihop.tasks.jsonl.gz", "wt", encoding="utf-8") as rows:
        for _ in range(2):
            rows.write(json.dumps({"documents": [{"title": "Mount Kelt", "text": KELT}]}) + "\n")
    with gzip.open(tmp_path / "cmrc.stores.jsonl.gz", "wt", encoding="utf-8") as rows:
        turns = [{"text": text} for text in [HARBOUR, *["今天没有新消息。"] * 9] * 2]
        rows.write(json.dumps({"sessions": [{"turns": turns}]}) + "\n")
    figures = {figure.name: figure for figure in run_planted_bench(tmp_path, lambda _: None)}
    assert figures["English, the other half: planted value found (n=1)"].value == 100
    assert figures["Chinese, looked at: planted date found (n=1)"].value == 100
    assert figures["Chinese, the other half: tasks with a false conflict (n=1)"].kept
