"""Whose memory a request means, and which headers go where."""

from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest

from remanent.http.client import certificates
from remanent.model import Scope
from remanent.operations import Permission
from remanent.operations.access.keys import Reach
from remanent.server.authentication import scope_of
from tests.language.scripted.steps import says
from tests.server.proxy.steps import sends_raw
from tests.server.proxy.world import MODEL, question, world

ASKS = [question("Where did I move?")]
DEFAULT = Scope(org="o", workspace="w", agent="a")


def test_what_headers_leave_open_is_as_in_the_default() -> None:
    assert scope_of({}, DEFAULT) == DEFAULT
    named = {"x-remanent-agent": "bob", "x-remanent-session": "s", "x-remanent-task": "t"}
    assert scope_of(named, DEFAULT) == Scope(org="o", workspace="w", agent="bob", session="s", task="t")
    assert scope_of({"x-remanent-org": "p", "x-remanent-workspace": "v"}, DEFAULT).org == "p"


@pytest.mark.parametrize("written", [quote("小明"), "小明".encode().decode("latin-1")])
def test_a_name_may_come_as_utf_8_or_with_percent_signs(written: str) -> None:
    assert scope_of({"x-remanent-agent": written}, DEFAULT).agent == "小明"


@pytest.mark.parametrize("name", ["..", "a/b", "%2e%2e%2fb", "\xff"])
async def test_a_name_that_is_none_is_refused_and_the_model_not_asked(tmp_path: Path, name: str) -> None:
    async with world(tmp_path) as here, httpx2.AsyncClient(verify=certificates()) as client:
        answer = await client.post(
            f"{here.address}/v1/chat/completions",
            json={"model": MODEL, "messages": ASKS},
            headers={b"x-remanent-agent": name.encode("latin-1")},
        )
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "invalid_request_error"


async def test_a_conversation_without_a_session_gets_one_by_how_it_began(tmp_path: Path) -> None:
    follow_up = [*ASKS, {"role": "assistant", "content": "Yes."}, question("Sure?")]
    asked = [ASKS, follow_up, [question("Something else")]]
    async with world(tmp_path, forever=says("Yes.")) as here, here.client(session=None) as client:
        answers = [
            await client.chat.completions.with_raw_response.create(model=MODEL, messages=messages) for messages in asked
        ]
        first, second, third = (answer.headers["x-remanent-session"] for answer in answers)
        assert first == second != third
        assert {entry.scope.session for entry in await here.journal()} == {first, third}


async def test_agents_see_nothing_of_each_other(tmp_path: Path) -> None:
    async with world(tmp_path, forever=says("Yes.")) as here:
        await here.agent("bob").remember("I moved to Lisbon in May.")
        async with here.client(agent="ada") as client:
            await client.chat.completions.create(model=MODEL, messages=ASKS)
        (_, told), asked = here.asked()
        assert "Earlier conversations do not mention this" in told  # the same as if nobody had ever been told
        assert "Lisbon" not in told
        assert asked == ("user", "Where did I move?")


async def test_the_clients_key_goes_to_the_model_and_ours_does_not(tmp_path: Path) -> None:
    async with world(tmp_path, forever=says("Yes.")) as here, httpx2.AsyncClient(verify=certificates()) as client:
        _, token = here.service.keys.create("app", reach=Reach(), permissions=(Permission.READ, Permission.WRITE))
        headers = {"Cookie": "a=b", "X-Forwarded-For": "10.0.0.1", "X-Custom": "kept"}
        url, body = f"{here.address}/v1/chat/completions", {"model": MODEL, "messages": ASKS}
        for own in (
            {"Authorization": "Bearer sk-mine", "x-remanent-key": token},
            {"Authorization": f"Bearer {token}"},
        ):
            assert (await client.post(url, json=body, headers={**headers, **own})).status_code == 200
        first, second = (request.headers for request in here.upstream.requests)
        assert first["host"] == here.upstream.origin.removeprefix("http://")
    assert first["authorization"] == "Bearer sk-mine"
    assert "authorization" not in second
    assert first["x-custom"] == "kept"
    assert not {"cookie", "x-forwarded-for", "x-remanent-key", "x-remanent-agent"} & set(first)


async def test_a_chat_needs_a_key_that_reads_and_writes_there(tmp_path: Path) -> None:
    import openai

    async with world(tmp_path, forever=says("Yes.")) as here:
        make = here.service.keys.create
        lab = Reach(org="default", workspace="default", agent="ada")
        _, reader = make("reader", reach=Reach(), permissions=(Permission.READ,))
        _, elsewhere = make("bob", reach=Reach(org="other"), permissions=(Permission.ADMIN,))
        _, ada = make("ada", reach=lab, permissions=(Permission.READ, Permission.WRITE))
        for key, status in (("sk-none", 401), ("rmn_0_0", 401), (reader, 403), (elsewhere, 404)):
            async with here.client(key=key) as client:
                with pytest.raises(openai.APIStatusError) as caught:
                    await client.chat.completions.create(
                        model=MODEL, messages=ASKS, extra_headers={"x-remanent-org": "default"}
                    )
                assert caught.value.status_code == status
        assert here.upstream.requests == []
        # A key for one agent needs no header that names it.
        async with httpx2.AsyncClient(headers={"x-remanent-key": ada}) as client:
            body = {"model": MODEL, "messages": ASKS}
            assert (await client.post(f"{here.address}/v1/chat/completions", json=body)).status_code == 200
        assert len(await here.journal("ada")) == 2
        noted = [line.deed for line in here.service.audit.read("default") if line.deed.outcome == "ok"]
        assert [(deed.what, deed.agent) for deed in noted] == [("remember", "ada")]


async def test_a_key_of_our_own_takes_the_place_of_the_clients(tmp_path: Path) -> None:
    async with world(tmp_path, says("Yes."), api_key="sk-own") as here, here.client(key="sk-client") as client:
        await client.chat.completions.create(model=MODEL, messages=ASKS, extra_headers={"api-key": "x"})
        assert here.upstream.requests[0].headers["authorization"] == "Bearer sk-own"
        assert "api-key" not in here.upstream.requests[0].headers


async def test_a_request_cannot_choose_where_it_goes(tmp_path: Path) -> None:
    async with world(tmp_path) as here, httpx2.AsyncClient(verify=certificates()) as client:
        for target in ("/v1/models/%2e%2e/%2e%2e/admin", "/v1/models//evil.example/x", "/v1/models/a%2F..%2Fb"):
            assert (await client.get(f"{here.address}{target}")).status_code == 404
    async with (
        world(tmp_path, sends_raw(200, b"{}", path="/v1/models/a/b%3Fc")) as here,
        httpx2.AsyncClient(verify=certificates()) as client,
    ):
        assert (await client.get(f"{here.address}/v1/models/a/b%3Fc")).status_code == 200


async def test_a_proxy_without_a_model_says_what_to_set(tmp_path: Path) -> None:
    import openai

    async with world(tmp_path, base_url=None) as here, here.client() as client:
        with pytest.raises(openai.InternalServerError, match=r"set proxy\.base_url") as caught:
            await client.chat.completions.create(model=MODEL, messages=ASKS)
        assert caught.value.status_code == 503


async def test_a_request_that_is_too_large_is_refused(tmp_path: Path) -> None:
    import openai

    async with world(tmp_path, max_request=2000) as here, here.client() as client:
        with pytest.raises(openai.APIStatusError, match="at most 2000 bytes"):
            await client.chat.completions.create(model=MODEL, messages=[question("x" * 3000)])
