"""What `make mutants` breaks is there, and so are the tests that are to notice."""

from scripts.mutants import ROOT, TARGETS, mutants_of


def test_every_module_that_is_broken_and_every_test_that_is_to_notice_exists() -> None:
    for module, tests in TARGETS.items():
        source = (ROOT / "src" / "remanent" / module).read_text(encoding="utf-8")
        assert any(True for _ in mutants_of(module, source))
        assert all((ROOT / test).is_file() for test in tests)
