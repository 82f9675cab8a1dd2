"""`memories`, `conflicts`, `shared` and `audit`: what was learned, as somebody at a terminal looks after it."""

import pytest

from remanent.cli.exits import Exit
from tests.cli.conftest import Cli

pytestmark = pytest.mark.needs("cognition")


def test_a_memory_is_listed_shown_edited_confirmed_forgotten_and_restored(cli: Cli) -> None:
    cli.told("I live in Lisbon.")
    listed = cli("memories", "list")
    assert "The user lives in Lisbon" in listed.out
    memory_id = listed.out.split()[0]

    def run(verb: str, *more: str) -> dict[str, object]:
        said = cli("memories", verb, memory_id, *more, "--json")
        assert said.code == 0, said.err
        found: dict[str, object] = said.json
        return found

    assert run("show")["content"] == "The user lives in Lisbon"
    assert run("confirm")["evidence_count"] == 2
    edited = run("edit", "The user lives in Porto")
    assert (edited["content"], edited["evidence_count"]) == ("The user lives in Porto", 0), "nobody said so yet"
    assert run("confirm")["evidence_count"] == 1
    assert run("why")["made_by"] == {"role": "caller", "engine": "code", "version": "1"}
    assert run("forget", "--reason", "moved")["status"] == "forgotten"
    assert cli("memories", "list", "--json").json == []
    assert "no memories yet" in cli("memories", "list").err
    assert run("restore")["status"] == "active"
    history = cli("memories", "history", memory_id, "--json").json
    assert [one["record"]["content"] for one in history][1:3] == ["The user lives in Lisbon", "The user lives in Porto"]
    assert cli("memories", "clean", "--dry-run", "--json").json["dry_run"] is True
    assert cli("memories", "show", "mem-unknown").code == Exit.NOT_FOUND


def test_a_contradiction_is_listed_shown_settled_and_undone(cli: Cli) -> None:
    cli.told("I live in Lisbon.", "I live in Porto.")
    (conflict,) = cli("conflicts", "list", "--json").json
    shown = cli("conflicts", "show", conflict["id"], "--json").json
    assert [one["text"] for one in shown["claims"]] == ["The user lives in Lisbon", "The user lives in Porto"]
    refused = cli("conflicts", "resolve", conflict["id"], "keep_both")
    assert (refused.code, "say where each" in refused.err) == (Exit.BAD_INPUT, True)
    scopes = ("--scope", "in winter", "--scope", "in summer")
    assert cli("conflicts", "resolve", conflict["id"], "keep_both", *scopes).code == 0
    kept = {one["content"] for one in cli("memories", "list", "--json").json}
    assert kept == {"in winter: The user lives in Lisbon", "in summer: The user lives in Porto"}
    assert cli("conflicts", "resolve", conflict["id"], "undo").code == 0
    assert [one["content"] for one in cli("memories", "list", "--json").json] == ["The user lives in Porto"]


def test_a_contradiction_is_listed_in_chinese(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("I live in Lisbon.", "I live in Porto.")
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    shown = cli("conflicts", "list").out
    assert all(told in shown for told in ("状态: 已解决", "采信: ", "裁定者: ", "裁定于: "))
    assert "说明: 用户：住址" in shown
    assert "The user lives in Lisbon, The user lives in Porto" in shown


def test_what_a_workspace_shares_is_proposed_approved_and_revoked(cli: Cli) -> None:
    made = cli("shared", "propose", "Deploys are on Monday", "--json").json
    assert made["status"] == "pending"
    assert cli("shared", "list", "--json").json == []
    told = cli("shared", "list").err
    assert ("Nothing is shared yet." in told, "Waiting for approval: 1." in told) == (True, True)
    assert "Deploys are on Monday" in cli("shared", "list", "--pending").out
    assert cli("shared", "approve", made["id"], "--json").json["status"] == "active"
    assert cli("shared", "list").err == ""
    assert "Nothing is waiting for approval." in cli("shared", "list", "--pending").err
    assert cli("shared", "role", "operations").code == 0
    assert cli("shared", "role", "jester").code == Exit.BAD_INPUT
    assert cli("shared", "revoke", made["id"], "--reason", "moved", "--json").json["status"] == "forgotten"
    history = cli("shared", "history", made["id"], "--json").json
    assert [one["record"]["data"]["approved_by"] for one in history] == ["", "local", "local"]
    other = cli("shared", "propose", "Deploys are on Friday", "--json").json
    assert cli("shared", "refuse", other["id"], "--json").json["status"] == "forgotten"
    assert cli("shared", "approve", other["id"]).code == Exit.BAD_INPUT


def test_audit_tells_how_memories_stand_and_keeps_its_log(cli: Cli) -> None:
    cli.told("I live in Lisbon because I work at Siemens.")
    cli.told("I work at Bosch.")
    said = cli("audit")
    assert (said.code, cli("memories", "audit").out) == (0, said.out)
    assert "1 stale" in said.err
    assert "0% junk" in said.err
    assert "stale: The user lives in Lisbon" in said.out
    assert cli("audit", "--json").json["stale"] == 1
    assert cli("audit", "verify", "--json").json["intact"] is True
