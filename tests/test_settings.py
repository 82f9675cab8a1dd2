import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from remanent.associative.settings import AssociativeSettings
from remanent.bank.settings import BankSettings
from remanent.errors import InvalidSettings
from remanent.settings import (
    TOOL_KEYS,
    USUAL_KEYS,
    EmbeddingSettings,
    JobSettings,
    ProxySettings,
    RerankerSettings,
    RoleChoice,
    Settings,
    load_settings,
    setting_rows,
    setting_sources,
)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without any configuration, in an empty project."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for variable in (*(row.variable for row in setting_rows()), *USUAL_KEYS.values(), *TOOL_KEYS.values()):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def user_file(machine: Path, text: str) -> Path:
    return write(machine / "user/.config/remanent/config.yaml", text)


def project_file(machine: Path, text: str) -> Path:
    return write(machine / "project/remanent.yaml", text)


def test_without_any_configuration_the_defaults_hold(machine: Path) -> None:
    settings = load_settings()
    assert settings == Settings()
    assert settings.home == machine / "user/.local/share/remanent"
    assert (settings.org, settings.workspace, settings.store) == ("default", "default", SecretStr("sqlite"))
    assert settings.jobs.queue_limit == 1000


def test_flag_beats_environment_beats_project_beats_user_beats_default(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("one", "two", "three", "four")
    user_file(machine, "org: one\nworkspace: one\njobs: {queue_limit: 1, max_attempts: 1, concurrency: 1, lease: 1}\n")
    project_file(machine, "workspace: two\njobs: {queue_limit: 2, max_attempts: 2, concurrency: 2}\n")
    monkeypatch.setenv("REMANENT_JOBS__QUEUE_LIMIT", "3")
    monkeypatch.setenv("REMANENT_JOBS__MAX_ATTEMPTS", "3")
    settings = load_settings(jobs={"queue_limit": 4})
    assert settings.org == names[0]
    assert settings.workspace == names[1]
    assert settings.jobs == JobSettings(queue_limit=4, max_attempts=3, concurrency=2, lease=1)
    assert settings.language == "auto"


def test_a_flag_that_was_not_given_changes_nothing(machine: Path) -> None:
    project_file(machine, "language: zh\n")
    assert load_settings(language=None).language == "zh"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_HOME", "")
    assert load_settings() == Settings()


def test_the_home_is_absolute_and_a_tilde_is_the_user(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(home="data").home == machine / "project/data"
    monkeypatch.setenv("REMANENT_HOME", "~/mine")
    assert load_settings().home == machine / "user/mine"


def test_xdg_directories_are_followed_unless_relative(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(machine / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(machine / "config"))
    write(machine / "config/remanent/config.yaml", "language: en\n")
    settings = load_settings()
    assert settings.home == machine / "data/remanent"
    assert settings.language == "en"
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    assert load_settings().home == machine / "user/.local/share/remanent"


def test_a_named_file_is_read_in_place_of_the_others(machine: Path) -> None:
    project_file(machine, "language: zh\norg: lab\n")
    named = write(machine / "other.yaml", "language: en\n")
    settings = load_settings(named)
    assert (settings.language, settings.org) == ("en", "default")


def test_a_named_file_that_is_missing_is_refused(machine: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"no configuration file .*absent\.yaml"):
        load_settings(machine / "absent.yaml")


def test_an_empty_file_sets_nothing(machine: Path) -> None:
    project_file(machine, "# nothing yet\n")
    assert load_settings() == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("langage: zh\n", r"langage \(.*remanent\.yaml\): there is no such setting, the nearest is language"),
        (
            "jobs:\n  leese: 3\n",
            r"jobs\.leese \(.*remanent\.yaml\): there is no such setting, the nearest is jobs\.lease",
        ),
        ("jobs:\n  lease: soon\n", r"jobs\.lease \(.*remanent\.yaml\): Input should be a valid number"),
        ("jobs:\n  lease: .nan\n", r"jobs\.lease \(.*remanent\.yaml\): Input should be a finite number"),
        ("jobs:\n  queue_limit: 0\n", r"jobs\.queue_limit \(.*\): Input should be greater than or equal to 1"),
        ("jobs: 3\n", r"jobs \(.*remanent\.yaml\): Input should be"),
        ("language: fr\n", r"language \(.*\): Input should be 'auto', 'zh' or 'en'"),
        ("home: ''\n", r"home \(.*\): must be the path of a folder"),
        ("home: [a]\n", r"home \(.*\): must be a path, not list"),
        ("org: ../up\n", r"org \(.*\): org holds '/'"),
        ("store: sqlite://tmp/x\n", r"store \(.*\): .*three slashes"),
        ("store: postgresql:db\n", r"store \(.*\): .*must be a URL such as postgresql://"),
        ("cache: memory://x\n", r"cache \(.*\): .*write just memory"),
        ("cache: memcached://x\n", r"cache \(.*\): .*must be one of: memory, redis"),
        ("blobs: gs://x\n", r"blobs \(.*\): .*must be one of: files, s3"),
        ("- language\n", r"remanent\.yaml must hold one setting per line"),
        ("1: language\n", r"remanent\.yaml must hold one setting per line"),
        ("a: [1\nb: 2\n", r"remanent\.yaml is not well-formed YAML at line 2"),
    ],
)
def test_a_wrong_file_is_refused_with_field_place_and_advice(machine: Path, text: str, said: str) -> None:
    project_file(machine, text)
    with pytest.raises(InvalidSettings, match=said):
        load_settings()


def test_a_file_that_is_not_utf_8_is_refused(machine: Path) -> None:
    project_file(machine, "").write_bytes(b"org: \xff\xfe\n")
    with pytest.raises(InvalidSettings, match="not UTF-8"):
        load_settings()


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_JOBS__LEASE", "-1")
    with pytest.raises(InvalidSettings, match=r"jobs\.lease \(the environment\): Input should be greater than 0"):
        load_settings()
    monkeypatch.setenv("REMANENT_JOBS", "{lease")
    with pytest.raises(InvalidSettings, match="malformed"):
        load_settings()


def test_variables_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_SOMETHING_ELSE", "1")
    assert load_settings() == Settings()


def test_an_unknown_store_is_refused_with_what_exists_and_without_its_password() -> None:
    with pytest.raises(InvalidSettings, match="must be one of: sqlite") as caught:
        load_settings(store="mysql://ada:hunter2@host/db")
    assert "hunter2" not in str(caught.value)


def test_the_password_of_a_store_or_a_cache_is_shown_nowhere() -> None:
    settings = load_settings(store="postgresql://ada:hunter2@host/db", cache="redis://:hunter2@host")
    assert settings.store.get_secret_value() == "postgresql://ada:hunter2@host/db"
    assert "hunter2" not in repr(settings) + settings.model_dump_json()


def test_the_model_itself_refuses_with_our_error() -> None:
    with pytest.raises(InvalidSettings, match=r"max_text_length: Input should be greater than or equal to 1"):
        Settings(max_text_length=0)


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().org = "other"  # type: ignore[misc]


def test_a_memory_budget_may_be_written_with_a_unit() -> None:
    assert load_settings(vectors={"memory_budget": "1GiB"}).vectors.memory_budget == 2**30


@given(text=st.text(max_size=30))
def test_any_text_as_home_gives_an_absolute_path_or_our_error(text: str) -> None:
    try:
        settings = Settings(home=Path(text))
    except InvalidSettings:
        return
    assert settings.home.is_absolute()


def test_every_setting_is_described_in_both_languages() -> None:
    for row in setting_rows():
        assert row.english.endswith("."), row.name
        assert row.chinese.endswith("。"), row.name


def test_every_documented_variable_reaches_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in setting_rows():
        if row.default != "–":
            monkeypatch.setenv(row.variable, row.default.strip("`"))
    assert load_settings() == Settings()


@pytest.mark.spec("BANK-29", "COG-15")
def test_every_setting_without_a_default_is_reached_by_its_variable_too(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "provider": "deepseek",
        "name": "deepseek-chat",
        "api_key": "secret-1",
        "base_url": "http://localhost:8080/v1",
        "output": "json",
        "temperature": "0.3",
        "top_p": "0.8",
        "max_tokens": "100",
        "window": "200",
        "vision": "true",
    }
    for group in ("TIERS__EXTRACTION", "ROLES__PLANNING"):
        monkeypatch.setenv(f"REMANENT_MODEL__{group}__ENGINE", "offline")
    unset = {row.name: row.variable for row in setting_rows() if row.default == "–"}
    groups = {"model.tiers.<tier>.<setting>": "extraction", "model.roles.<role>.<setting>": "planning"}
    embedding = {"base_url": "http://localhost:8081/v1", "api_key": "secret-2", "name": "bge-m3", "dimension": "1024"}
    embedding["former_api_key"] = "secret-6"
    tools = {"search.api_key": "secret-3", "reader.api_key": "secret-4", "associative.similarity": "0.4"}
    named = {f"model.{name}" for name in values} | {f"embedding.{name}" for name in embedding}
    proxy = {"proxy.base_url": "http://localhost:8082/v1", "proxy.api_key": "secret-3"}
    proxy |= {"proxy.anthropic_base_url": "http://localhost:8083", "proxy.anthropic_api_key": "secret-7"}
    reranker = {"base_url": "http://localhost:8082/v1", "api_key": "secret-5", "name": "bge-reranker"}
    named |= {f"recall.reranker.{name}" for name in reranker}
    folders = {"bank.temp_dir": "/tmp/waiting", "bank.storage_dir": "/srv/kept", "secrets": "/srv/vault"}
    folders |= {"seal_key": "secret-8" * 4, "pepper": "secret-9"}
    folders |= {"memory.path": "/srv/notes", "memory.root": "/srv/notes2", "memory.project": "/srv/project"}
    assert unset.keys() == named | groups.keys() | folders.keys() | tools.keys() | proxy.keys()
    for name, value in (folders | tools | proxy).items():
        monkeypatch.setenv(unset[name], value)
    for name, value in reranker.items():
        monkeypatch.setenv(unset[f"recall.reranker.{name}"], value)
    for name, value in embedding.items():
        monkeypatch.setenv(unset[f"embedding.{name}"], value)
    for name, value in values.items():
        monkeypatch.setenv(unset[f"model.{name}"], value)
        for group, member in groups.items():
            variable = unset[group].replace("<TIER>", member).replace("<ROLE>", member).replace("<SETTING>", name)
            monkeypatch.setenv(variable.upper(), value)
    wanted = RoleChoice.model_validate({**values, "engine": "offline"})
    settings = load_settings()
    assert settings.secrets == Path("/srv/vault")
    assert [key and key.get_secret_value() for key in (settings.seal_key, settings.pepper)] == [
        folders["seal_key"], folders["pepper"],
    ]  # fmt: skip
    assert settings.section(AssociativeSettings).similarity == 0.4
    assert settings.embedding == EmbeddingSettings.model_validate(embedding)
    assert settings.section(BankSettings) == BankSettings.model_validate(
        {"temp_dir": "/tmp/waiting", "storage_dir": "/srv/kept"}
    )
    assert [key and key.get_secret_value() for key in (settings.search.api_key, settings.reader.api_key)] == [
        "secret-3",
        "secret-4",
    ]
    assert settings.proxy == ProxySettings.model_validate(
        {name.partition(".")[2]: value for name, value in proxy.items()}
    )
    assert settings.recall.reranker == RerankerSettings.model_validate(reranker)
    model = settings.model
    assert model.tiers == {"extraction": wanted}
    assert model.roles == {"planning": wanted}
    assert {name: getattr(model, name) for name in values} | {"engine": "offline"} == dict(wanted)


@pytest.mark.spec("BANK-29")
@pytest.mark.parametrize("provider", ["openai", "deepseek", "anthropic"])
def test_a_named_providers_own_variable_gives_the_key_unless_one_is_set(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", " usual-key\n")
    assert load_settings().model.api_key is None
    named = load_settings(model={"provider": provider}).model
    assert named.api_key is not None
    assert named.api_key.get_secret_value() == "usual-key"
    own = load_settings(model={"provider": provider, "api_key": "own-key"}).model
    assert own.api_key is not None
    assert own.api_key.get_secret_value() == "own-key"


@pytest.mark.spec("BANK-29")
@pytest.mark.parametrize(("group", "variable"), TOOL_KEYS.items())
def test_a_tools_usual_variable_gives_the_key_for_its_own_address_and_no_other(
    group: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert getattr(load_settings(), group).api_key is None
    monkeypatch.setenv(variable, " usual-key\n")
    assert getattr(load_settings(), group).api_key.get_secret_value() == "usual-key"
    own = load_settings(**{group: {"api_key": "own-key", "timeout": 5}})  # type: ignore[arg-type]
    assert getattr(own, group).api_key.get_secret_value() == "own-key"
    elsewhere = load_settings(**{group: {"base_url": "http://localhost:1"}})  # type: ignore[arg-type]
    assert getattr(elsewhere, group).api_key is None


def test_a_tier_and_a_role_of_another_provider_take_that_providers_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-anthropic")
    anthropic = {"provider": "anthropic", "name": "b"}
    model = load_settings(
        model={
            "provider": "openai",
            "tiers": {"core": anthropic},
            "roles": {"hyde": anthropic, "intent": {"name": "c"}},
        }
    ).model
    keys = [choice.api_key for choice in (model, model.tiers["core"], model.roles["hyde"], model.roles["intent"])]
    assert [key and key.get_secret_value() for key in keys] == [
        "key-of-openai",
        "key-of-anthropic",
        "key-of-anthropic",
        None,
    ]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"provider": "acme"}, r"model\.provider .*Input should be 'openai'"),
        ({"base_url": "localhost:8080"}, r"model\.base_url .*must be a URL"),
        ({"base_url": "http://[oops"}, r"model\.base_url .*must be a URL"),
        ({"base_url": "http://me:canary@host/v1"}, r"model\.base_url .*set api_key instead"),
        ({"base_url": "http://host/v1?key=canary"}, r"model\.base_url .*without \? and #"),
        ({"api_key": "canary with spaces"}, r"model\.api_key .*the key alone"),
        ({"api_key": "canäry"}, r"model\.api_key .*the key alone"),
        ({"name": " "}, r"model\.name .*the name that the provider gives"),
        ({"temperature": 3}, r"model\.temperature .*less than or equal to 2"),
        ({"tiers": {"best": {}}}, r"model\.tiers\.best.*Input should be 'core'"),
        ({"roles": {"planning": {"window": 0}}}, r"model\.roles\.planning\.window .*greater than or equal to 1"),
        ({"roles": {"planning": {"modell": "x"}}}, r"model\.roles\.planning\.modell .*no such setting"),
    ],
)
def test_a_wrong_choice_of_a_model_is_refused_and_no_secret_repeated(model: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidSettings, match=said) as caught:
        load_settings(model=model)
    assert "canary" not in str(caught.value)


def test_a_key_is_not_shown() -> None:
    settings = load_settings(model={"provider": "openai", "api_key": "canary"})
    assert "canary" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


@pytest.mark.parametrize(
    ("engine", "provider", "uses_model"),
    [
        ("auto", None, False),
        ("auto", "ollama", True),
        ("offline", "ollama", False),
        ("model", "ollama", True),
    ],
)
def test_a_model_is_used_when_it_is_wanted_or_a_provider_is_named(
    engine: str, provider: str | None, uses_model: bool
) -> None:
    assert load_settings(engine=engine, model={"provider": provider}).uses_model is uses_model


def test_an_address_alone_is_a_local_provider() -> None:
    assert load_settings(model={"base_url": "http://localhost:8080/v1"}).uses_model


def test_the_documentation_fits_the_model() -> None:
    script = Path(__file__).parent.parent / "scripts/settings_table.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)


def test_importing_the_settings_does_not_import_their_reader() -> None:
    code = (
        "import sys, remanent, remanent.settings; sys.exit('pydantic_settings' in sys.modules or 'yaml' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_places_that_set_something_are_named_with_what_they_set_and_never_with_the_values(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = user_file(machine, "language: zh\n")
    project = project_file(machine, "jobs: {lease: 5, poll: 6}\n")
    monkeypatch.setenv("REMANENT_EMBEDDER", "none")
    assert list(setting_sources(org="lab", workspace=None).items()) == [
        ("the call", ["org"]),
        ("the environment", ["embedder"]),
        (str(project), ["jobs.lease", "jobs.poll"]),
        (str(user), ["language"]),
    ]


def test_without_any_configuration_no_place_sets_anything() -> None:
    assert setting_sources() == {}
