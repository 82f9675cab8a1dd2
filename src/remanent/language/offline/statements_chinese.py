"""The forms of Chinese statements: 我的…是…, 其…是…, 我住在…, 我将要参加…; what the user orders and teaches."""

import re
from collections.abc import Iterator

from remanent.language.offline.statement_rules import Statement, StatementRule, apply, group, joined, subject_name
from remanent.text.regex import lazy_regex

_KIN = joined(
    "爸 妈 哥 姐 弟 妹 爸爸 父亲 老爸 妈妈 母亲 老妈 父母 爸妈 哥哥 弟弟 姐姐 妹妹 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 叔叔 婶婶 伯伯 伯父 伯母 "
    "舅舅 舅妈 姑姑 姑妈 姑父 阿姨 姨妈 姨父 爷爷 奶奶 外公 外婆 姥姥 姥爷 丈夫 老公 妻子 老婆 太太 先生 爱人 男朋友 女朋友 男友 "
    "女友 未婚夫 未婚妻 儿子 女儿 孩子 大儿子 小儿子 大女儿 小女儿 宝宝 侄子 侄女 外甥 外甥女 孙子 孙女 岳父 岳母 公公 婆婆 "
    "同事 上司 领导 老板 经理 下属 助理 实习生 徒弟 师傅 导师 老师 班主任 同学 室友 舍友 邻居 房东 朋友 好友 闺蜜 发小 哥们 客户 "
    "手下 搭档 合伙人 教练 医生 律师 狗 猫 小狗 小猫 猫咪 狗狗 宠物".split()
)
_ANYBODY = frozenset(
    "爸 妈 哥 姐 弟 妹 先生 太太 医生 老师 律师 教练 经理 老板 领导 朋友 客户 孩子 狗 猫 宠物 宝宝 同学 师傅 助理".split()
)
"""Whom one need not have: without 我的 before them they may be anybody's."""
_SEVERAL = re.compile(
    "[表堂][哥弟姐妹]|[叔婶伯舅姑姨侄甥]|同事|上司|领导|老板|经理|下属|助理|实习生|徒弟|师傅|导师|老师|同学|[室舍]友|邻居|朋友|好友|闺蜜|"
    "哥们|客户|手下|教练|医生|律师"
)
"""Of whom one may have several: what is said of another colleague or uncle corrects nothing."""
_THINGS = joined(
    "姓名 名字 全名 大名 小名 昵称 年龄 岁数 生日 出生日期 身高 体重 血型 学历 教育背景 文化程度 专业 学校 毕业院校 职业 工作 职务 职位 "
    "岗位 单位 单位名称 公司 公司名称 工作单位 工作地 工作地点 工作的地方 办公地点 家乡 老家 籍贯 住址 家庭住址 地址 住处 性别 性格 "
    "脾气 爱好 兴趣 兴趣爱好 喜好 特长 邮箱 邮箱地址 电子邮箱 邮件地址 电话 电话号 电话号码 联系电话 手机 手机号 手机号码 联系方式 微信 微信号 关系 时间 举办时间 "
    "开始时间 日期 地点 举办地点 位置 规模 人数 主要内容 内容 主题 持续时间 时长 价格 预算 截止日期 截止时间 期限 负责人 目标 计划 型号 "
    "品牌 颜色 版本 名称 全称 简称 网址 官网 星座 属相 民族 国籍 宗教 口味 车 车型 车牌 车牌号 房间号 工号 学号 编号 进度 状态 语言 数据库 框架 "
    "技术栈 部署环境 电脑 手表 相机 自行车 结婚纪念日 纪念日 服务器 域名 周期 频率 会议 会议室".split()
)
_END = r"(?=[，。；！,;!\n]|$)"
_VALUE = r"(?P<v>[^，。；！？,;!?\n]{1,60}?)"
# Beyond a comma as long as nothing new begins there.
_LONG_VALUE = r"(?P<v>(?:[^。；！？;!?\n，,]|[，,](?!\s*(?:所以|因此|于是|但|不过|而且|因为|由于|我|你|您|他|她|它|现在|也|还|就|这|那|请?记|是不是|对吧))){1,160}?)(?=[。；！;!\n]|[，,](?=\s*(?:所以|因此|于是|但|不过|而且|因为|由于|我|你|您|他|她|它|现在|也|还|就|这|那|请?记|是不是|对吧))|$)"
_BE = r"(?:现在|目前|已经|就|也|都|应该|才|刚|正好|大概|差不多)?(?:是|叫做|叫|为|在|有|变成了?|换成了?|改成了?|改为|改到了?|调整为|推迟到|提前到|更新为|定在|定为|就是)"
_NAME = r"[\u4e00-\u9fff]{2,4}"
_THING_NAME = r"[^，。！？；,!?;\n]{2,40}?"
_HIS = r"(?:他们家的?|她们家的?|他们|她们|它们|他的|她的|它的|他|她|它|的|家的|那边的|这人|这个人)?"
_FAMILY = joined([one for one in _KIN.split("|") if one not in _ANYBODY])
_WHO = (
    rf"(?:我(?:的|们的|家的|家|那个|那位|有个|有一个|的一个|一个)*(?P<s>(?:大|小|二|三|新|前|老|男|女|好)?(?:{_KIN}))(?:的?那位|那个人)?[，,]?"
    rf"|(?P<s2>{_FAMILY}))"
)
_START = lazy_regex(r"(?=(^(?:[^：:，。我]{0,4}[：:])?\s*|(?<=[，。；！,;!\n])\s*))")
_OPENING = lazy_regex(
    r"(?:对了|哦|嗯|其实|另外|还有|顺便说一下|顺便说|话说|说起来|你知道吗|告诉你|那个|然后|而且|因为|所以|但是|不过|现在|目前|最近)[，,]?\s*"
)
_ILLNESS = (
    r"(?:高血压|糖尿病|哮喘|心脏病|冠心病|胃病|胃炎|颈椎病|腰椎间盘突出|关节炎|偏头痛|失眠|抑郁症|焦虑症|鼻炎|过敏性鼻炎|湿疹|痛风|"
    r"贫血|甲亢|甲减|癫痫|近视|散光|脂肪肝|高血脂|低血糖|乙肝|荨麻疹|[\u4e00-\u9fff]{1,6}(?:症|炎|病))"
)
_OFTEN = r"(?:每天|每晚|每周[一二三四五六日天末]?|每个?星期[一二三四五六日天]?|每个?月|每年|每隔[一二两三四五\d]+[天周]|天天|周末都|工作日)"
_MONTH = r"(?:今年|明年)?(?:[一二三四五六七八九十]{1,3}|\d{1,2})月(?:份|底|初|中旬)?"
_FUTURE = (
    rf"(?:{_MONTH}|明天|后天|大后天|今晚|下下?(?:周|个?星期|个?礼拜)[一二三四五六日天末]?|下个?月|月底|年底|明年|这?周[一二三四五六日天末]|周末|"
    r"\d{1,2}月\d{1,2}[日号]|\d{1,2}[日号]|过几天|过两天|暑假|寒假|国庆|春节|元旦)"
)
_PAST = (
    r"(?:昨天|昨晚|前天|大前天|上上?(?:周|个?星期|个?礼拜)[一二三四五六日天末]?|上个?月|去年|前年|今天(?:早上|上午|中午|下午|晚上)?|今早|"
    r"[\d一二两三四五六七八九十几]+(?:天|周|个月|年)前|刚刚|刚才|周末)"
)


def _rule(kind: str, attribute: str, pattern: str, *, single: bool = False) -> StatementRule:
    return StatementRule(kind, attribute, pattern, single)  # type: ignore[arg-type]


_AGE = r"(?P<v>[\d零一二两三四五六七八九十百]{1,4}岁(?:了|多|左右)?)"
_FEELING = r"(?:开心|高兴|兴奋|激动|难过|伤心|生气|愤怒|烦躁|烦|累|疲惫|焦虑|担心|紧张|害怕|失望|孤独|无聊|郁闷|沮丧|委屈|崩溃|压力(?:很|好|太|特别)?大|不安|后悔|迷茫)"
_JOB = r"(?:师|生|员|家|长|工|医生|护士|老师|教授|经理|总监|主管|会计|律师|法官|警察|刑警|司机|厨师|翻译|编辑|记者|作家|画家|歌手|演员|导演|设计师|顾问|秘书|助理|老板|程序员|公务员|军人|农民|主任|院长|校长|部长|科长|队员|队长|店长|保安|模特|主播|销售|客服|人员|柜员|技工|班长|代表|专员|干部|学生)"
RULES: tuple[StatementRule, ...] = (
    # ── 某某是我的谁，其…是… ──
    _rule(
        "fact",
        "",
        rf"(?P<n>{_THING_NAME})是我的?(?P<kin>{_KIN})，其(?P<a>{_THINGS}|[^，。是]{{1,8}}?){_BE}{_LONG_VALUE}",
        single=True,
    ),
    _rule(
        "fact",
        "",
        rf"我(?:将要|即将|要|准备|打算)参加的[：:]?(?P<s>[^。！？\n]{{2,60}}?)[，,]\s*(?:它|其|这个活动)的?(?P<a>{_THINGS}){_BE}{_LONG_VALUE}",
        single=True,
    ),
    _rule("fact", "身份", rf"(?P<n>{_NAME})是我的?(?P<v>{_KIN}){_END}", single=True),
    # ── 我的谁…… ──
    _rule(
        "fact",
        "",
        rf"{_WHO}{_HIS}(?P<a>{_THINGS}){_BE}?(?:挺|很|比较|蛮)?[^，。]{{0,4}}[，,]\s*(?:是个?|有)(?P<v>[^，。；！？\n]{{1,30}}?)(?:的|呢|哦|啊|了)?{_END}",
        single=True,
    ),
    _rule("fact", "", rf"{_WHO}{_HIS}(?P<a>{_THINGS}){_BE}{_LONG_VALUE}", single=True),
    _rule(
        "fact",
        "",
        rf"{_WHO}{_HIS}(?P<a>身高|体重|年龄|学历|生日){_BE}?(?:有|才|只有|大概|是)?(?P<v>[^，。；！？\n的]{{1,20}}?){_END}",
        single=True,
    ),
    _rule(
        "fact", "年龄", rf"{_WHO}{_HIS}(?:今年|现在|已经|刚|才|都|快|马上){{0,2}}(?:是)?(?:满|过)?{_AGE}", single=True
    ),
    _rule(
        "fact",
        "住址",
        rf"{_WHO}{_HIS}(?:现在|目前)?(?:住在|住|搬到了?|搬去了?){_VALUE}(?:了|的|呢)?{_END}",
        single=True,
    ),
    _rule("fact", "家乡", rf"{_WHO}(?:他们|她们)?家(?:是|在)(?P<v>[\u4e00-\u9fff]{{2,10}}?)的?{_END}", single=True),
    _rule("fact", "生日", rf"{_WHO}{_HIS}过生日是?(?:在)?{_VALUE}{_END}", single=True),
    _rule("fact", "家乡", rf"{_WHO}{_HIS}(?:是|来自)(?P<v>[\u4e00-\u9fff]{{2,10}}?)人{_END}", single=True),
    _rule(
        "fact",
        "工作单位",
        rf"{_WHO}{_HIS}(?:现在|目前|最近)?在{_VALUE}(?:工作|上班|任职|当\w{{1,6}})(?:的|呢|了)?{_END}",
        single=True,
    ),
    _rule(
        "fact",
        "学历",
        rf"{_WHO}{_HIS}(?:就|只|才)?(?:是|读到|念到|有)个?(?P<v>(?:小学|初中|高中|中专|大专|专科|本科|硕士|研究生|博士)(?:学历|毕业|文凭)?)(?:的|生)?(?:呢|了)?{_END}",
        single=True,
    ),
    _rule(
        "fact",
        "职业",
        rf"{_WHO}{_HIS}(?:在单位)?(?:是一[名个位]|是个|是做|是|当|从事|做)(?P<v>[^，。；！？\n]{{0,14}}?(?:{_JOB}))(?:的|工作|呢|了|这[一]?行)?{_END}",
        single=True,
    ),
    _rule(
        "fact",
        "职业",
        rf"{_WHO}{_HIS}(?:是做|是干|做|从事)(?P<v>[^，。；！？\n]{{1,10}}?)(?:的|工作|这一?行|行业)(?:的|呢)?{_END}",
        single=True,
    ),
    _rule(
        "preference",
        "爱好",
        rf"{_WHO}{_HIS}(?:平时|平常|最|很|特别|非常|一直|也|都|挺|比较|超|特|真)*(?:喜欢(?:做?的事儿?(?:就)?是)?|爱好是|爱|热爱|迷上了|痴迷){_VALUE}(?:了|的|呢)?{_END}",
    ),
    _rule(
        "fact",
        "性格",
        rf"{_WHO}{_HIS}(?:这个人|为人|人|性格)(?:很|挺|非常|特别|比较|有点)(?P<v>[^，。；！？\n]{{1,12}}?)(?:的|呢)?{_END}",
    ),
    _rule("fact", "姓名", rf"{_WHO}{_HIS}(?:叫|就叫|名叫|姓)(?P<v>{_NAME}){_END}", single=True),
    _rule("fact", "身份", rf"{_WHO}是(?P<v>{_NAME}){_END}", single=True),
    _rule("fact", "身份", rf"{_WHO}是(?P<v>[^，。；！？\n]{{2,20}}?)(?:的)?{_END}", single=True),
    # ── 我自己 ──
    _rule(
        "fact",
        "姓名",
        rf"我(?:的名字)?(?:叫做?|名叫|姓名是|是叫)(?P<v>[\u4e00-\u9fffA-Za-z·]{{1,12}}){_END}",
        single=True,
    ),
    _rule("fact", "姓", rf"我姓(?P<v>[\u4e00-\u9fff]{{1,2}}){_END}", single=True),
    _rule("fact", "年龄", rf"我(?:今年|现在|已经|刚|才|都|快|马上){{0,2}}(?:是)?(?:满|过)?{_AGE}", single=True),
    _rule(
        "fact",
        "住址",
        rf"我(?:们)?(?:现在|目前|一直|已经|刚|上个?月|去年|前不久)*(?:一个人|自己|和[^，。]{{1,6}}一起|跟[^，。]{{1,6}}一起)?(?:住在|搬到了?|搬去了?|搬来了?|定居在?了?|定居到){_VALUE}(?:了|的)?{_END}",
        single=True,
    ),
    _rule(
        "fact",
        "家乡",
        rf"我(?:是|来自)(?P<v>[\u4e00-\u9fff]{{2,8}}?)人{_END}|我来自(?P<v2>[\u4e00-\u9fff]{{2,12}}?){_END}",
        single=True,
    ),
    _rule("fact", "出生地", rf"我出生[在于](?P<v>[\u4e00-\u9fff\d]{{2,14}}?){_END}", single=True),
    _rule("fact", "母校", rf"我(?:是)?毕业于(?P<v>[^，。；！？\n]{{2,20}}?){_END}"),
    _rule(
        "fact",
        "工作单位",
        rf"我(?:现在|目前|最近|已经|刚)?(?:在|入职了?|加入了?|跳槽到了?|换到了?){_VALUE}(?:工作|上班|任职|实习|做事)(?:了|的)?{_END}|我(?:刚|已经|最近)?(?:入职了|跳槽到了?|加入了)(?P<v2>[^，。；！？\n]{{2,20}}?){_END}",
        single=True,
    ),
    _rule(
        "fact",
        "职业",
        rf"我(?:现在|目前)?(?:是一[名个位]|是个|是|当|做)(?P<v>[^，。；！？\n]{{0,12}}?(?:{_JOB})){_END}",
        single=True,
    ),
    _rule(
        "fact",
        "职业",
        rf"我(?:现在|目前)?在[^，。；！？\n]{{1,30}}?(?:做|当|担任|任)(?P<v>[^，。；！？\n]{{0,10}}?(?:{_JOB})){_END}",
        single=True,
    ),
    _rule("fact", "职业", rf"我是(?:做|搞|干)(?P<v>[^，。；！？\n]{{1,10}}?)的{_END}", single=True),
    _rule(
        "fact",
        "事业",
        rf"我(?:自己|和[^，。]{{1,6}}一起)?开了?(?P<v>(?:一家|一个|个|家)[^，。；！？\n]{{1,16}}?){_END}",
    ),
    _rule(
        "fact",
        "就读",
        rf"我(?:现在|目前)?(?:正在|在)(?:读|上|念)(?P<v>[^，。；！？\n]{{0,10}}?(?:大学|高中|初中|小学|研究生|博士|硕士|本科|专业|[一二三四]年级|大[一二三四]|研[一二三])){_END}",
        single=True,
    ),
    _rule(
        "fact",
        "在学",
        rf"我(?:最近|现在|目前)?(?:正在|在|开始)学(?:习|着)?(?P<v>(?!校)[^，。；！？\n]{{1,12}}?)(?:了|呢)?{_END}",
    ),
    _rule(
        "fact",
        "在做",
        rf"我(?:们)?(?:最近|现在|目前)?(?:正在|在)(?:做|开发|写|准备|负责)(?P<v>(?!什么|的)[^，。；！？\n]{{2,24}}?)(?:呢)?{_END}",
    ),
    _rule("fact", "住址", rf"我家(?:现在)?(?:住在|在|住)(?P<v>[\u4e00-\u9fff]{{2,12}}?){_END}", single=True),
    _rule(
        "fact", "过敏", rf"我(?:从小)?(?P<v>(?!对)[^，。；！？\n是有对]{{1,8}}?)(?<![不没])(?:过敏|不耐受)(?:的)?{_END}"
    ),
    _rule("fact", "健康", rf"我(?:有|得了|患有|一直有)(?:轻度|轻微|严重|慢性)?的?(?P<v>{_ILLNESS})(?:了|的)?{_END}"),
    _rule("fact", "近况", rf"我(?:已经|刚|去年|今年)?(?P<v>退休|怀孕|失业|辞职|毕业)了{_END}", single=True),
    _rule("fact", "忌口", rf"我(?:不能|不可以|没法)(?:吃|喝|碰){_VALUE}(?:的)?{_END}"),
    _rule("fact", "语言", rf"我会(?:说|讲)(?P<v>[^，。；！？\n]{{1,12}}[语话文]){_END}"),
    _rule(
        "fact", "车", rf"我(?:现在)?开(?:着)?(?:的是)?一?辆(?P<v>[^，。；！？\n]{{1,16}}?)(?:的)?{_END}", single=True
    ),
    _rule("fact", "健康", rf"我(?P<v>(?:近视|远视|散光)[^，。；！？\n]{{1,8}}?度){_END}"),
    _rule("fact", "健康", rf"我(?:[^，。；！？\n]{{0,6}}?)(?P<v>做过[^，。；！？\n]{{1,10}}手术){_END}"),
    _rule("fact", "健康", rf"{_WHO}{_HIS}(?:有|得了|患有)(?P<v>{_ILLNESS})(?:了|的)?{_END}"),
    _rule(
        "fact",
        "近况",
        rf"{_WHO}{_HIS}(?:已经|刚|最近|去年|今年)?(?P<v>退休|结婚|怀孕|离婚|订婚|毕业|出国|搬家)了{_END}",
    ),
    _rule(
        "fact",
        "就读",
        rf"{_WHO}{_HIS}(?:今年|现在|刚|已经|在)*(?:上|读|念)(?P<v>[^，。；！？\n]{{0,8}}?(?:年级|幼儿园|小学|初中|高中|大学|初[一二三]|高[一二三]|大[一二三四]|中班|大班|小班|研究生))(?:了|呢)?{_END}",
        single=True,
    ),
    _rule("fact", "过敏", r"我(?:从小|一直|已经|现在|好像)?对(?P<v>[^，。；！？\n]{1,12}?)(?<![不没有])过敏"),
    _rule("fact", "饮食", rf"我(?:是|吃)(?P<v>素食(?:主义)?者?|素|纯素)(?:的)?{_END}", single=True),
    _rule(
        "fact",
        "家庭",
        rf"我(?:已经)?(?:有|养了?)(?P<v>(?:一|两|三|四|五|\d+)[个只条位](?:[^，。；！？\n]{{0,8}})(?:{_KIN}|孩子|猫|狗|兔子|仓鼠|鹦鹉|鱼)(?:[，,]?叫[^，。；！？\n]{{1,8}})?){_END}",
    ),
    _rule("fact", "婚姻", rf"我(?P<v>已婚|未婚|单身|离异|离婚了|结婚了|订婚了){_END}", single=True),
    _rule("fact", "", rf"我(?:的|们的|们)?(?:新)?(?P<a>{_THINGS}){_BE}{_LONG_VALUE}", single=True),
    _rule(
        "fact",
        "",
        rf"我的(?P<a>(?!意思|建议|问题|想法|看法|感觉|观点|回答|答案|理解|天|错|目的|意见|要求|重点|疑问|判断|心|心情|{_KIN})(?!.{{0,5}}[么在])[\u4e00-\u9fff]{{2,6}}?)(?:是|叫)(?P<v>[^，。；！？\n]{{1,30}}?)(?:的)?{_END}",
        single=True,
    ),
    _rule(
        "fact",
        "",
        rf"我(?:平时|平常|家里|最近|现在|目前|日常|常|一直)?(?P<a>[用开穿戴住][的得]?(?:[^，。；！？\n是]{{0,10}}?))是(?:个|一个|一款|一部|一台)?(?P<v>[^，。；！？\n]{{1,40}}?)(?:的)?{_END}",
        single=True,
    ),
    _rule(
        "fact",
        "",
        rf"我(?P<a>(?!觉得|认为|感觉|说)[\u4e00-\u9fff]{{1,6}}的(?:那[个家座本部款台场]|这[个家座本部款台场])?[\u4e00-\u9fff]{{1,8}}?)(?:是|叫)(?:个|一个|一家|一座)?(?P<v>[^，。；！？\n]{{1,40}}?)(?:的)?{_END}",
    ),
    _rule(
        "fact",
        "",
        rf"我家里?的?(?P<a>[\u4e00-\u9fff]{{1,8}}?)是(?P<v>[^，。；！？\n]{{1,30}}?)(?:的)?{_END}",
        single=True,
    ),
    # ── 我喜欢什么、决定什么、要做什么 ──
    _rule(
        "preference",
        "喜欢",
        rf"(?:比起[^，。我]{{1,10}}[，,]?)?我(?:平时|平常|最近|最|很|特别|非常|一直|也|比较|更|挺|还是|超|特|真)*(?:喜欢|迷上了?|偏好|爱好是|爱吃|爱喝|爱看|爱听|爱玩|热爱|偏爱|习惯){_VALUE}(?:了|的)?{_END}",
    ),
    _rule(
        "preference",
        "不喜欢",
        rf"我(?:一直|从来|很|最|特别|非常|真的)*(?:不喜欢|不爱|讨厌|受不了|不吃|不喝|不能吃|从不){_VALUE}(?:了|的)?{_END}",
    ),
    _rule(
        "fact",
        "习惯",
        rf"我(?:一般|通常|平时|基本上?|习惯)*(?P<v>{_OFTEN}(?!都?(?:很|好|想|觉得|感觉))[^，。；！？\n]{{2,30}}?){_END}",
    ),
    _rule(
        "fact",
        "习惯",
        rf"我(?:一般|通常|平时)(?:都|会|是|就)?(?P<v>(?:[^，。；！？\n]{{0,6}}点|早上|晚上|中午|睡前|周末|下班)[^，。；！？\n]{{1,20}}?){_END}",
    ),
    _rule(
        "fact",
        "称呼",
        rf"(?:你)?(?:可以|就)?叫我(?P<v>[\u4e00-\u9fffA-Za-z]{{1,8}}?)(?:就好|就行|吧|好了|即可)?{_END}",
        single=True,
    ),
    _rule(
        "decision",
        "决定",
        rf"(?:我们?|咱们|大家|团队)(?:已经|最终|最后|一致|终于|刚)*(?:决定|敲定|选定|商定|确定)(?:了)?{_LONG_VALUE}",
    ),
    _rule("follow_up", "待办", rf"(?:请|记得|到时候?)?提醒我{_LONG_VALUE}"),
    _rule(
        "follow_up",
        "计划",
        rf"我(?:们)?(?:将要|即将|准备|打算|计划)(?:{_FUTURE}|去)?(?P<v>(?:参加|出席|去|前往|搬|换|学|考|买|开始|举办|组织|跑|办|开|写|做|辞职|结婚|旅行)[^，。；！？\n]{{0,60}}?){_END}",
    ),
    _rule(
        "follow_up",
        "计划",
        rf"(?:我(?:们)?{_FUTURE}[^，。；！？\n]{{0,8}}?|{_FUTURE}我(?:们)?)(?:要|得|会|需要|打算|准备|必须|有)(?P<v>[^，。；！？\n]{{2,60}}?){_END}",
    ),
    _rule(
        "event",
        "事件",
        rf"(?:我(?:们)?{_PAST}|{_PAST}[，,]?我(?:们)?)(?P<v>(?:去|参加|见|买|看|完成|收到|吃|和|跟|搬|开始|学|考|做|拿到|去了|参观|游览|办)[^，。；！？\n]{{0,60}}?了[^，。；！？\n]{{0,30}}?|(?:去了|参加了)[^，。；！？\n]{{2,40}}?){_END}",
    ),
    _rule(
        "event",
        "事件",
        rf"我(?:们)?(?:刚|刚刚|最近|终于)(?P<v>(?:买|换|入手|养|办|考|拿到|收到|参加|完成|订|报名|加入|搬)了[^，。；！？\n]{{2,40}}?){_END}",
    ),
    _rule(
        "mood",
        "心情",
        rf"我(?:最近|今天|现在|这几天|感到|觉得|心情)*(?:很|好|太|真的?|有点|特别|非常|感到|觉得)+(?P<v>{_FEELING})(?:了|啊|呢|的)?{_END}",
    ),
    # ── 某物的…是… ──
    _rule(
        "fact",
        "",
        rf"(?P<n>(?!我|你|您|他|她|它|这|那|谁|有){_THING_NAME})的(?P<a>{_THINGS}){_BE}{_LONG_VALUE}",
        single=True,
    ),
    _rule(
        "preference",
        "爱好",
        rf"(?P<n>{_NAME})(?:平时|最|很|特别|非常|一直|挺|超|特|真)*(?:喜欢(?:做的(?:一件)?事(?:情)?(?:就)?是)?|的?爱好是)(?P<v>[^，。；！？\n]{{1,30}}?)(?:了|的)?{_END}",
    ),
    _rule(
        "fact",
        "用",
        r"(?:我们的?|咱们的?|这个)(?P<s>项目|系统|后端|前端|服务|团队|公司|产品|网站|应用)(?:统一|目前|现在|主要|都)?(?:使用|采用|用的是|用|部署在|基于)"
        + _VALUE
        + _END,
    ),
)
_ORGANISATION = lazy_regex(
    r"(?:公司|集团|银行|医院|大学|中学|小学|学校|学院|幼儿园|事务所|研究所|研究院|设计院|局|厅|部|处|所|院|厂|店|社|馆|中心|机构|工作室|餐厅|酒店|车间|协会|法院|派出所|支行|分行)$|[A-Za-z]"
)
_HEAD = lazy_regex(r"^(?:在(?=\d)|[做干当](?=.{1,8}$)|一个|一名|一位)")
_TAIL = lazy_regex(r"(?:的|了|呢|哦|啊|呀|哈|嘛|吧)$")
_PRONOUN_NAME = lazy_regex(
    r"^(?:这|那|他|她|它|其|谁|什么|哪|你|您|我|咱|大家|人们|有|没|就|都|也|还|因为|所以|但|而|如|每|某|该|本次|此)"
)
_VAGUE = lazy_regex(
    r"^(?:什么|谁|哪|这|那|你|您|他|她|它|多少|怎么|如何|不错|很好|挺好|还行|真的|非常|这样|那样|一样|的|个|人)|[你您]|吗$|(?:不错|挺好|很好|真好|太棒|真棒)的?$"
)


def _starts(sentence: str) -> list[int]:
    """Return where a clause may begin: at the beginning, behind a comma, and behind the words that open a clause."""
    found: set[int] = set()
    for start in _START.finditer(sentence):
        place = start.end(1)
        while place not in found:
            found.add(place)
            opening = _OPENING.match(sentence, place)
            place = place if opening is None else opening.end()
    return sorted({0, *found})


def clauses(sentence: str, speaker: str) -> Iterator[Statement]:
    """Yield what a sentence states."""
    name = subject_name(speaker, zh=True)

    def make(rule: StatementRule, match: re.Match[str], start: int, end: int) -> Statement | None:
        value = (group(match, "v") or group(match, "v2")).strip(" ，。,.")
        value = _HEAD.sub("", value)
        who, named, kin = group(match, "s") or group(match, "s2"), group(match, "n"), group(match, "kin")
        if not value or (rule.kind not in {"decision", "follow_up", "event"} and _VAGUE.search(value)):
            return None
        if named and _PRONOUN_NAME.match(named):
            return None
        attribute = group(match, "a") or rule.attribute
        if attribute == "工作单位" and not group(match, "a") and not _ORGANISATION.search(value):
            attribute = "工作地点"  # 在上海上班 says where, not for whom
        clause = third_person(sentence[start:end].strip(" ，。！!"), name)
        owner = (
            (f"{name}的{kin}{named}" if kin else named)
            or (f"{name}的{who}" if who and "参加" not in match[0][:8] else who)
            or name
        )
        value = value if rule.kind in {"decision", "follow_up", "event"} or len(value) < 3 else _TAIL.sub("", value)
        if kin:
            clause = f"{named}（{name}的{kin}）的{attribute}是{value}"
        # 我用的是… names no thing: the next one said so may be another.
        single = rule.single and not (who and owner != who and _SEVERAL.search(who)) and not attribute.endswith("的")
        return Statement(rule.kind, owner, attribute, value, clause, start, end, single=single)

    yield from apply(RULES, sentence, starts=_starts(sentence), make=make)


_SELF = lazy_regex(r"我们|咱们|我的|我家|我")


def third_person(clause: str, name: str) -> str:
    """Return a clause of the first person as others would say it."""
    said = {"我们": f"{name}等人", "咱们": f"{name}等人", "我的": f"{name}的", "我家": f"{name}家", "我": name}
    told = _SELF.sub(lambda one: said[one[0]], clause)
    told = re.sub(rf"^(?:请|记得|到时候?)?提醒{name}", f"{name}要求提醒：", told)
    return re.sub(rf"({re.escape(name)})(?=(?:{_KIN}))", r"\1的", told)


# ── what the user orders and teaches ─────────────────────────────────────────

_INSTRUCTION = lazy_regex(
    r"^\W*(?:(?:好的?|嗯|对了|另外|还有)[，,]\s*)*(?:"
    r"(?:请|你)?(?:以后|今后|从现在(?:起|开始)|从今往后)[，,][^，。]{0,10}(?:用|不要|别|要|都|先|请).{2,}|"
    r"(?:请|你)?(?:以后|今后|从现在(?:起|开始)|从今(?:往后|以后|天起)|往后)[，,]?(?:请|都|你|您|回答|回复|不要|别|每次|一律|用|写|叫|只|尽量|在|给|跟|和|对|我).{2,}"
    r"|(?:请|你)?(?:总是|始终|永远|每次都?|一律|务必都?)(?:要|请)?(?:用|使用|以|给|先|不要|别|保持|回复|回答|叫|写|附|加|注明).{2,}"
    r"|(?:请|你)?(?:不要|别)再.{2,}"
    r"|(?:你的?|请)?(?:回答|回复|答案|解释|说话)(?:的时候|时)?(?:请|要|尽量|都|务必|不要|别|一定|可以)+.{2,}"
    r"|(?:请|你)?(?:不要|别)(?:用|给我|跟我|对我|叫我|在回答|在回复|加|使用|推荐).{2,}"
    r"|(?:请|你)?(?:给我|帮我)?(?:写|做|回答|解释|翻译|推荐|画|查)[^，。]{0,10}(?:的时候|时)[，,]?(?:请|都|要|就|记得|尽量|不要|别)*(?:用|使用|以|给|先|加|写|按|避开|别|不要).{1,}"
    r"|(?:请|你)?用(?:中文|英文|简体中文|繁体中文|日语|英语|法语|德语)(?:来)?(?:回答|回复|写|跟我|和我|交流|说).*"
    r"|(?:请|你|就|以后)*叫我(?P<name>[^，。！？\s]{1,10}?)(?:就好|就行|吧|好了|即可)?\W*"
    r"|我(?:希望|想要|要求)(?:你|您)(?:以后|总是|始终|每次|都|一直).{3,}"
    r")$",
    re.DOTALL,
)
_PROCEDURE = lazy_regex(
    r"^\W*(?:请|记住|你)?(?:每次|每当|当|在|如果)?(?P<trigger>.{2,40}?)(?:(?:的时候|之前|之后|时|前|后|的流程是?|的步骤是?|流程|步骤)[，,：:]\s*|(?:的时候|之前|之后)(?=首?先))(?:请|你|要|应该|都)*"
    r"(?P<steps>(?:首先|先).{2,200}?(?:再|然后|接着|之后|随后).{2,200})$",
    re.DOTALL,
)
_NEXT_STEP = lazy_regex(r"[，,；;。]?\s*(?:再|然后再?|接着再?|之后再?|随后|最后再?|其次)")


def instruction(sentence: str) -> Statement | None:
    """Return how the user wants things done from now on, if that is what a sentence says."""
    found = _INSTRUCTION.match(sentence)
    if found is None or re.search(r"[?？]|吗[。]?$", sentence):
        return None
    if found["name"]:
        return Statement(
            "instruction", "", "称呼", found["name"], f"用户希望被称为{found['name']}", 0, len(sentence), single=True
        )
    return Statement("instruction", "", "", "", sentence.strip(), 0, len(sentence))


def procedure(sentence: str) -> Statement | None:
    """Return a way of doing something that the user teaches in one sentence."""
    found = _PROCEDURE.match(sentence)
    if found is None or re.search(r"[?？]|吗[。]?$|我(?:昨|今|刚|上)", sentence):
        return None
    steps = tuple(re.sub(r"^(?:首先|先)", "", one).strip(" ，,；;。") for one in _NEXT_STEP.split(found["steps"]))
    kept = tuple(one for one in steps if one)
    if len(kept) < 2:
        return None
    trigger = found["trigger"].strip()
    return Statement(
        "procedure", "", trigger, " → ".join(kept), f"{trigger}: {' → '.join(kept)}", 0, len(sentence), steps=kept
    )
