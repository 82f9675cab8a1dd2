"""What ends what is known by its name: a post, a couple, what somebody had or does; and all that ends nothing."""

import pytest

from remanent.language.offline.endings import endings, is_over
from remanent.language.offline.statements import canonical, statements


def _over(old: str, new: str) -> bool:
    known = statements(old)
    assert known, f"nothing is learned of {old}"
    return any(
        is_over(
            change,
            subject=one.subject,
            attribute=canonical(one.attribute),
            value=one.value,
            content=one.content,
        )
        for change in endings(new)
        for one in known
    )


_OVER = """My girlfriend Hanna and I share a flat.|Hanna and I called it quits in June.
I go to the gym every Monday.|My gym days have shifted, it's Thursdays now.
My favourite football club is Ajax.|Can't stand Ajax any more, I'm all for Feyenoord these days.
My boss is Karen Lindqvist.|Karen got promoted away and Femi took over our team as my boss.
I use Notion for notes.|Cancelled Notion in May.
I drive a Honda Civic.|We sold the Civic last week.
I work at Northwind.|Northwind has gone bankrupt.
I'm allergic to cats.|The shots worked: cats don't bother me one bit anymore.
我女朋友叫小雅。|我和小雅掰了，现在单身。
我的牙医是王医生。|王医生退休了，我现在找李医生看牙。
我在浙大读博士。|我从浙大退学了，回老家开了个奶茶店。
我每周一去健身房。|健身改到周四了。
我最喜欢的球队是国安。|早就不看国安了，现在是申花的铁杆球迷。
我养了一只狗，叫旺财。|旺财上周送给舅舅养了。
我的邮箱是 liu@old.example。|原来的邮箱不用了。"""
_NOT_OVER = """My boss is Karen Lindqvist.|Karen might get promoted away.
My boss is Karen Lindqvist.|Did Karen retire?
My boss is Karen Lindqvist.|Karen's husband retired.
My boss is Karen Lindqvist.|Karen hasn't left the company.
My boss is Karen Lindqvist.|Karen moved on to the next slide today.
My daughter is Anna.|Anna moved out last week.
My daughter is Anna.|Anna retired her old bike.
My brother is Tom.|Tom quit his job.
My brother is Tom.|Tom and I broke up a fight.
I drive a Honda Civic.|My brother sold his Civic.
I drive a Honda Civic.|My brother moved to Rome, sold the Civic.
I drive a Honda Civic.|I want to sell the Civic.
I drive a Honda Civic.|If I sold the Civic, I would walk.
I work at Siemens.|I left Siemens early today.
I work at Siemens.|Siemens closed early on Friday.
I work at Siemens.|I haven't left Siemens.
I go to the gym every Monday.|I left the gym at seven.
I go to the gym every Monday.|The gym was closed today.
My phone number is 0171 555 2301.|My phone is dead.
My phone number is 0171 555 2301.|I dropped my phone.
We have a dog called Bruno.|I gave Bruno a bath.
We have a dog called Bruno.|Bruno ran away from the bath again but I will find him before dinner.
I live in Berlin.|We left Berlin at noon.
My favourite football club is Ajax.|Ajax lost again.
My favourite football club is Ajax.|I stopped at the Ajax shop.
I bake bread every Sunday.|I gave up bread.
I wash the car every Sunday.|I sold the car.
I drink coffee every morning.|I haven't touched coffee since this morning.
我每天做面包。|我不吃面包了。
我的牙医是王医生。|王医生下周要退休。
我的牙医是王医生。|王医生退休了吗？
我的牙医是王医生。|王医生没退休。
我女儿叫小雅。|小雅搬走了。
我弟弟叫小强。|小强退学了。
我女朋友叫小雅。|我和小雅分了一个蛋糕。
我女朋友叫小雅。|小雅和我吵架了。
我最喜欢的球队是国安。|我弟弟早就不看国安了。
我最喜欢的球队是国安。|国安输了。
我在浙大读博士。|我想从浙大退学。
我在浙大读博士。|我同学从浙大退学了。
我养了一只狗，叫旺财。|旺财送医院了。
我养了一只狗，叫旺财。|如果旺财送给别人养了，我会很难过。
我在腾讯上班。|我今天离开腾讯很晚。
我每周一去健身房。|我今天不去健身房了。
我每天抽一包烟。|我老公把烟戒了。"""


@pytest.mark.parametrize("line", _OVER.splitlines())
def test_what_is_said_to_be_over_by_its_name_is_over(line: str) -> None:
    assert _over(*line.split("|"))


@pytest.mark.parametrize("line", _NOT_OVER.splitlines())
def test_what_is_asked_supposed_or_said_of_others_or_of_a_day_ends_nothing(line: str) -> None:
    assert not _over(*line.split("|"))
