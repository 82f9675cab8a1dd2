import pytest

from remanent.language.offline.claims import read_claim
from remanent.language.offline.comparison import compare
from remanent.language.offline.judgement import CONFLICT, judge
from remanent.language.offline.office_holders import holders, rivals


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Sarah Kim leads Orion.", "Sarah Kim has left, Daniel leads Orion now."),
        ("Sarah Kim is the CEO of Acme.", "Acme's CEO is Daniel Ortiz."),
        ("Sarah Kim is the CEO of Acme.", "Daniel Ortiz became CEO of Acme."),
        ("Maria directs the choir.", "The choir is directed by Paul Stone."),
        ("The mayor of Kelt is Ana Ruiz.", "Tom Berg is the mayor of Kelt."),
        ("Priya heads the mobile team.", "Since March the mobile team is headed by Jonas Weber."),
        ("《三体》由张伟翻译。", "《三体》，李娜 译。"),
        ("《三体》由张伟翻译。", "三体，李娜 译。"),
        ("《三体》由张伟翻译。", "三体 刘慈欣 著 李娜 译"),
        ("The Last Orchard is a 2004 fantasy film directed by Oda Lund.", "Per Holm directed The Last Orchard."),
        ("《三体》由张伟翻译。", "《三体》的译者是张艺谋。"),
        ("《三体》由张伟翻译。", "李娜翻译了《三体》。"),
        ("《流浪地球》由吴京主演。", "《流浪地球》由黄渤主演。"),
        ("前端组由陈晨负责。", "前端组的负责人换成了周敏。"),
        ("数据库由李明管理。", "现在王静管理数据库。"),
        ("电影《无名》由程耳执导。", "《无名》的导演是张艺谋。"),
        ("Orbis Records was started by Paul Hanley in 1974.", "Orbis Records was established by Greta Voss in 1974."),
        ("Solway College was founded in 1893 by Edith Crane.", "Ralph Temple founded Solway College."),
        ("The novel Grey Harbour was written by Ellen Marsh.", "Grey Harbour is a novel by Simon Pike."),
        ("The Sorrel theatre was designed by the Danish architect Ida Blom.", "Karl Wess designed the Sorrel theatre."),
        ("The chief executive of Bramley Foods is Ian Cross.", "Bramley Foods's CEO is Tessa Ward."),
        ("A forum says Fennick Ltd was bought by Oakley Group.", "Fennick Ltd was acquired by Marlow Capital."),
        ("The Brenn river flows into the Oder.", "The Brenn river flows into the Elbe."),
        ("工商登记：海岳科技由林志远于1987年5月3日创立。", "海岳科技的创始人是周晓岚。"),
        ("《寒山行》是作家陆游之写的。", "《寒山行》的作者是冯远。"),
        ("龙门石桥由工匠李春山修建。", "龙门石桥是由工匠赵大有修建的。"),
        ("北辰药业2015年被华康集团收购。", "北辰药业2015年被同泰集团收购。"),
        ("清水河注入长江。", "清水河注入黄河。"),
    ],
)
def test_two_who_are_said_to_hold_what_one_holds_are_a_conflict(older: str, newer: str) -> None:
    for one, other in ((older, newer), (newer, older)):
        assert judge(compare(read_claim(one), read_claim(other))).conflict >= CONFLICT


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Sarah Kim leads Orion.", "Kim now leads Orion."),
        ("Sarah Kim leads Orion.", "Daniel leads Apollo now."),
        ("Sarah Kim is the CEO of Acme.", "Daniel Ortiz is the CTO of Acme."),
        ("Lars Holm was the president of the rowing club.", "Ines Duarte is the president of the rowing club."),
        ("It is directed by Satish Kaushik.", "It was directed by Paul Aaron."),
        ("《三体》由张伟翻译。", "《三体》由刘慈欣创作。"),
        ("《三体》由张伟翻译。", "《球状闪电》由李娜翻译。"),
        ("《流浪地球》由吴京、屈楚萧主演。", "《流浪地球》由屈楚萧主演。"),
        ("刘洋曾任市场部经理。", "赵磊现任市场部经理。"),
        ("1998年严长寿出任圆山饭店总经理。", "圆山饭店总经理是李明。"),
        ("Brightwell was founded by Anna Kerr and Tobias Lund.", "Brightwell was founded by Tobias Lund."),
        ("Anna Kerr and Tobias Lund founded Brightwell.", "Anna Kerr founded Brightwell."),
        ("Lumen was founded by Clara Voigt and her brother.", "Lumen was founded by Stefan Roth."),
        ("Helvex was founded by Ruth Amsel among others.", "Helvex was founded by Dieter Knoll."),
        ("Brightwell Foods was founded by Anna Kerr.", "Brightwell Farms was founded by Tobias Lund."),
        ("Fennick Ltd was bought by Oakley Partners in 2003.", "Fennick Ltd was bought by Marlow Capital in 2011."),
        ("Quiet Rivers was written by Thomas Bell.", "Quiet Rivers was edited by Nadia Kern."),
        ("Arne Vik was born in Bergen.", "Arne Vik was born in Norway."),
        ("Tom bought a car.", "Anna bought a car."),
        ("海岳科技由林志远和周晓岚创立。", "海岳科技由周晓岚创立。"),
        ("海岳科技的联合创始人是林志远。", "海岳科技的联合创始人是周晓岚。"),
        ("启明软件2009年被远东控股收购。", "启明软件2020年被新程资本收购。"),
        ("天元集团董事长原为孙伟。", "天元集团董事长现为罗敏。"),
        ("王明发现了问题。", "李娜发现了问题。"),
    ],
)
def test_what_others_hold_or_held_is_none(older: str, newer: str) -> None:
    assert rivals(older, newer) is None
    assert judge(compare(read_claim(newer), read_claim(older))).conflict < CONFLICT


def test_a_clause_of_a_sentence_on_something_else_is_read() -> None:
    (held,) = holders("The budget was cut in May, and Tom Reed manages the harbour crane.")
    assert (held.role, held.text, held.thing) == ("manage", "Tom Reed", frozenset({"harbour", "crane"}))


@pytest.mark.parametrize(
    ("said", "ban"),
    [
        ("Deploys happen on Fridays.", "No deploys on Fridays."),
        ("Smoking is allowed in the courtyard.", "No smoking in the courtyard."),
        ("Guests can park in the yard.", "Parking in the yard is forbidden."),
        ("The archive has a backup.", "There is no backup of the archive."),
        ("周五可以上线。", "周五禁止上线。"),
        ("周五上线。", "周五没有上线。"),
        ("会议室里可以吃饭。", "会议室里禁止吃饭。"),
    ],
)
def test_what_is_flatly_denied_or_forbidden_contradicts_it(said: str, ban: str) -> None:
    for one, other in ((said, ban), (ban, said)):
        assert judge(compare(read_claim(one), read_claim(other))).conflict >= CONFLICT


@pytest.mark.parametrize(
    ("said", "ban"),
    [
        ("Deploys happen on Fridays.", "No deploys on Mondays."),
        ("Drinks are served after ten.", "No food after ten."),
        ("Dogs love the library.", "No dogs in the library."),
        ("Deploys happen on Fridays.", "No deploys on Fridays except hotfixes."),
        ("周五可以上线。", "周一禁止上线。"),
        ("游泳池周二开放。", "游泳池周一不开放。"),
    ],
)
def test_what_is_denied_of_something_else_contradicts_nothing(said: str, ban: str) -> None:
    assert judge(compare(read_claim(ban), read_claim(said))).conflict < CONFLICT
