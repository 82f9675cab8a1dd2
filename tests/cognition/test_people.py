"""Of whom a memory is: two sisters of different names are two people, and one who was named is still that one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from remanent import Agent
from remanent import open as open_memory
from tests.cognition.conftest import told as told_at_once


@contextmanager
def told(home: Path, *texts: str) -> Iterator[Agent]:
    """An agent that learned from each text before it was told the next one."""
    with open_memory(home, embedder="none") as memory:
        agent = memory.agent("x")
        for text in texts:
            agent.remember(text)
            memory.settle()
        yield agent


# What is said, one message behind each bar, and what is known afterwards.
TWO = """My sister Eva lives in Ghent.|My sister Ida lives in Lyon.
My son Leo is 6.|My son Max is 9.
My cat Tig is 4.|My cat Pip is 11.
My sister Eva is a dentist.|My sister Ida is a pilot.
My daughter Amy is married.|My daughter Joy is single.
My brother, Sean, is 40.|My brother, Pat, is 38.
My dog Rex weighs 20 kg.|My dog Bo weighs 9 kg.
My sister Eva lives in Ghent.|My sister Ida no longer lives in Ghent.
My daughter Mia is allergic to nuts.|My daughter Zoe can eat nuts again.
我姐姐小云住在成都。|我姐姐小雨住在重庆。
我儿子乐乐6岁。|我儿子康康9岁。
我弟弟张强是司机。|我弟弟张伟是厨师。
我家狗旺旺3岁。|我家狗豆豆8岁。
我妹妹小敏对花生过敏。|我妹妹小雨对牛奶过敏。""".split("\n")
ONE = """My sister Eva lives in Ghent.|My sister moved to Lyon.
My sister Eva lives in Ghent.|My sister Eva moved to Lyon.
My older sister Eva lives in Ghent.|My sister Eva moved to Lyon.
My wife works at Shell.|My wife Anna works at BP.
My mother lives in Ghent.|My mother Ada moved to Lyon.
My son Leo is 6.|My son turned 7.
My dog Bo weighs 9 kg.|My puppy Bo weighs 10 kg.
My sister Eva lives in Ghent.|My sister Ida lives in Lyon.|My sister Eva moved to Rome.
My sister is called Eva.|My sister lives in Ghent.|My sister Eva moved to Lyon.
I have a sister named Eva.|My sister lives in Ghent.|My sister Eva moved to Lyon.
My sister Eva lives in Ghent.|My sister doesn't live in Ghent anymore.
My friend Ingrid lives in Lund.|My friend Ingrid moved to Oslo.
我妹妹小敏住在苏州。|我妹妹搬到南京了。
我女儿朵朵今年5岁。|我女儿圆圆今年8岁。|我女儿朵朵6岁了。
我同事小王住在北京。|我同事小王搬到了天津。
我儿子已经9岁了。|我儿子刚刚10岁。""".split("\n")
UNSURE = """My sister Eva lives in Ghent.|My sister Ida lives in Lyon.|My sister moved to Oslo.
My sister lives in Ghent.|My sister Eva lives in Lyon.
My sister Eva lives in Ghent.|My sister Ida lives in Ghent.|My sister no longer lives in Ghent.
我妹妹小敏住在苏州。|我妹妹小雨住在无锡。|我妹妹搬到南京了。
我妹妹住在苏州。|我妹妹小敏住在南京。""".split("\n")


@pytest.mark.spec("COG-07")
def test_people_and_animals_of_different_names_end_nothing_of_each_other(tmp_path: Path) -> None:
    for number, pair in enumerate(TWO):
        with told(tmp_path / f"{number}", *pair.split("|")) as agent:
            kept = agent.cognition.memories()
            assert not any(one.memory.replaces or one.memory.stale for one in kept), pair
            assert any(one.sources[0].start == 0 and one.version == 1 for one in kept), pair
            assert not agent.conflicts(), pair


@pytest.mark.spec("COG-07")
def test_who_was_named_once_is_the_same_without_the_name(tmp_path: Path) -> None:
    for number, pair in enumerate(ONE):
        with told(tmp_path / f"{number}", *pair.split("|")) as agent:
            changed = [one for one in agent.cognition.memories() if one.memory.replaces]
            assert len(changed) == 1, pair
            assert not any(one.memory.stale for one in agent.cognition.memories()), pair


def test_it_is_no_matter_whether_all_is_learned_at_once(tmp_path: Path) -> None:
    for number, pair in enumerate(TWO + ONE):
        with told_at_once(tmp_path / f"{number}", *pair.split("|")) as agent:
            changed = [one for one in agent.cognition.memories() if one.memory.replaces]
            assert len(changed) == (pair in ONE), pair


def test_the_memory_of_who_was_not_named_again_has_the_name(tmp_path: Path) -> None:
    with told(tmp_path, "My sister Eva lives in Ghent.", "My sister moved to Lyon.") as agent:
        assert [one.content for one in agent.cognition.memories()] == ["The user's sister Eva moved to Lyon"]


def test_what_may_be_of_either_is_only_doubted(tmp_path: Path) -> None:
    for number, said in enumerate(UNSURE):
        with told(tmp_path / f"{number}", *said.split("|")) as agent:
            kept = agent.cognition.memories()
            assert not any(one.memory.replaces for one in kept), said
            assert any(one.memory.stale for one in kept), said


ADDED = """I work at Tesco.|I also work at a gym on weekends.
I work at Tesco.|I work at a gym too.
I work as a nurse.|I also work as a translator.
I live in Ghent.|I live in York at weekends.
I work in finance.|I also work in education.
I'm a nurse.|I'm a photographer on the side.
My phone number is 555-1234.|My phone number is also 555-9999.
I go to the gym every Monday.|I also go to the gym every Thursday now.
My brother works at Tesco.|My brother also works at Aldi.
我在华为公司上班。|我还在青禾中学兼职。
我住在杭州。|我也住在上海。
我是老师。|我也是翻译。
我做销售。|我还做设计。
我是护士。|另外，我是主播。""".split("\n")


@pytest.mark.spec("COG-07")
def test_what_only_adds_ends_nothing(tmp_path: Path) -> None:
    for number, pair in enumerate(ADDED):
        with told(tmp_path / f"{number}", *pair.split("|")) as agent:
            kept = agent.cognition.memories()
            assert len(kept) == 2, pair
            assert not any(one.memory.replaces or one.memory.stale for one in kept), pair


def test_what_adds_is_the_same_again_where_it_is_known_and_goes_by_itself(tmp_path: Path) -> None:
    with told(tmp_path / "a", "I work at Tesco.", "I also work at Tesco.") as agent:
        assert [one.content for one in agent.cognition.memories()] == ["The user works at Tesco"]
    with told(tmp_path / "b", "I work at Tesco.", "I also work at Aldi.", "I no longer work at Aldi.") as agent:
        ended = [one for one in agent.cognition.memories() if one.memory.replaces]
        assert [one.memory.replaces for one in ended] == ["Aldi"]
    with told(tmp_path / "c", "I live in Ghent.", "I've also moved to Lyon.") as agent:
        assert [bool(one.memory.stale) for one in agent.cognition.memories()].count(True) == 1


def test_a_role_is_played_on_in_the_messages_behind_until_it_ends(tmp_path: Path) -> None:
    texts = ("I live in Rome.", "Let's role play. You are my doctor.", "I'm 77 and I smoke 40 a day.")
    with told(tmp_path, *texts, "Thanks, that was fun. By the way, I work at Shell.") as agent:
        assert sorted(one.content for one in agent.cognition.memories()) == [
            "The user lives in Rome",
            "The user works at Shell",
        ]


RIGHT = """My appointment is on Tuesday at 3.|Sorry, I meant Wednesday at 3.|The user's appointment is on Wednesday at 3
My appointment is on Tuesday at 3.|Sorry, I meant Wednesday.|The user's appointment is on Wednesday at 3
My appointment is on Tuesday at 3. Sorry, I meant Wednesday.|Thanks.|The user's appointment is on Wednesday at 3
My train leaves at 8 pm.|Sorry, it's 9 pm.|The user's train leaves at 9 pm
I live in Leeds.|Sorry, I meant Hull.|The user lives in Hull
我今年30岁。|不对，是31岁。|用户今年31岁
我的面试是周一上午十点。|更正一下，是周二。|用户的面试是周二上午十点
我住在杭州。|说错了，是湖州。|用户住在湖州""".split("\n")
NOT_PUT_RIGHT = """My appointment is on Tuesday at 3.|Sorry, I meant to call you on Wednesday.
My appointment is on Tuesday at 3.|It's Wednesday today.
I live in Leeds.|Sorry, it's Monday.
I live in Leeds.|Sorry, it's Anna.
My deadline is Friday.|Sorry, that's Monday's problem.
我住在杭州。|说错了，是周三。
我在华为上班。|说错了，我明天再说。
我约了周二三点看牙。|是周三吗？""".split("\n")


@pytest.mark.spec("COG-07")
def test_what_somebody_puts_right_takes_the_place_of_what_they_said(tmp_path: Path) -> None:
    for number, row in enumerate(RIGHT):
        *texts, right = row.split("|")
        with told(tmp_path / f"{number}", *texts) as agent:
            assert [one.content for one in agent.cognition.memories()] == [right]
    with told(tmp_path / "zh", "我约了周二三点看牙。", "说错了，是周三。") as agent:
        [kept] = agent.cognition.memories()
        assert "周三" in kept.content
        assert "周二" not in kept.content
    for number, pair in enumerate(NOT_PUT_RIGHT):
        with told(tmp_path / f"not{number}", *pair.split("|")) as agent:
            assert not any(one.memory.replaces or one.memory.stale for one in agent.cognition.memories()), pair


DOUBTED = """My boss is called Harriet.|Harriet left, the new ward manager is someone called Femi.
My manager is Bram.|The new manager is Lia.
My brother Owen is getting married in July.|Owen moved the wedding to 12 September.
My brother Owen is getting married in July.|Owen's wedding is now in September.
我弟弟小军七月结婚。|小军把婚礼改到九月了。""".split("\n")
NOT_DOUBTED = """My boss is called Harriet.|Harriet left early today.
My manager is Bram.|The new manager of the shop next door is Lia.
My brother Owen is getting married in July.|Owen likes tea.
My sister Eva is getting married in July.|Owen moved the wedding to 12 September.
My daughter Zoe is allergic to milk.|My daughter Mia can drink milk again.
我弟弟小军七月结婚。|小军喜欢跑步。""".split("\n")


@pytest.mark.spec("COG-07")
def test_a_change_told_by_a_name_or_a_post_lets_doubt_what_was(tmp_path: Path) -> None:
    for number, pair in enumerate(DOUBTED + NOT_DOUBTED):
        with told(tmp_path / f"{number}", *pair.split("|")) as agent:
            kept = agent.cognition.memories()
            assert any(one.memory.stale for one in kept) == (pair in DOUBTED), pair
            assert not any(one.memory.replaces for one in kept), pair
