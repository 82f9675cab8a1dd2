"""A whole bank as one JSON document, exact both ways."""

from typing import Literal

from pydantic import ConfigDict, Field

from remanent.bank.ledger import Ledger
from remanent.errors import InvalidInput
from remanent.model import Conflict, Entry, Link, Model, Record, Scope
from remanent.stores import Change
from remanent.stores.transaction import AppendEntry, PutConflict, PutLink, PutRecord, PutVector, search_terms


class BankDocument(Model):
    """Everything a bank knows: the journal, every version of every node, edges, conflicts, embeddings."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    format: Literal["remanent-bank"] = "remanent-bank"
    version: Literal[1] = 1
    scope: Scope
    entries: tuple[Entry, ...] = ()
    records: tuple[Record, ...] = ()
    """All versions, each record's in order."""
    links: tuple[Link, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    vectors: dict[str, dict[str, bytes]] = Field(default_factory=dict)
    """By node and model: little-endian float32."""


def document_of(ledger: Ledger) -> BankDocument:
    """Return all that a ledger holds."""
    return BankDocument(
        scope=ledger.scope,
        entries=tuple(ledger.entries.values()),
        records=tuple(record for record_id in sorted(ledger.records) for record in ledger.records[record_id]),
        links=tuple(ledger.links[key] for key in sorted(ledger.links)),
        conflicts=tuple(ledger.conflicts[key] for key in sorted(ledger.conflicts)),
        vectors={
            record_id: {model: kept[model] for model in sorted(kept)}
            for record_id, kept in sorted(ledger.vectors.items())
        },
    )


async def take_in(ledger: Ledger, document: BankDocument) -> None:
    """Fill an empty ledger with a document, all of it or nothing; it keeps the ledger's own scope."""
    if ledger.entries or ledger.records:
        raise InvalidInput("this bank holds something already; load into an empty one")
    scope = ledger.scope
    changes: list[Change] = [AppendEntry(entry.replace(scope=scope, seq=0)) for entry in document.entries]
    for record in document.records:
        owned = record.replace(scope=scope)
        changes.append(PutRecord(owned, search_terms(owned), owned.version - 1))
    changes += [
        PutVector(record_id, model, values)
        for record_id, kept in document.vectors.items()
        for model, values in kept.items()
    ]
    changes += [PutLink(link) for link in document.links]
    for conflict in document.conflicts:
        # A store counts versions from the first; only the latest of a conflict is kept.
        changes += [
            PutConflict(conflict.replace(scope=scope, version=number), number - 1)
            for number in range(1, conflict.version + 1)
        ]
    await ledger.commit(scope, changes)
