"""What is kept of a text: what was said of it, for a while, and none of its words."""

from remanent import lightweight
from remanent.lightweight import memoized_by_hash


def test_what_was_said_of_a_text_is_not_worked_out_again() -> None:
    asked: list[str] = []

    @memoized_by_hash
    def size(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [size("heron"), size("otter!"), size("heron"), size("\ud800")] == [5, 6, 5, 1]
    assert asked == ["heron", "otter!", "\ud800"]


def test_what_is_said_depends_on_all_that_is_handed_over() -> None:
    @memoized_by_hash
    def ends(text: str, size: int, *, mark: str = "") -> int:
        return text.endswith(mark) * size

    assert [ends("heron", 1), ends("heron", 2), ends("heron", 2, mark="n"), ends("heron", 2, mark="x")] == [1, 2, 2, 0]


def test_only_what_was_asked_of_late_is_kept() -> None:
    asked: list[str] = []

    @memoized_by_hash
    def size(text: str) -> int:
        asked.append(text)
        return len(text)

    for number in range(2 * lightweight._MAX_MEMOIZED + 1):
        size(str(number))
        size("asked for all the while")
    assert asked.count("asked for all the while") == 1
    size("0")
    assert asked.count("0") == 2


def test_nothing_of_a_text_stays_behind() -> None:
    @memoized_by_hash
    def size(text: str) -> int:
        return len(text)

    size("the code of the safe is 4711")
    kept_here = [
        cell.cell_contents for cell in getattr(size, "__closure__", ()) if isinstance(cell.cell_contents, dict)
    ]
    assert any(kept_here)
    assert "4711" not in repr(kept_here)
