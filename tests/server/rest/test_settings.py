"""The settings in force are for whoever runs the server, and no secret is among them."""

from remanent.settings import load_settings, shown_settings
from tests.server.rest.conftest import Start

SECRET = "sk-never-shown-to-anybody"


async def test_only_administrators_of_the_servers_own_organisation_see_its_settings(start: Start) -> None:
    served = await start()
    assert (await served.http.get("/v1/settings")).status_code == 200  # no key was ever made: whoever is at the machine
    own = await served.key("admin", org="default")
    refused = [
        await served.key("admin", org="acme"),
        await served.key("read", "write", org="default"),
        await served.key("admin", org="default", within_workspace="lab"),
        {},
    ]
    assert (await served.http.get("/v1/settings", headers=own)).status_code == 200
    codes = [(await served.http.get("/v1/settings", headers=one)).status_code for one in refused]
    assert codes == [403, 403, 403, 401]


def test_of_a_secret_only_whether_it_was_set_is_told() -> None:
    tiers = {"intent": {"provider": "ollama", "name": "qwen3:4b", "api_key": SECRET}}
    settings = load_settings(
        seal_key=SECRET * 2,
        store=f"postgresql://ada:{SECRET}@db/one",
        blobs=f"s3://{SECRET}:{SECRET}@store/bucket",
        model={"provider": "deepseek", "api_key": SECRET, "tiers": tiers},
        embedding={"api_key": SECRET},
    )
    shown = {one.name: one for one in shown_settings(settings)}
    assert SECRET not in str(shown.values())
    assert (shown["seal_key"].is_secret, shown["seal_key"].is_default, shown["seal_key"].value) == (True, False, None)
    assert (shown["pepper"].is_secret, shown["pepper"].is_default) == (True, True)
    assert (shown["model.provider"].value, shown["model.tiers"].value) == ("deepseek", "intent")
    assert shown["blobs"].value == "s3://…@store/bucket"
    assert all(one.english and one.chinese for one in shown.values())
