"""`knowledge sync`, and `knowledge add` of a folder: bring a folder and a collection together.

A module of its own, because a folder is read where it lies, and a discipline may be missing.
"""

from pathlib import Path

from remanent.bilingual import Bilingual, translated
from remanent.cli.options import CommonOptions
from remanent.cli.screen import begin
from remanent.knowledge import SyncReport
from remanent.knowledge.folders import Removal

READING = Bilingual("Reading files", "正在读取文件")
SYNCED = Bilingual(
    "{added} added, {changed} changed, {unchanged} unchanged, {removed} removed; {embedded} chunks are new.",
    "新增 {added}，更新 {changed}，未变 {unchanged}，移除 {removed}；新文本块 {embedded} 个。",
)
FAILED = Bilingual("{name} was not added: {reason}", "未能添加 {name}：{reason}")


def sync(place: CommonOptions, folder: Path, *, collection: str, remove: Removal = "gone") -> None:
    """Add what is new or changed in a folder, and remove documents whose files are gone."""
    screen, settings = begin(place)
    with place.open(settings) as memory, screen.meter(READING) as meter:
        base = memory.knowledge(collection, agent=place.agent)

        def tell(done: int, total: int, name: str) -> None:
            meter.note(f"{done}/{total} {name}")

        report: SyncReport = base.sync(folder, remove=remove, on_progress=tell)
        memory.settle()
    if place.as_json:
        screen.give(report)
        return
    for one in report.failed:
        screen.tell(FAILED, name=one.name, reason=translated(one.reason, screen.language))
    counts = {name: len(getattr(report, name)) for name in ("added", "changed", "removed")}
    screen.show(screen.word(SYNCED, unchanged=report.unchanged, embedded=report.embedded, **counts))
