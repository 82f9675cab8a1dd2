"""The forms of Chinese statements: 我的…是…, 其…是…, 我住在…, 我将要参加…; what the user orders and teaches.

A half-width stop ends a sentence as well: 我住在北京. had named a town called 北京., and none of the Chinese dependants
of such a premise was known to be stale.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from remanent.language.offline.statement_rules import (
    MakeStatement,
    Statement,
    StatementRule,
    apply,
    beside,
    carried_on,
    expanded_form,
    group,
    is_no_value,
    rules_of,
    subject_name,
)
from remanent.text.chinese import COMMON_SURNAMES, tagged
from remanent.text.dates_chinese import COMING, WEEKDAY
from remanent.text.mentions import mentions
from remanent.text.regex import lazy_regex
from remanent.text.words import parts_of, word_forms

# What the forms below are made of: words by their sort, times, the ends of a clause, and who or what it is about.
PARTS = (
    word_forms("statement_words_zh")
    | parts_of(r"""
han = [\u4e00-\u9fff]
any = [^，。；！？,;!?\n]
end = (?=[，。；！,;!\n]|$)
value = (?P<v>{any}{1,60}?)
next = [，,](?=\s*(?:所以|因此|于是|但|不过|而且|因为|由于|我|你|您|他|她|它|现在|也|还|就|这|那|请?记|是不是|对吧))
long = (?P<v>(?:[^。；！？;!?\n，,]|(?!{next})[，,]){1,160}?)(?=[。；！;!\n]|{next}|$)
onward = [，,](?=\s*{now}(?:在{any}{1,14}(?:工作|上班|任职|实习|读书|上学|念书)|住在|搬到|来自|出生|今年{digit}|
    (?:最|很|特别|非常)?喜欢|不[吃喝碰爱喜]|讨厌|养了?[一两三\d]|有[一两三四五\d][个只条位]|会[说讲弹]|
    单身|已婚|未婚|对{any}{1,12}过敏))
own = (?P<v>(?:[^。；！？;!?\n，,]|(?!{next}|{onward})[，,]){1,160}?)(?=[。；！;!\n]|{next}|{onward}|$)
be = (?:现在|目前|已经|就|也|都|应该|其实|实际上?|才|刚|正好|大概|差不多)?(?:就?是|叫做?|为|在|有|变成了?|换成了?|改成了?|改为|
    改到了?|调整为|推迟到|提前到|更新为|定[在为])
person_name = (?:{han}{2,4}|\s?[A-Z][A-Za-z]{1,15})
thing_name = [^，。！？；,!?;\n]{2,40}?
his = (?:他们家的?|她们家的?|[他她它]们|[他她它]的?|的|家的|那边的|这个?人)?
twice = (?:(?P<r>(?![刚常天慢渐偏仅往处时明人年偷悄默整足早月日夜每近好统通满快才经一两三爸妈哥姐弟妹爷奶叔舅姑婆公])
    {han})(?P=r))
who = (?:我(?:的|们的|们|家的|家|那个|那位|有个|有一个|的一个|一个)*(?P<s>[大小二三新前老男女好]?(?:{kin}))(?:的?那位|
    那个人)?|(?P<s>{family}))(?P<m>小(?![学时组区费朋]){han}|老(?![是家师板想爱]){han}|阿(?!姨){han}|{twice}|
    (?<=同事|同学|朋友|邻居|[室舍]友|客户){surname}{han}{1,2}?|
    {surname}{han}{1,2}?(?=在|是|今年|住|来自|刚|正在|现在|已经|[读上]))?[，,]?{his}
now = (?:从{any}{1,6}(?:开始|起)|现在|目前|最近|一直|已经|平时|平常|从小|刚|才|都|快|马上|今年|去年|前年|前不久|
    上个?月|其实|主要|一般|也|还|就){0,3}
subject = (?:{who}|我(?:们(?:一家人?|全家|俩)?|自己|家|[和跟]我?的?(?:{kin}|家人|全家))?){now}
digit = [\d零一二两三四五六七八九十百千万几]
count = {digit}[\d零一二两三四五六七八九十百千万几.,]*
often = (?:每(?:隔)?[一二两三四五六\d]?个?(?:天|日|晚|早|周|星期|月|季度|年)|每{weekday}|隔{weekday}|隔[天周]|
    每个月第[一二三四]个{weekday}|天天|周末都|工作日)
month = (?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:份|底|初|中旬)?
point = (?:{coming}|{weekday}|(?:\d{4}\s?年\s?)?{month}(?:[\d一二三四五六七八九十]{1,3}[日号])?|\d{4}\s?年|
    \d{1,2}[日号]|[\d一二三四五六七八九十]{1,3}点)(?:早上|上午|中午|下午|晚上|
    凌晨)?(?:[\d零一二三四五六七八九十两]{1,3}[点:：](?:[\d零一二三四五六七八九十半]{1,3}分?)?)?\s?
future = (?:(?:今年|明年)?{month}(?:[\d一二三四五六七八九十]{1,3}[日号])?|{coming}|{weekday}|[月年]底|明年|大?后年|
    \d{1,2}[日号]|过[几两]天|暑假|寒假|国庆|春节|元旦)
past = (?:昨[天晚]|大?前天|前[几两]天|上上?(?:周|个?星期|个?礼拜)[一二三四五六日天末]?|上个?月|去年|前年|今天(?:早上|
    上午|中午|下午|晚上)?|今早|[\d一二两三四五六七八九十几]+(?:天|周|个月|年)前|刚[刚才]|周末|
    [一二三四五六七八九十]+月份?|{weekday}|(?:19|20)\d\d年)(?:[春夏秋冬]天)?
sign = (?:(?!的)[\u4e00-\u9fffA-Za-z])
person = (?:[小老阿]{han}|{surname}{han}{1,2}?|{surname}(?:经理|总|工|老师|主任|医生|师傅))
feeling = (?:开心|高兴|兴奋|激动|难过|伤心|生气|愤怒|烦躁|烦|累|疲惫|焦虑|担心|紧张|害怕|失望|孤独|无聊|郁闷|沮丧|
    委屈|崩溃|压力(?:很|好|太|特别)?大|不安|后悔|迷茫)
recent = (?:最近|今[天早晚]|现在|这[几两]天|这一?阵子?|这周)
day_part = (?:早上|上午|中午|下午|晚上|之前|前)
errand = (?:去(?!世|除|掉|年)|交(?!通|流|换)|参加|出差|面试|体检|复查|见|买|把|搬家?|[接送陪]|还(?!是|有|要)|提交|完成|值班|加班|汇报|
    做(?!什么|啥)|写|考(?!虑|察)|开(?=会|车|组会|例会|家长会|评审会)|打(?=电话|针|疫苗|扫|球)|约|带|[拿取](?={any})|飞|回(?=家|国|老家|
    学校|公司|娘家)|赶|准备|复习|收拾|给{any}{1,6}[回打发寄送买写带交])
very = (?:现在|平时|平常|最近|最|很|特别|非常|一直|从来|也|都|比较|更|挺|还是|超|特|真的?|只){0,3}
not_much = (?:不(?:太|怎么|大|是很|是特别|那么|再|是太)?|没(?:那么|有那么|以前那么))
lately = (?:(?!{digit}+年){past})
moved_to = (?P<v>(?:(?!以后|之后|[后时的了]|已经|一直|很|{digit}+多?(?:年|个月|天)|办公|公司|工位){han}){2,12}?
    (?<![楼层座室厅房间床车库云信书钉盘群网号端上里])(?:的{han}{0,6}(?:小区|公寓|房子|宿舍))?)
home_again = (?:老家(?={han}{2}))?(?P<v>(?!(?:家|宿舍|学校|公司|原|座|工位|这|那|来|去)|自己(?:座|工位)){han}{2,8}?)(?:去?住|去)?
body = (?:左|右)?(?:膝盖|腰|肩膀|脖子|颈椎|手腕|脚踝|胃|头|牙|背|眼睛|嗓子)
""")
    | {"surname": f"[{COMMON_SURNAMES}]", "coming": COMING, "weekday": WEEKDAY}
)
# One row for each thing that can be said, whoever it is said of; the first that fits a clause takes it.
_TABLE = r"""
fact ! = (?P<n>{thing_name})是我的?(?P<kin>{kin})，其(?P<a>{thing}|[^，。是]{1,8}?){be}{long}
fact ! = 我(?:将要|即将|要|准备|打算)参加的[：:]?(?P<s>[^。！？\n]{2,60}?)[，,]\s*(?:它|其|这个活动)
    的?(?P<a>{thing}){be}{long}
fact 身份! = (?P<n>{person_name})是我的?(?P<v>{kin}){end}
fact ! = {who}(?P<a>{thing}){be}?[挺很比较蛮]*[^，。]{0,4}[，,]\s*(?:是个?|有)(?P<v>{any}{1,30}?)[的呢哦啊了]?{end}
fact ! = (?:{who}|我(?:的|们的|们)?新?)(?P<a>{thing}){be}{own}
fact ! = (?:{who}(?P<a>身高|体重|年龄|学历|生日)|我的?(?P<a>体重|身高|血压|年薪|月薪|工资|腰围|鞋码)
    (?=\D{0,3}{count}))[现在大概才只是有]*(?P<v>[^，。；！？\n的]{1,20}?){end}
fact 年龄! = {subject}是?[满过]?(?P<v>{digit}{1,4}岁(?:了|多|左右)?)
fact 体重! = {subject}(?:已经|只|只有|涨到|瘦到|胖到)*[有是]?(?P<v>{count}(?:斤|公斤|千克|kg))了?{end}
fact 楼层! = {subject}家?住在?(?P<v>{digit}+[楼层]){end}
fact 住址! = (?:{lately}[，,]?)?{subject}(?:一家(?:人|{digit}口)?|全家)?{lately}?(?:才|刚|终于|已经)*(?:搬家了[，,]\s*)?
    (?<!快)(?<!马上)(?:(?:从{any}{1,12}?)?(?:把家)?搬(?:家(?=到|[去来]了?(?![帮找买看接陪送拿取])))?[到去来](?:了{moved_to}|{moved_to}了)|从{any}{1,12}?搬[到去来]{moved_to}
    |(?:把家)?搬回(?:了{home_again}|{home_again}了?)){end}(?!.*(?:后来|[又再]搬|搬[回走]))
fact 住址! = {subject}(?:一个人|自己|[和跟][^，。]{1,6}一起)?(?:住在?|搬[到去来]了?(?!{any}{0,6}(?:办公|工位))|定居[在到]?了?|
    家(?:现在)?住?在){value}(?:去了|[了的呢])?{end}
fact 住址! = {subject}在(?P<v>{han}{2,8}?)(?<!医院)(?<!酒店)(?<!宾馆)(?<!家里)(?:租房子?住?|租了?一?[个套间]房子?住?|定居|住)了?{end}
fact 住址! = (?:我们?的?)?新家在(?P<v>{han}{2,12}?){end}
fact ! = (?:(?:我们?的?)?新的?(?P<a>号码?|手机号码?|电话|邮箱|微信号?)(?:是|为|：|:)|(?P<a>手机号码?|电话号码|邮箱|微信号)
    (?:已经|刚|又)?(?:换|改|变)成了?)\s*(?P<v>[\w.@+-]{5,40}?)了?{end}
fact 家乡! = (?:{who}家[是在](?P<v>{han}{2,10}?)的?|{subject}(?:是|来自)(?P<v>{han}{2,10}?)(?<![伙责持纪承始主老好大工军商诗盲病恋亲介证候的个])人|
    {subject}来自(?P<v>{han}{2,12}?)){end}
fact 生日! = {who}过生日是?在?{value}{end}
fact 出生地! = {subject}出生[在于](?P<v>[\u4e00-\u9fff\d]{2,14}?){end}
fact 成长地! = {subject}在(?P<v>{han}{2,12}?)长大{any}{0,3}{end}
fact 职业! = {subject}在{any}{1,30}?(?:(?:做|当|担任|任)(?P<v>{any}{0,10}?(?:{job}))|[做搞](?![了过完着])(?P<v>{han}{0,6}?(?:{field}))){end}
fact 工作单位! = (?:{subject}在(?P<v>(?!网上|线上|家|学校|这|那){han}{2,10}?)找(?:到了?|了)(?:一?[份个])?新?的?工作了?|
    {subject}(?:(?:周末|平时|晚上|业余|下班后?)(?:也|还)?)?在(?!{any}{0,14}找){value}(?:工作|上班|任职|实习|做事|做?兼职|当\w{1,6})[的呢了]?|{subject}(?:入职了|跳槽到了?|
    加入了)(?P<v>{any}{2,20}?)|{subject}{lately}?(?:从{any}{1,12}?)?跳槽[到去]了?(?P<v>{any}{2,20}?)了?){end}
fact 学历! = {who}[就只才可]{0,2}(?:是|读到|念到|有)?个?(?P<v>(?:小学|初中|高中|中专|大专|专科|本科|硕士|研究生|博士)(?:学历|
    毕业|文凭)|(?<=[是到有个])(?:小学|初中|高中|中专|大专|专科|本科|硕士|研究生|博士))[的生呢了]*{end}
fact 从前的职业 = {who}(?:以前|从前|曾经|原来|年轻时)(?:是|当过?|做过?)(?:一?[名个位])?(?P<v>{any}{0,8}?(?:{job}))
    的?{end}
fact 职业! = {subject}(?:在单位)?可?(?:是一[名个位]|是个|是做?|当|从事|做)(?P<v>{any}{0,14}?(?:{job}))(?:的|工作|呢|了|
    这一?行)?{end}
fact 职业! = {subject}(?:主要)?[做搞](?![了过完着])(?P<v>{han}{0,6}?(?:{field})){end}
fact 职业! = {subject}(?:是[做干搞]|从事|做)(?P<v>{any}{1,10}?)(?:的|工作|这一?行|行业)[的呢]?{end}
preference 爱好 = {who}{very}(?:喜欢(?:做?的事儿?(?:就)?是)?|爱好是|爱|热爱|迷上了|痴迷){value}[了的呢]?{end}
fact 姓名! = (?:{who}(?:分别)?(?:就?叫|名叫|姓)(?P<v>{person_name}(?:(?:[、和与跟]|，还有|以及){person_name})*)|我(?:的名字)?(?:叫做?|名叫|姓名是|是叫)
    (?P<v>[\u4e00-\u9fffA-Za-z·]{1,12})){end}
fact 姓名! = 我是(?P<v>{surname}{han}{1,3}|[小老阿]{han}){end}
fact 姓! = 我姓(?P<v>{han}{1,2}){end}
fact 婚姻状况! = {subject}(?P<v>已婚|未婚|单身|离异|(?:结婚|离婚|订婚)(?=了))了?{end}
fact 近况 = {subject}(?P<v>(?:退休|怀孕|毕业|出国|搬家|失业|辞职)(?=了))了?{end}
fact 就读! = {subject}(?:正在|在|刚)*[上读念](?P<v>{any}{0,10}?(?:大学|高中|初中|小学|幼儿园|研究生|博士|硕士|本科|
    专业|[一二三四五六]年级|大[一二三四]|初[一二三]|高[一二三]|研[一二三]|[大中小]班))[了呢]?{end}
fact 身份! = {who}是(?P<v>{any}{2,20}?)的?{end}
fact 过敏 = {subject}(?:好像|有点儿?|有些)?对(?P<v>(?:{any}{1,6}[，,、]){0,4}{any}{1,20}?)(?:这[类些种]\w{1,4})?都?(?<![不没有])过敏|{subject}(?:有点儿?|有些)?(?P<v>(?!对)[^，。；！？\n是有对]{1,8}?)
    (?<![不没])(?:过敏|不耐受)的?{end}
fact 健康 = {subject}(?:有(?:一?点儿?|些)?|得了|患有)(?:轻度|轻微|严重|慢性)?的?(?P<v>(?:[一二两\d]型)?{illness}(?:[、和与及]{illness}){0,5})[了的]?{end}
fact 健康 = (?:[^，。；！？\n我]{2,12}(?:以后|之后|后)[，,]?)?我的?(?P<v>{body}(?:一直|总是|老是?|经常|常年|天天)(?:很|
    有点)?(?:疼|痛|酸|不舒服|发炎|难受)|(?:近视|远视|散光){any}{1,8}?度|{any}{0,6}?做过{any}{1,10}手术|在?(?:控盐|
    控糖|减肥|备孕|吃药|做康复)(?=[呢中]?{end})){end}
fact 健康 = {subject}(?P<v>一?[吃喝碰闻]{any}{1,8}?(?:就|会|都会?)(?:起(?:红?疹子?|包)|拉肚子|肚子[疼痛]|头[疼晕]|胃[疼痛]|睡不着|
    长痘|恶心|想吐|发痒|胀气)){end}
fact 健康 = 我(?P<v>(?:血压|血糖|血脂|尿酸|胆固醇)(?:有点儿?|偏|比较|一直|很)*[高低]|(?:容易|会|有点)?(?:晕[车船机]|恐高)){end}
fact 身份 = {subject}是(?P<v>左撇子|夜猫子|过敏体质)的?{end}
fact 忌口 = {subject}(?:不能|不可以|没法|不太能)[吃喝碰]{value}的?{end}
fact 饮食! = {subject}[是吃](?P<v>素食(?:主义)?者?|纯?素)的?{end}
fact 姓名! = 我们?家的?(?P<s>小?[猫狗]|猫咪|狗狗|兔子|仓鼠|鹦鹉|乌龟)(?P<v>(?!的|叫|是|在|有|会|[今昨明最现已又很特不也都还总老天每经喜怕爱刚就才一两三真好太])
    {han}{2,3}?)(?=今[年天]|昨天|最近|现在|已经|特别|很|又|不|喜欢|会|{digit}+岁|生病|一直|上周|上个?月)(?!.*(?:去世|过世|离世)){any}{0,30}?{end}
fact 家庭 = {subject}(?:有|养了?)(?P<v>(?:[一两三四五]|\d+)[个只条位]{any}{0,8}(?:{kin}|孩子|兔子|仓鼠|鹦鹉|鱼|金毛|泰迪|柯基|
    拉布拉多|哈士奇|边牧|布偶|英短)
    (?:[，,：:]?(?:分别)?叫{any}{1,12}|[，,：:](?:分别是?|是)?{han}{2,3}(?:[、和与]{han}{2,3})+(?={end})|(?:[，,](?:另?一[只个条位]|[大小]的(?:那?[只个条])?|老[大二三])叫{any}{1,8}?){1,3})?){end}
fact ! = 我(?:平时|平常|家里|最近|现在|目前|日常|常|
    一直)?(?P<a>(?:(?!们){han}{1,4})?[用开穿戴住装][的得]?(?:[^，。；！？\n是]{0,10}?))
    是[个一款部台]*(?P<v>{any}{1,40}?)的?{end}
fact ! = (?:我的(?!意思|建议|问题|想法|看法|感觉|观点|回答|答案|理解|天|错|目的|意见|要求|重点|疑问|判断|心|{kin})|
    我家里?的?)(?P<a>(?!.{0,5}[么在])(?!用的){han}{2,6}?)(?:是|叫)(?P<v>{any}{1,30}?)的?{end}
fact = (?:{who}|我家?)(?P<a>(?!的|们|觉得|认为|感觉|说|想|要|担心|希望|需要|指|问|关心|
    在意){han}{1,6}的(?:[那这][个家座本部款台场])?{han}{0,8}?)(?:是|叫)[个一家座]*(?P<v>{any}{1,40}?)的?{end}
preference 喜欢 = (?:比起[^，。我]{1,10}[，,]?|坐{han}{2}|在{han}{1,4}[，,]?)?我(?P<c>{any}{2,5}?(?:的时候|
    时))?{very}(?:喜欢|迷上了?|偏好|爱好是|爱(?=[吃喝看听玩])|热爱|偏爱|习惯|愿意|宁愿|宁可){value}[了的]?{end}
preference 喜欢 = (?!今|昨|明|早|晚|中|刚|这|那|但|所以|其实|因为|可是|不过|最近|现在|后来|然后){han}{1,4}我(?:现在|平时|平常|一般|一直|都)*
    只[喝吃用看穿听](?P<v>(?!了|过|到|得|完|不){any}{1,12}?)[了的]?{end}
preference 不喜欢 = {who}{very}(?:{not_much}(?:喜欢|爱(?=[吃喝看听玩]))|讨厌|受不了){value}[了的]?{end}
preference 不喜欢 = 我(?P<c>{any}{1,4}(?:以后|之后|后|前))?{very}(?:{not_much}(?:喜欢|爱(?=[吃喝看听玩]))|不爱|讨厌|受不了|不[吃喝碰](?=.)|
    从不){value}[了的]?{end}
fact 习惯 = {subject}(?:基本上?|习惯|通常)*(?P<v>{often}(?!都?(?:很|好|想|觉得|感觉|路过)){any}{2,30}?){end}
fact 习惯 = 我?(?:最近|现在|已经)*改[成为到在]了?(?P<v>(?:{often}|早上?|[上中下]午|晚上?|周末)[^，。；！？\n的]{2,10}?)了?{end}
fact 习惯 = 我(?:一般|通常|平时|习惯|经常)(?:都|会|是|就)?(?P<v>(?:{any}{0,6}点|早[上饭]|晚[上饭]|中午|睡前|周末|下班|
    坐|骑|走路|自己){any}{1,20}?){end}
fact 情况 = {subject}(?P<v>(?:会(?:说|讲|弹|拉|吹|骑|画|跳|下|游泳|开车|做饭|编程)|(?:坐|骑)(?={any}{1,6}(?:上班|上学|
    通勤))|在{any}{2,14}(?:教|学|读|念)|戴着?(?={any}{0,6}[镜器套泵])|穿(?={any}{1,4}码)|收藏|毕业于|属于|
    开了(?=[一两家个])|欠{any}{1,6}(?={count})|戒(?=[烟酒糖])|从来没去过|没去过|开着?一?辆|讲(?={any}{1,3}话)|
    是(?=独生)|是{any}{2,16}的学生|有[一两三四五六七八九十\d几][辆套台把架间栋部])(?!给|你){any}{0,20}?)了?{end}
fact 经历 = {subject}(?P<v>[学练做教弹打养用住当]{any}{1,10}?(?:有|快|了)?(?:{digit}+多?(?:年|个月)多?|半年多?))
    了?{end}
fact 使用 = {subject}(?P<v>(?:写代码|写作|画图|[做记]笔记|办公|开会|编程|剪视频|记账|听歌|看书|上课|测试|部署|
    管理\w{1,4})?(?:都|一般|主要|一直|平时)?用(?!了)\s?(?:[A-Za-z][\w .+#-]{1,20}{han}{0,8}|{any}{2,16}(?:缩进|命名|
    开发|部署|管理|写|测试|沟通|记账|开会))|(?:手机|电脑|平板|耳机|相机|手表|笔记本)用的(?!那|这)
    [^，。；！？\n是]{2,16}?){end}
fact 用 = (?:我们的?|咱们的?|这个)(?P<s>{ours})(?:统一|
    目前|现在|主要|都)?(?:使用|采用|用的是|用|部署在|基于){value}{end}
fact 在做 = {subject}(?:正在|在)(?P<v>(?:做|开发|写|准备|负责|备战|备考|学|练|攒|存|找|装修|上|休)(?!什么|的|校|
    班){any}{1,24}?|为{any}{2,16}?(?:训练|准备|备考|存钱|攒钱))[了呢]?{end}
decision 决定 = (?:我们?|咱们|大家|团队)(?:已经|最终|最后|一致|终于|刚)*(?:决定|敲定|选定|商定|确定|选了)了?{long}
decision 决定 = 我们(?P<v>不打算(?:支持|使用|用|续费|续约|采用|上线|做|买|招){any}{1,20}?){end}|(?:{past}?我们?|
    我们?{past})(?P<v>(?:从|把){any}{2,16}?(?:换到|换成|迁移到|迁到|切换到|改用)了?{any}{2,16}?)了?{end}
decision 约定 = (?:我们|咱们|大家|我[和跟与](?P<n>{any}{1,6}?))(?:约定|约好|说好|商量好|讲好)
    了?[，,]?(?P<v>[^。；！？\n]{3,40}?){end}
follow_up 待办 = (?:请|记得|到时候?)?提醒我{long}
follow_up 计划 = 我们?(?:将要|即将|准备|打算|计划|想(?={future}))(?:{future}|去|在{any}{1,6}(?=买))?(?P<v>(?:参加|
    出席|去|前往|搬|换|学|考|买|开始|举办|组织|跑|办|开|写|做|辞职|结婚|旅行){any}{0,60}?){end}
follow_up 计划 = (?:我们?{future}{any}{0,8}?|{future}我们?)(?:要(?![是求])|得(?![到了过])|会(?![议员计了])|需要|
    打算|准备|必须|有(?![点些了过]))(?P<v>{any}{2,60}?){end}|(?:我们?\s?{point}|(?:我们?)?{future}[和跟]{any}{1,4})(?P<v>(?:飞|去|到|回|
    坐{any}{1,4}去){han}{2,8}?){end}
follow_up 计划 = 我们?(?:已经|刚|都)?(?P<v>(?:约了?|约好了?|预约了?|挂了|订了|排了)(?:在|的是)?(?={any}{0,6}?(?:{point}|
    {future}))(?!{any}*[吗呢])[^，。；！？\n的]{3,30}?){end}
follow_up 计划 = (?<!.){future}(?:我们?)?(?P<v>(?:去|飞|回)(?!了|过|的|哪|不){han}{2,6}?(?:出差|旅游|旅行|玩|过年|开会)?)
    (?<![吧吗呢]){end}
follow_up 计划 = (?<!.){future}{day_part}?(?:还|就|也)?(?:要|得|需要|必须|打算|准备)(?P<v>(?!{any}{0,20}(?:[你您]|大家|各位|的同学|请))
    {errand}(?!的|什么|哪){any}{0,40}?){end}
fact 时间 = {who}(?:{han}{2})??(?P<v>是?(?:{point}|{past}|{future}){any}{0,4}?(?:出生|结婚|生孩子|刚?上小学|刚?上学|
    开学|毕业|退休|做手术|做过{any}{1,8}手术|满{any}{1,6}岁|过生日|高考|中考|出院|回国|出国|搬家|中风|住院|
    刚?上幼儿园|去世)[的过了]?){end}
event 事件 = (?:我们?(?:一家人?|全家|俩)?{past}|{past}[，,]?我们?)(?P<v>(?:去|参加|见|买|看|完成|收到|吃|和|跟|搬|开始|学|考|做|拿到|参观|跑|爬|骑|滑|拍|弄丢|摔|通过|
    游览|办|写|读|卖|换|修|领养|上线){any}{0,60}?了{any}{0,30}?|(?:去了|参加了){any}{2,40}?|{any}{0,6}?(?:骨折|做手术|
    住院|感冒|发烧|受伤|戒烟|戒酒|离职|辞职|毕业|结婚|搬家|退休|入职)了|被{any}{1,8}了){end}
event 事件 = 我们?(?:刚|刚刚|最近|终于)(?P<v>(?:买|换|入手|养|办|考|拿到|收到|参加|完成|订|报名|加入|搬|看完|读完)
    了?{any}{2,40}?){end}
event 事件 = {past}(?P<v>终?于?(?:把|在|去|买|看|和|跟)(?!你){any}{2,20}?(?:了|下来)[^，。；！？\n的]{0,20}?){end}
mood 心情 = (?:我|(?<!.)(?={recent}|心情)){recent}*(?:感到|觉得|心情)*(?:很|好|太|真的?|有点|特别|非常|感到|觉得|超|挺)+
    (?P<v>{feeling})[了啊呢的]?{end}
mood 心情 = (?:我|(?<!.)){recent}*的?心情(?:一直|都|真的?|很|好|太|有点|特别|非常|超|挺|比较|不太|不是很)*
    (?P<v>不好|不错|好|很?差|糟糕?|低落|郁闷|沉重|愉快|舒畅|烦躁|烦|平静)[了啊呢的]?{end}
mood 心情 = (?:我|(?<!.)){recent}*的?(?:工作|学习|生活)?(?P<v>压力(?:真的?|很|好|太|特别|有点|挺)+大)[了啊呢的]?{end}
fact 负责 = (?P<n>{person})(?:现在|目前|主要|来|专门)?(?:负责|主管|分管|管)(?P<v>{any}{2,20}?){end}
fact 惯例! = (?:我们的?|咱们的?)?(?P<n>(?!我|你|您|他|她|每|有){sign}{2,8}?)(?:都|会|统一|一般|通常|
    固定)?(?P<v>{often}{any}{0,14}?(?:开|发|交|聚|举行|更新|休|组织|上课|训练|值班|检查|备份|部署|上线|见面|
    结算){any}{0,10}?){end}
fact 时间! = (?:我的?|我们的?|咱们的?)?(?P<n>(?!我|你|您|他|她|这|那|有|每|就|今|明|昨|下|上|{kin}){sign}{2,8}?)(?:是|
    在|到)?(?P<v>{point}[^，。；！？\n的]{0,10}?(?:起飞|降落|出发|发车|到期|到站|到达|到|开始|结束|截止|开门|关门|
    开会|上线|发布|过来|来|上门|回来|聚会|生效|续费|开学|放假)){end}
fact 时间! = (?:我的?|我们的?|{who})?(?P<n>(?!我|你|您|他|她|这|那|有|就){sign}{2,8}?)[又刚]?[改换调变]了?个?时间了?[，,]\s*(?:从{any}{1,6}?(?:起|开始))?
    [，,]?(?:[改挪换调]?[到在成为至]|是)了?(?P<v>{any}{0,4}?(?:{point}|{often}){any}{0,14}?)了?{end}
fact 时间! = (?:我的?|我们的?)?(?P<n>(?!我|你|您|他|她|这|那|有|就){sign}{2,10}?)(?:的?时间)?(?:定[在到]|安排在|排在|
    [改挪][到在成]|推迟到|提前到)了?(?P<v>{any}{0,4}?(?:{point}|{often}){any}{0,14}?)了?{end}
fact ! = (?:我的|我们的?|咱们的?)?(?P<n>(?!我|你|您|他|她|这|那|有|大概){sign}{2,10}?)(?P<a>一个月|一年|一天|一次|
    每个?月|每年|每天|每人|每次)(?:是|要|得|大概)?(?P<v>{count}(?:块|元|美元|欧元|度|公里|小时|次|
    块钱)*[五六七八九一二三四]?){end}
fact ! = (?:我的|我们的?)?(?P<n>(?!我|你|您|他|她|这|那|有|谁){sign}{2,10}?)的?(?P<a>端口|限制|上限|下限|容量|内存|
    硬盘|配额|额度|费用|租金|房租|押金|学费|工资|年薪|温度|间隔|重试次数|超时时间|预算)(?:是|为|改成了?|有|最多)
    \s*(?P<v>(?:每{han}{1,3})?\s*{count}{any}{0,14}?){end}
fact 要求 = (?:我们?的?)?(?P<n>客户|甲方|老板|领导|经理|学校|老师|公司|医生|房东)(?:要求|规定|希望我们?|想要|让我们?|
    要我们?)(?P<v>{any}{2,30}?){end}
fact ! = (?P<n>(?!我|你|您|他|她|它|这|那|谁|有){thing_name})的(?P<a>{thing}){be}{long}
fact 时间! = 我们(?:团队|部门|组里?|公司|都|一般|固定)*(?P<v>{weekday}(?:早上|上午|中午|下午|晚上)?(?:[\d零一二两三四五六七八九十]{1,3}[点:：]半?\d{0,2})?)(?:开|上|练)(?P<n>{sign}{1,5}?[会课])
    {end}
preference 爱好 = (?P<n>{han}{2,4}?|\s?[A-Z][A-Za-z]{1,15}){very}(?:喜欢(?:做的(?:一件)?事情?(?:就)?是)?|的?爱好是)(?P<v>{any}{1,30}?)
    [了的]?{end}
"""
RULES: tuple[StatementRule, ...] = rules_of(_TABLE, PARTS)
_KIN = expanded_form("{kin}", PARTS)
_SEVERAL = lazy_regex(PARTS["several"])
"""Of whom one may have several: what is said of another colleague or uncle corrects nothing."""
_START = lazy_regex(r"(?=((?<=[，。；！,;!\n])\s*))")
_LABEL = lazy_regex(r"^(?:[^：:，。我]{0,16}[：:](?=\s*我)|[^：:，。我]{0,4}[：:])?\s*")
"""Before what is said: whoever pastes 「用户消息：我…」 tells nothing of a message."""
_OPENING = lazy_regex(
    r"(?:对了|哦|嗯|其实|另外|还有|顺便说一下|顺便说|话说|说起来|你知道吗|告诉你|那个|然后|而且|因为|所以|但是|不过|现在|目前|最近|"
    r"以后|今后|从现在(?:起|开始)|从今(?:天起|往后|以后)|从(?:明天|下个?[周月]|今年)(?:起|开始)|"
    r"(?:医生|大夫|护士|体检|检查)(?:都?说|告诉我|确诊|诊断|查出来?|发现|显示)[，,：:]?)[，,]?\s*"
)
_ORGANISATION = lazy_regex(
    r"(?:公司|集团|银行|医院|大学|中学|小学|学校|学院|幼儿园|事务所|研究所|研究院|设计院|局|厅|部|处|所|院|厂|店|社|馆|中心|机构|工作室|餐厅|酒店|车间|协会|法院|派出所|支行|分行)$|[A-Za-z]"
)
_HEAD = lazy_regex(r"^(?:在(?=\d)|[做干当](?=.{1,8}$)|一个(?!月)|一名|一位)")
_TAIL = lazy_regex(r"(?:的|了|呢|哦|啊|呀|哈|嘛|吧)$")
_PRONOUN_NAME = lazy_regex(
    r".*一样|^(?:从|跟我|和我|与我|像我|比我|对我|这|那|他|她|它|其|谁|什么|哪|你|您|我|咱|大家|人们|有|没|就|都|也|还|因为|所以|但|而|如|每|某|该|本次|此)"
)
_VAGUE = lazy_regex(
    r"^(?:什么|谁|哪|这(?!个?(?:周|星期|礼拜))|那|你|您|他|她|它|多少|怎么|如何|不错|很好|挺好|还行|真的|非常|这样|那样|一样|的|个|人)|[你您]|吗$|(?:不错|挺好|很好|真好|太棒|真棒)的?$"
)


def _starts(sentence: str) -> list[int]:
    """Return where a clause may begin: at the beginning, behind a comma, and behind the words that open a clause."""
    found: set[int] = set()
    label = _LABEL.match(sentence)
    begin = 0 if label is None else label.end()
    for start in (begin, *(one.end(1) for one in _START.finditer(sentence, begin))):
        place = start
        while place not in found:
            found.add(place)
            opening = _OPENING.match(sentence, place)
            place = place if opening is None else opening.end()
    return sorted(found)


_WE = lazy_regex("^我们?")
_OF_STORIES = frozenset(
    "孙悟空 齐天大圣 猪八戒 沙悟净 唐三藏 牛魔王 白骨精 玉皇大帝 太上老君 哪吒 杨戬 白素贞 许仙 法海 贾宝玉 林黛玉 薛宝钗 "
    "诸葛亮 曹操 刘备 关羽 张飞 吕布 貂蝉 武松 宋江 鲁智深 李逵 林冲 潘金莲 武则天 秦始皇 唐伯虎 包青天 韦小宝 令狐冲 郭靖 黄蓉 杨过 小龙女".split()
)
"""Who says to be one of them is not called so."""
_UNNAMED = lazy_regex("新|手机|电话|邮箱|微信")
_OTHERS = lazy_regex(f"{_KIN}|[他她]")
"""Before what names nobody: 我妈换号了，新号码是… is not the speaker's."""
_TIME_OF_DAY = lazy_regex(r"(?:上午|下午|晚上|早上|中午|凌晨|傍晚|今天|明天|后天)$")
_ADDRESSED = lazy_regex(r"^[\u4e00-\u9fff]{1,4}(?:先生|女士|小姐|太太)$")


def _is_person(value: str) -> bool:
    people = [one.text for one in mentions(f"我是{value}") if one.kind == "person"]
    return value.removeprefix("叫") in people and not value.endswith("人")


def _is_place(value: str) -> bool:
    """Tell whether words name where one may live: 前排坐 is what somebody does, 后面 is nowhere by itself."""
    words = tagged(value)
    return words[-1].tag[:1] not in "vamdq" if len(words) > 1 else words[0].tag != "f"


def _matter(rule: StatementRule, named: str, value: str, said: str) -> tuple[str, str, bool]:
    """Return of what a clause tells, what holds, and whether it is one at a time; nothing where it tells of nothing."""
    attribute = named or rule.attribute
    if attribute == "姓名" and said.startswith("我是") and (value in _OF_STORIES or not _is_person(value)):
        return "", "", False  # 我是王小明 says who speaks, 我是高中生 what they are
    if is_no_value(attribute, value) or (attribute == "住址" and not _is_place(value)):
        # 我和老公住在一起 is worth knowing, and says nothing of the town; 我叫外卖了 is neither.
        return ("情况", _WE.sub("", said), False) if attribute not in {"姓名", "家乡", "年龄"} else ("", "", False)
    if attribute == "职业" and _ADDRESSED.search(value):
        return "姓名", value, rule.single  # 房东是周先生 says who it is, not what they do
    if attribute == "工作单位" and not named and not _ORGANISATION.search(value):
        return "工作地点", value, rule.single  # 在上海上班 says where, not for whom
    return attribute, value, rule.single


_ALSO_BEFORE = lazy_regex("(?:另外|此外|同时)[，,]?$")


def clauses(sentence: str, speaker: str) -> Iterator[Statement]:
    """Yield what a sentence states."""
    name = subject_name(speaker, zh=True)

    def make(rule: StatementRule, match: re.Match[str], start: int, end: int) -> Statement | None:
        value = _HEAD.sub("", group(match, "v").strip(" ，。,."))
        who, named, kin, called = (group(match, part) for part in ("s", "n", "kin", "m"))
        if not value or (rule.kind not in {"decision", "follow_up", "event"} and _VAGUE.search(value)):
            return None
        # 排练晚上八点开始 tells of 排练; where the name ends in a time of day, the time was cut in two.
        if named and (_PRONOUN_NAME.match(named) or _TIME_OF_DAY.search(named)):
            return None
        said = match.string[start:end].strip(" ，。！!")
        attribute, value, single = _matter(rule, group(match, "a"), value, said)
        if not attribute and rule.attribute:
            return None
        if _UNNAMED.match(said) and _OTHERS.search(match.string[:start]):
            return None
        clause = third_person(said.replace("我是", "我叫", 1) if attribute == "姓名" else said, name)
        owner = (
            (f"{name}的{kin}{named}" if kin else named)
            or (f"{name}的{who}{called}" if who and "参加" not in match[0][:8] else who)
            or name
        )
        value = value if rule.kind in {"decision", "follow_up", "event"} or len(value) < 3 else _TAIL.sub("", value)
        if kin:
            clause = f"{named}（{name}的{kin}）的{attribute}是{value}"
        # 我用的是… names no thing: the next one said so may be another.
        single = (
            single
            and not (who and not called and owner != who and _SEVERAL.search(who))
            and not attribute.endswith("的")
        )
        made = Statement(rule.kind, owner, attribute, value, clause, start, end, single=single)
        before = _ALSO_BEFORE.search(match.string[max(0, start - 4) : start])
        return beside(made, (before[0] if before else "") + "，".join(match.string[start:end].split(value, 1)))

    def subject(one: Statement, _then: str) -> str:
        """Return the words that name whom a statement is about; none where what follows may be about another."""
        said = sentence[one.start : one.end]
        if one.attribute not in _ABOUT_ONESELF or "和" in said or "跟" in said:
            return ""
        named = _BY_NAME.match(one.content.removeprefix(one.subject)) if one.subject != name else None
        return SPEAKER + one.subject.removeprefix(name).removeprefix("的") + ("" if named is None else named[0])

    told = list(apply(RULES, sentence, starts=_starts(sentence), make=make))
    told += _behind_news(sentence, told, make)
    yield from carried_on(told, sentence, joint=_JOINT, subject=subject, rules=RULES, make=make)


def _behind_news(sentence: str, told: Sequence[Statement], make: MakeStatement) -> Iterator[Statement]:
    """Yield what somebody is or does now, told behind a change in their life that states nothing by itself."""
    news = _NEWS.match(sentence)
    if news is None or any(one.start >= news.end() for one in told):
        return
    place, who = news.end(), news["who"]
    for one in apply(RULES, who + sentence[place:], starts=(0,), make=make):
        yield replace(one, start=place, end=place + one.end - len(who))


_BY_NAME = lazy_regex(r"[小阿](?!时)[\u4e00-\u9fff](?=在|住|是|今年|来自)")
_ABOUT_ONESELF = frozenset(
    "姓名 名字 昵称 小名 英文名 年龄 生日 出生日期 身高 体重 血型 星座 属相 民族 国籍 性格 爱好 兴趣 兴趣爱好 住址 家乡 "
    "出生地 成长地 职业 工作 职位 职务 岗位 工作单位 单位 公司 工作地点 就读 学校 专业 毕业院校 学历 近况 饮食 过敏 忌口 "
    "老家 电话 电话号码 联系电话 手机 手机号 手机号码 邮箱 微信 微信号".split()
)
"""What a clause tells of somebody without bringing in another: in 我有个哥哥，是医生 the second clause is not about me."""
_JOINT = lazy_regex(
    expanded_form(
        r"[，,]\s*(?:但|不过|而且|并且|也|还|同时)?(?={now}(?:在|住|搬|来自|出生|老家|家乡|籍贯|单身|已婚|未婚|对{any}{1,12}过敏|"
        r"养了?[一两三\d]|有[一两三\d个]|喜欢|特别喜欢|最?爱|讨厌|不[吃喝碰爱喜能]|会|每|做|当|从事|"
        r"是(?!我|你|他|她|它|这|那|一[家座所个]|[的很因为不]))|今年)",
        PARTS,
    )
)
"""Between a clause that tells of somebody and one that goes on without saying of whom: 我叫小雨，在杭州工作，养了一只猫。"""
_NEWS = lazy_regex(
    expanded_form(
        r"^(?:对了[，,]?|其实|跟你说[，,]?|告诉你[，,]?)?(?P<who>我(?:的|家)?(?:{kin})?){now}(?:{past})?{now}"
        r"(?:找到[^，,。]{0,4}工作|换[^，,。]{0,4}(?:工作|公司|单位)|升职|升官|转正|入职|跳槽|毕业|退休|辞职|离职|转行|转岗|调岗|"
        r"搬家|回国|回老家|出国)[^，,。！？；]{0,4}[，,]\s*(?={now}(?:在|住|当|做|从事|是(?!因|为|不|这|那|我|他|她)))",
        PARTS,
    )
)
"""Who tells a change in their life goes on with what is so now: 我找到新工作了，在字节跳动做产品设计。"""
FORMER = lazy_regex(
    r"^(?:其实|对了[，,])?我(?:以前|之前|从前|原来|原先|曾经)[^，,。！？；]{2,30}[，,]\s*(?:但是?|不过|后来)?(?:我(?!们))?"
)
"""What no longer holds, and that what holds now follows: 我以前住在北京，去年搬到了苏州。"""
SPEAKER = "我"

_SELF = lazy_regex(
    expanded_form(r"(?P<ours>(?:我们|咱们)的?(?=(?:{ours}|{kin})))|[我咱]们家|我家|我们|咱们|我的|(?<![自忘])我", PARTS)
)

_OURSELVES = lazy_regex("[我咱]们(?=一家|全家|俩|夫妻)")
_COMPANY = lazy_regex(
    expanded_form(
        "[和跟与同陪带](?:着|了)?(?:我的?)?(?P<who>家人|全家|爸妈|父母|朋友们?|同事们?|同学们?|孩子们?|{family})", PARTS
    )
)


def with_company(content: str, name: str, *, before: str, said: str) -> str:
    """Return what several did with who the others are, where that was said right before: 用户和家人."""
    named = [found["who"] for found in _COMPANY.finditer(before)]
    return content.replace(f"{name}等人", f"{name}和{named[-1]}", 1) if named else content


def third_person(clause: str, name: str) -> str:
    """Return a clause of the first person as others would say it."""
    said = {"我们": f"{name}等人", "咱们": f"{name}等人", "我的": f"{name}的", "我": name}
    clause = _OURSELVES.sub("我", clause)
    told = _SELF.sub(lambda one: f"{name}的" if one["ours"] else said.get(one[0], f"{name}家"), clause)
    told = re.sub(rf"^(?:请|记得|到时候?)?提醒{name}", f"{name}要求提醒：", told)
    told = re.sub(rf"({re.escape(name)})(?=(?:{_KIN}))", r"\1的", told)
    # 我妹 is said, 用户的妹 is not.
    return re.sub(rf"({re.escape(name)}的)([爸妈哥姐弟妹])(?!\2|[爸妈夫])", r"\1\2\2", told)


# ── what the user orders and teaches ─────────────────────────────────────────

_ANY_THING = r"(?!的)[^，。！？；我你您他她它谁人们]{1,14}?"
_RULED = (
    r"(?:用(?![来了过到])|使用|写|发给?|放|抄送|按|加|走|交给?|标|保存|采用|命名|跑|做|测试|检查|确认|备份|通知|找|让|更新|打|签|审|评审|同步|"
    r"提交|附|注明|不要|别)"
)
"""Of whatever a rule of one's work is told: 给供应商的邮件一律抄送陆敏. Who 他 is or 游客 are do not keep our rules."""
INSTRUCTION = lazy_regex(
    r"^\W*(?:(?:好的?|嗯|对了|另外|还有)[，,]\s*)*(?:"
    r"(?:请|你|就|可以|以后|都)*叫我(?P<name>[^，。！？\s]{1,10}?)(?:就好|就行|就可以了?|吧|好了|即可)?\W*|"
    r"(?:请|你)?(?:以后|今后|从现在(?:起|开始)|从今往后)[，,](?!我们?(?!.{0,12}[你您]))[^，。]{0,10}(?:用|不要|别|要|都|先|请).{2,}|"
    r"(?:请|你)?(?:以后|今后|从现在(?:起|开始)|从今(?:往后|以后|天起)|往后)[，,]?(?:请|都(?!会|好|没|不会|是)|你|您|回答|回复|不要|别|每次|一律|用|写|叫|只|尽量|在|给|跟|和|对|我(?=的?(?:问|说|让|发|要(?=.{0,20}[你您都用])|提|需|代码|文档|邮件|消息|每?次?.{0,12}[你您]))).{2,}"
    r"|(?:请|你)?(?:总是|始终|永远|每次都?|一律|务必都?)(?:要|请)?(?:用|使用|以|给|先|不要|别|保持|回复|回答|叫|写|附|加|注明).{2,}"
    rf"|(?:以后|今后|往后)[，,]?{_ANY_THING}(?:都|一律|全部|统一)(?:要|得|必须)?先?{_RULED}.+"
    rf"|(?!以前|之前|从前|原来|过去){_ANY_THING}一律(?:要|得|必须|请)?先?{_RULED}.+"
    rf"|(?:每次|每回|凡是){_ANY_THING}(?:之前|以前|前|之后|以后|后)(?:都|一定)?(?:要|得|必须|需要|务必|请)先?{_RULED}.+"
    rf"|{_ANY_THING}一律(?:先|[^，。]{{1,8}}后再).+"
    r"|(?:请|你)?(?:不要|别)再.{2,}"
    r"|(?:你的?|请)?(?:回答|回复|答案|解释|说话)(?:的时候|时)?(?:请|要|尽量|都|务必|不要|别|一定|可以)+.{2,}"
    r"|(?:请|你)?(?:不要|别)(?:用|给我|跟我|对我|叫我|在回答|在回复|加|使用|推荐).{2,}"
    r"|(?:请|你)?(?:给我|帮我)?(?:写|做|回答|解释|翻译|推荐|画|查)[^，。]{0,10}(?:的时候|时)[，,]?(?:请|都|要|就|记得|尽量|不要|别)*(?:用|使用|以|给|先|加|写|按|避开|别|不要).{1,}"
    r"|(?:请|你)?用(?:中文|英文|简体中文|繁体中文|日语|英语|法语|德语)(?:来)?(?:回答|回复|写|跟我|和我|交流|说).*"
    r"|我(?:希望|想要|要求)(?:你|您)(?:以后|总是|始终|每次|都|一直).{3,}"
    r")$",
    re.DOTALL,
)
PROCEDURE = lazy_regex(
    r"^\W*(?:请|记住|你)?(?:每次|每当|当|在|如果)?(?P<trigger>.{2,40}?)(?:(?:的时候|之前|之后|时|前|后|的流程是?|的步骤是?|流程|步骤)[，,：:]\s*|(?:的时候|之前|之后)(?=首?先))(?:请|你|要|应该|都)*"
    r"(?P<steps>(?:首先|先).{2,200}?(?:再|然后|接着|之后|随后).{2,200})$",
    re.DOTALL,
)
LISTED = lazy_regex(
    r"^\W*(?!(?:请|帮|给我|麻烦|看|检查|解释|说明|介绍|分析|评价|优化|改进|总结|翻译|列|写|按|以下|上面|下面))"
    r"(?P<trigger>[^：:\n？?，。]{2,24}?)的?(?:流程|步骤|做法|方法)(?:是|如下)?[：:]\s*(?P<steps>1[.、．)）][^？?]+)",
    re.MULTILINE,
)
"""A way of doing something whose steps have numbers, in one line or in one each."""
NEXT_STEP = lazy_regex(r"[，,；;。]?\s*(?:再|然后再?|接着再?|之后再?|随后|最后再?|其次)")


def is_done(step: str) -> bool:
    """Tell whether a step is what happened once: 坐了公交."""
    return "了" in step[1:3]


def may_be_called(name: str) -> bool:
    """Tell whether somebody may want to be called so: 叫我起床 asks for something else."""
    return name[0] in "小老阿" or not any(word.tag[:1] in "vrdpl" for word in tagged(name))


CALLED = ("称呼", "用户希望被称为{}")
