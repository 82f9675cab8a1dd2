"""Deep Retrieval: everything behind a node, with files in the form of their sort; a lost file is told of."""

import base64
import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.agents.tools import AgentTool
from remanent.errors import InvalidInput, NotFound
from remanent.model import Attachment
from tests.bank.desk import PNG, Desk, desk
from tests.loaders.pdfs import pdf

FILES = {
    "chart.png": ("image/png", PNG),
    "paper.pdf": ("application/pdf", pdf("The bridge was opened in 1932.")),
    "notes.txt": ("text/plain", "桥长 503 米".encode()),
    "model.py": ("text/x-python", b"print(503)\n"),
    "blob.bin": ("application/octet-stream", b"\xff\0\1\xfe"),
}


async def filled(folder: Path) -> tuple[Desk, str]:
    """A bank with one node and five files behind it."""
    made = desk(folder)
    await made.bank.start("How long is the bridge?")
    attachments = [
        await made.kept.put(content, attachment_id=f"att-{name.partition('.')[0]}", name=name, media_type=media_type)
        for name, (media_type, content) in FILES.items()
    ]
    text = "The bridge is 503 metres long, see " + " ".join(item.attachment_id for item in attachments) + "."
    observed = await made.bank.observe(text, attachments=attachments, metadata={"tool_calls": [{"name": "search"}]})
    return made, observed.node_ids[0]


@pytest.mark.spec("BANK-24", "BANK-10")
async def test_a_node_gives_its_entries_with_files_in_the_form_of_their_sort(tmp_path: Path) -> None:
    made, node_id = await filled(tmp_path)
    (entry,) = (await made.adapter.deep.retrieve(node_id)).entries
    assert entry.text.startswith("The bridge is 503 metres long")
    assert entry.metadata["source"] == "context"
    assert entry.metadata["tool_calls"] == [{"name": "search"}]
    shown = {item.name: (item.type.value, item.encoding, item.content) for item in entry.attachments}
    assert shown == {
        "chart.png": ("image", "base64", base64.b64encode(PNG).decode()),
        "paper.pdf": ("document", "text", "The bridge was opened in 1932."),
        "notes.txt": ("document", "text", "桥长 503 米"),
        "model.py": ("code", "text", "print(503)\n"),
        "blob.bin": ("document", "base64", base64.b64encode(b"\xff\0\1\xfe").decode()),
    }
    assert all(item.path.startswith("blob:") for item in entry.attachments)


@pytest.mark.spec("BANK-24")
async def test_entries_come_by_their_time(tmp_path: Path) -> None:
    made, _ = await filled(tmp_path)
    for text in ("The bridge is 503 metres long.", "The bridge is 503 metres long indeed."):
        await made.bank.observe(text, source="execution")
    for node in made.bank.graph.nodes:
        entries = (await made.adapter.deep.retrieve(node.id)).entries
        assert [entry.timestamp for entry in entries] == sorted(entry.timestamp for entry in entries)


@pytest.mark.spec("BANK-24")
async def test_one_attachment_can_be_asked_for(tmp_path: Path) -> None:
    made, node_id = await filled(tmp_path)
    found = await made.adapter.deep.retrieve(node_id, attachment_id="att-model")
    assert [item.id for entry in found.entries for item in entry.attachments] == ["att-model"]


@pytest.mark.spec("BANK-24")
async def test_a_missing_file_is_told_of_and_the_rest_is_there(tmp_path: Path) -> None:
    made, node_id = await filled(tmp_path)
    for digest in await made.blob_digests():
        await made.blobs.delete(made.bank.runtime.scope, digest)
    await made.kept.put(PNG, attachment_id="again", name="chart.png", media_type="image/png")
    (entry,) = (await made.adapter.deep.retrieve(node_id)).entries
    by_name = {item.name: item for item in entry.attachments}
    assert by_name["chart.png"].encoding == "base64"
    lost = by_name["paper.pdf"]
    assert (lost.encoding, lost.content) == ("none", "")
    assert "the file paper.pdf cannot be read" in lost.problem


async def test_a_file_that_lies_elsewhere_is_told_of(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("What is in the film?")
    film = Attachment(attachment_id="film-1", media_type="video/mp4", name="f.mp4", uri="s3://films/f.mp4")
    observed = await made.bank.observe("The film film-1 shows a bridge.", attachments=[film])
    (entry,) = (await made.adapter.deep.retrieve(observed.node_ids[0])).entries
    (item,) = entry.attachments
    assert (item.path, item.encoding) == ("s3://films/f.mp4", "none")
    assert "is stored elsewhere" in item.problem


async def test_an_unknown_node_and_an_unknown_attachment_are_told(tmp_path: Path) -> None:
    made, node_id = await filled(tmp_path)
    with pytest.raises(NotFound, match="no node"):
        await made.adapter.deep.retrieve("nobody")
    with pytest.raises(NotFound, match="att-chart"):
        await made.adapter.deep.retrieve(node_id, attachment_id="nothing")


@pytest.mark.spec("BANK-24")
async def test_as_a_tool_it_is_declared_by_a_schema_and_answers_in_json(tmp_path: Path) -> None:
    made, node_id = await filled(tmp_path)
    tool = made.adapter.tool
    assert isinstance(tool, AgentTool)
    assert tool.declaration.name == "deep_retrieval"
    assert tool.declaration.parameters["required"] == ["node_id"]
    output = await tool.call({"node_id": node_id})
    assert DeepRetrieved.from_json(output.text) == await made.adapter.deep.retrieve(node_id)
    assert set(json.loads(output.text)["entries"][0]) >= {"id", "text", "timestamp", "metadata", "attachments"}


async def test_as_a_tool_it_gives_long_files_when_they_are_asked_for(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("What does the log say?")
    log = await made.kept.put(b"line\n" * 10_000, attachment_id="log-1", name="a.log", media_type="text/plain")
    node_id = (await made.bank.observe("The log is log-1.", attachments=[log])).node_ids[0]
    brief = DeepRetrieved.from_json((await made.adapter.tool.call({"node_id": node_id})).text)
    assert "ask for attachment_id log-1" in brief.entries[0].attachments[0].problem
    asked = await made.adapter.tool.call({"node_id": node_id, "attachment_id": "log-1"})
    assert len(DeepRetrieved.from_json(asked.text).entries[0].attachments[0].content) == 50_000


@pytest.mark.parametrize("arguments", [{}, {"node_id": 7}, {"node_id": "n", "attachment_id": 7}])
async def test_a_call_without_a_node_is_refused(arguments: dict[str, JsonValue], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="deep_retrieval needs"):
        await desk(tmp_path).adapter.tool.call(arguments)
