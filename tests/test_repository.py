"""The files around the code: two readmes alike, pins with hashes and no address, one door."""

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parent.parent
REQUIREMENTS = sorted((REPOSITORY / "requirements").glob("*.txt"))
# Written in parts, so that this file does not name them itself.
REGISTRY_HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com", "ana" + "conda.org")
INDEX_OPTIONS = ("--index" + "-url", "--extra-index" + "-url", "--find" + "-links", "--trusted" + "-host")
NOT_OURS = frozenset({".git", ".venv", "build", "dist", "htmlcov", "__pycache__"})


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    settings: dict[str, Any] = tomllib.loads(read("pyproject.toml"))["project"]
    return settings


def repository_files() -> list[Path]:
    """What git tracks or would track; in an unpacked archive, every file that is not made by a tool."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        everything = (path for path in REPOSITORY.rglob("*") if path.is_file())
        return [path for path in everything if not NOT_OURS & set(path.relative_to(REPOSITORY).parts)]
    return [path for name in listed.split("\0") if name and (path := REPOSITORY / name).is_file()]


def pins(text: str) -> dict[str, list[str]]:
    """Each `name==version ; marker` of a compiled requirements file, with its hashes."""
    found: dict[str, list[str]] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            pin, *hashes = re.split(r"\s+--hash=", line.partition(" #")[0].strip())
            found[pin] = hashes
    return found


def headings(text: str) -> list[int]:
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [len(mark) for mark in re.findall(r"^(#+) ", outside, flags=re.MULTILINE)]


def code_blocks(text: str) -> list[str]:
    """The code of a page without what is said in it: what people say and what comments tell is in their language."""
    blocks = re.findall(r"^```.*?^```", text, flags=re.MULTILINE | re.DOTALL)
    return [re.sub(r"(\"|')(?:\\\\.|(?!\1).)*\1", "…", re.sub(r" *#.*", "", block)) for block in blocks]


def test_both_readmes_have_the_same_sections() -> None:
    assert headings(read("README.md")) == headings(read("README.zh-CN.md"))
    assert len(headings(read("README.md"))) > 1


def test_both_readmes_show_the_same_code() -> None:
    english, chinese = code_blocks(read("README.md")), code_blocks(read("README.zh-CN.md"))
    assert [block.replace("--tag home", "--tag 家") for block in english] == chinese
    assert english


def test_both_readmes_lead_to_each_other() -> None:
    assert "README.zh-CN.md" in read("README.md")
    assert "README.md" in read("README.zh-CN.md")


def test_links_between_the_documents_lead_to_files_that_exist() -> None:
    missing = [
        f"{path.name}: {target}"
        for path in REPOSITORY.glob("*.md")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert missing == []


def test_no_file_names_a_package_registry() -> None:
    guilty = [
        f"{path.relative_to(REPOSITORY)}: {word}"
        for path in repository_files()
        for word in (*REGISTRY_HOSTS, *INDEX_OPTIONS)
        if word.encode() in path.read_bytes()
    ]
    assert guilty == []


def test_there_are_requirements_for_running_building_developing_and_breaking() -> None:
    assert [path.name for path in REQUIREMENTS] == ["base.txt", "build.txt", "chaos.txt", "dev.txt", "uv.txt"]


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_every_requirement_is_pinned_with_hashes_and_without_an_address(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "://" not in text
    assert " @ " not in text
    found = pins(text)
    assert found
    for pin, hashes in found.items():
        assert re.fullmatch(r"[a-z0-9.-]+(\[[a-z0-9,._-]+\])?==[^\s;]+( ; .+)?", pin), pin
        assert hashes, pin
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), pin


@pytest.mark.parametrize("name", ["base.txt", "build.txt", "uv.txt"])
def test_the_tools_are_installed_beside_the_very_versions_that_users_get(name: str) -> None:
    assert pins(read(f"requirements/{name}")).items() <= pins(read("requirements/dev.txt")).items()


def test_every_dependency_of_the_package_is_pinned() -> None:
    pinned = {re.split(r"[=\[]", pin)[0] for pin in pins(read("requirements/base.txt"))}
    wanted = {re.split(r"[<>=!~\[ ;]", dependency)[0] for dependency in project()["dependencies"]}
    assert wanted <= pinned


def test_the_architecture_says_why_each_dependency_is_there() -> None:
    told = set(re.findall(r"[a-z0-9-]+", read("ARCHITECTURE.md").partition("## Dependencies")[2]))
    wanted = {re.split(r"[<>=!~\[ ;]", dependency)[0] for dependency in project()["dependencies"]}
    assert wanted - told == set()


def test_the_changelog_tells_of_this_version() -> None:
    assert re.search(rf"^## \[?{re.escape(project()['version'])}\b", read("CHANGELOG.md"), flags=re.MULTILINE)


def test_the_package_says_that_it_is_typed() -> None:
    assert (REPOSITORY / "src" / "remanent" / "py.typed").exists()


def test_ci_and_people_enter_by_the_same_door() -> None:
    path = REPOSITORY / ".ci" / "run"
    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").rstrip().endswith("exec make check")


def test_every_make_target_explains_itself() -> None:
    text = read("Makefile")
    targets = set(re.findall(r"^\.PHONY: (\S+)$", text, flags=re.MULTILINE))
    explained = set(re.findall(r"^([a-z-]+):.*  ## \S", text, flags=re.MULTILINE))
    assert targets == explained
    assert {"help", "install", "run", "test", "check", "bench", "chaos", "format", "lock", "clean"} <= targets
