"""What stands where a town, an employer or a name would stand, and is none: 我和老公住在一起, "I work at night".

What there is one of at a time is replaced by the next value told. So what says only with whom, near what, when or how
must not be taken for one: it had erased the town and the employer of whoever said it. What describes a thing names no
other one either ("My phone is dead").
"""

from remanent.language.offline.statement_rules import expanded_form, parts_of
from remanent.text.regex import lazy_regex

_PARTS = parts_of(r"""
kin = 爸爸?|妈妈?|爸妈|父母|爷爷|奶奶|外[公婆]|姥[姥爷]|哥哥?|姐姐?|弟弟?|妹妹?|叔叔?|姑姑?|舅舅?|姨妈?|
    阿姨|老[公婆]|丈夫|妻子|公婆|岳父母?|丈母娘|[男女]朋?友|对象|儿子|女儿|孩子|朋友|闺蜜|同[事学]|[室舍]友|客户|老板|房东
whose = 离|靠近|和|跟|我们?|自己|别人|人家|亲戚|家人|同[一个家]*|[这那一][个家间套栋]?|原来|现在|
    以前|(?:很|挺|比较|特别|非常)?[远近吵静小大旧新老破]|{kin}|单位|公司|学校|大学|地铁站?|车站|公园|超市|市场|的|个|间
somewhere = (?:{whose}){0,6}(?:一起|一块儿?|家里?|家中|楼[上下]|附近|周边|旁边|边上|隔壁|对面|外[面边头地]|里[面边]|
    国[内外]|[这那][里边儿]|(?:学生|员工)?宿舍|酒店|宾馆|民宿|医院|学校|校[内外]|公司|单位|市[里区中]心?|郊[区外]|乡下|农村|
    城里|村里|镇上|[老新]家|(?:房子|小区|公寓|出租屋|地方)里?|[\d一二三四五六七八九十]+号?[楼层栋幢室])住?
sometime = [早晚]上|白天|夜[里间晚]|凌晨|[上中下]午|周末|[节假]+[日期]|工作日|[寒暑]假|[春夏秋冬]天|
    [今昨明]天|[今去明]年
how = 努力|认真|安心|专心|专注|好好|拼命|埋头|远程|居家|线上|[兼全]职|[倒轮夜白]班
desk = 办公室|工位|.{0,3}前|.{0,2}[床车机铁路脑]上
joined = .*(?:群聊?|会员|健身房|俱乐部|社团|[队团组班课]|项目|活动|会议|购物车|计划)
called = [了醒].*|(?:停|外卖|快递|出租车|网约车|救护车|车|滴滴|代驾|服务员|保[安洁]|警察|苦|屈|好|冤)[了来]?
state = home|town|fear|hope|peace|pain|luxury|poverty|style|silence|chaos|comfort|denial|misery|debt|exile|isolation|
    work|school|bed|winter|summer|spring|autumn|jeans|sweatpants|py?jamas
span = (?:(?:many|long|several|a few|a couple of|\d+|two|three|four|five|six|eight|ten) )?
    (?:hours|days|weeks|months|years)
wages = (?:home|nights?|noon|midnight|work|weekends|times|fun|money|free|pay|food|myself|ourselves|a living|life|
    (?:the|my|our) (?:office|desk|moment|weekend|same .+)|(?:full|top|high|low|my own) .+|{span}.*|
    \d[\d:.]*(?: ?[ap]m)?)
    (?: sometimes| often| a lot| too| again)?
at = (?:on|in|at|out of|from|under|near|about|with) [a-z].*
plain = dead|dirty|clean|hard|easy|slow|fast|long|short|fun|tight|close|soon|over|up|here|there|nice|mean|cold|hot|warm|
    loud|quiet|small|big|huge|tiny|old|new|broken|fine|good|great|bad|awful|ok|okay|boring|tiring|exhausting|hiring|growing|
    closed|open|full|busy|secret|private|different|important|expensive|cheap|safe|gone|lost|missing|ringing|charging|
    done|far|late|early|[a-z]+(?:ful|ous|ible|able|ish|less|ive)
like = (?:(?:very|so|too|really|pretty|quite|a bit|always|almost|nearly|still|not|no) )*(?:{plain})
    (?: (?:today|now|again|lately|enough|to \w+|for me|this \w+))*
""")
_NONE = {
    attribute: lazy_regex(expanded_form(form, _PARTS))
    for attributes, form in (
        ("住址", "{somewhere}|[院校]|[得过了不满下].*"),
        ("工作单位", "{somewhere}|{sometime}|{how}|{desk}|{joined}"),
        ("姓名", "{called}"),
        ("家乡", "本地|当地|外[地国]|城[里市]|农村|乡下|[南北]方|己.*"),
        ("出生地 成长地", "{somewhere}|{sometime}|.*家庭"),
        ("residence home birthplace", "{state}"),
        ("employer", "{wages}|{like}"),
        ("name nickname phone number email car laptop", "{at}|{like}"),
        ("address job birthday major school university company office", "{like}"),
        ("hobby budget deadline diet commute weight height wedding anniversary", "{like}"),
        ("field", "shifts|silence|private|secret|pairs|teams"),
    )
    for attribute in attributes.split()
}


def is_no_value(attribute: str, value: str) -> bool:
    """Tell whether words can be no value of an attribute that has one at a time, although they stand in its place."""
    none = _NONE.get(attribute)
    return none is not None and none.fullmatch(value) is not None
