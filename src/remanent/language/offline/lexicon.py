"""Word tables of two languages, made by hand: synonyms, opposites, values that exclude each other, attributes.

Entries are parted by semicolons; an underscore joins the words of a phrase. What the rules reach with them on texts
that nobody here wrote is measured by `bench.language_texts` and `bench.conflicts`; single tables were not left out.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from remanent.bilingual import Language
from remanent.lightweight import dataclass
from remanent.text.words import stem as _stem

stem = lru_cache(maxsize=20_000)(_stem)

_EN_SYNONYMS = """
begin start commence; big large huge enormous giant; small little tiny; child kid toddler; man guy gentleman fellow
male; woman lady female; person people human individual somebody someone; buy purchase; beautiful pretty gorgeous; end
finish complete conclude; error bug defect fault; fast quick rapid speedy; fix repair; flat apartment; receive obtain;
go travel; help assist; holiday vacation; home house; look watch see view observe gaze stare; near close_to beside
next_to; need require; company firm employer; photo picture photograph; car automobile; bike bicycle cycle; street
road; shop store; speak talk chat converse; tell inform; think believe; try attempt; use utilise utilize; want wish;
whole entire; wrong incorrect; rock stone; sea ocean; sofa couch; cap hat; outside outdoors outdoor; inside indoors
indoor; smile grin; jump leap hop; throw toss; shirt t-shirt; film movie; meal dish; team crew; doctor physician;
lawyer attorney; boss supervisor; spouse partner; rent lease; city town; mobile cellphone phone; price cost; mail email
e-mail; rarely seldom hardly_ever scarcely; nearly almost; often frequently; maybe perhaps possibly; alone by_oneself;
expect anticipate; contain include; permit allow let; forbid prohibit ban; choose select pick; show display; delete
remove erase; make create; build construct erect; join enter; licence license; colour color; favourite favorite;
organise organize arrange plan schedule; programme program; centre center; wed marry; happen occur
take_place; lead led leader; own owner; write author; headquarters head_office main_office
"""

_EN_STRICT = """
enable turn_on turned_on switch_on activate on | disable turn_off switch_off deactivate off; pass succeed success |
fail failure; open | close shut; win | lose; accept approve agree confirm grant endorse approval acceptance | reject
decline refuse disapprove veto deny turn_down rejection refusal; present here | absent; alive living | dead die
deceased; true correct right | false wrong; possible | impossible; legal lawful allowed permitted | illegal unlawful
forbidden prohibited banned; public | private; online up_and_running | offline down; full-time | part-time; include
cover | exclude; remember | forget; find | lose; guilty | innocent; lock | unlock; safe | dangerous unsafe; visible |
hidden invisible; free gratis | paid; awake | asleep sleep; same identical equal | different; temporary | permanent;
required mandatory compulsory obligatory | optional voluntary; alone solitary | together crowd group; empty vacant |
full occupied crowded; ready | unready; keep retain | drop discard abandon; active | inactive dormant; finish complete
done | unfinished incomplete ongoing pending; available | unavailable sold_out; busy | free idle; dressed clothed |
naked nude; indoors inside indoor | outdoors outside outdoor garden backyard; moving | still motionless stationary;
silent quiet | loud noisy; local | remote; manual | automatic; odd | even
"""

_EN_CONTRARY = """
like love enjoy adore fond favour appreciate ~ dislike hate detest loathe despise; hot warm ~ cold cool chilly
freezing; big large tall huge ~ small tiny little short; old elderly aged ~ young; new modern ~ old ancient outdated;
happy glad cheerful joyful smile laugh ~ sad unhappy miserable upset cry frown angry; fast quick ~ slow; rich wealthy ~
poor; early ~ late; high ~ low; long ~ short; heavy ~ light; strong ~ weak; easy simple ~ hard difficult; good great
excellent ~ bad terrible awful poor; cheap inexpensive ~ expensive costly; dry ~ wet soaked; clean ~ dirty filthy; dark
~ light bright; sunny ~ rainy snowy cloudy; day daytime ~ night; increase rise grow raise gain ~ decrease fall shrink
reduce drop lose decline; before ~ after; first ~ last; north northern ~ south southern; east eastern ~ west western;
push ~ pull; love ~ hate; friend ~ enemy; healthy well ~ sick
ill unwell; calm ~ nervous anxious; arrive come ~ leave depart go; always ~ never rarely; most ~ few; more ~ less
fewer; thin slim ~ fat thick; deep ~ shallow; wide broad ~ narrow; near ~ far; support ~ oppose; trust ~ distrust; buy
~ sell; borrow ~ lend; laugh ~ cry; ascend climb ~ descend; introvert ~ extrovert; optimistic ~ pessimistic; left ~
right; north ~ south; east ~ west; up ~ down; morning ~ evening; sleep ~ work; stable ~ unstable flaky
"""

_EN_GROUPS = """
colour: red / blue / green / yellow / orange / purple violet / pink / brown / black / white / grey gray / teal / navy
/ beige / gold golden / silver / maroon / turquoise; sex: man boy father son brother uncle grandfather husband king /
woman girl mother daughter sister aunt grandmother wife queen; posture: sit / stand / lie lay sleep nap asleep / kneel
/ walk stroll march / run jog sprint / swim / fly / crawl; doing: eat dine / sleep nap asleep / read / dance / sing /
cook bake / swim / paint draw / fish / drive / shop / study / fight wrestle box / ski snowboard / surf / climb / skate
skateboard / cycle bike / pray / knit sew / bath shower / sunbathe / drown / camp / hike / hunt / film / vacuum /
argue / juggle / golf; day_part: morning / noon midday / afternoon / evening / night midnight; season: spring
springtime / summer summertime / autumn / winter wintertime; weekday: monday / tuesday / wednesday / thursday / friday
/ saturday / sunday; setting: beach shore / mountain cliff / street / park playground / restaurant cafe diner /
kitchen / office / school classroom / church / mall shop supermarket / home bedroom bed couch living_room / pool /
forest woods jungle / desert / farm / train subway / bus / airport / hospital / library / gym / stadium / lake / river
/ bar pub / museum / zoo / garage / bathroom bathtub / theater theatre cinema / cave / moon / prison jail / bank /
factory; animal: dog puppy / cat kitten / horse / bird / fish / cow / elephant / monkey / sheep / pig / lion / tiger /
bear / rabbit; vehicle: car / bus / train / bike / motorcycle motorbike / boat ship / plane airplane / truck / scooter
/ tram / ferry / subway; meal: breakfast / lunch / dinner supper; drink: tea / coffee / beer / wine / water / juice /
milk / chocolate; instrument: guitar / piano / violin / drum / flute / trumpet / cello / saxophone; sport: football /
soccer / basketball / baseball / tennis / golf / hockey / volleyball / rugby / cricket / chess; weather: sunny / rainy
rain / snowy snow / foggy; marital: single unmarried / marry / divorced / widowed; direction: left / right; compass:
north / south / east / west; job: nurse / doctor / teacher / lawyer / engineer / carpenter / pilot / chef cook /
waiter / artist / painter / musician / farmer / soldier / policeman / firefighter / plumber / dentist / journalist /
accountant / architect / programmer developer / scientist / translator / actor / student / manager / designer /
librarian / mechanic / electrician; diet: vegan / vegetarian / omnivore; nationality: american / chinese / japanese /
german / french / british / italian / spanish / indian / russian / canadian / brazilian / mexican / korean; continent:
asian / african / european; material: wood wooden / metal / plastic / glass / paper / leather / stone; mood: happy /
sad / angry / bored / scared; food: pizza / burger hamburger / salad / soup / sandwich / cake / ice_cream / pasta
spaghetti / steak / sushi / fruit; crowd: alone / crowd group; tool: hammer / knife / brush / gun / sword; state:
draft / review / published / archived; theme: dark / light; age: baby infant / teenager / adult / elderly
"""

_EN_ATTRIBUTES = """
residence: live reside base dwell home settle relocate apartment resident move; employer: work_at work_for employ
employer job; job: work_as job profession occupation career for_a_living earn_a_living earn_my_living earn_his_living
earn_her_living earn_their_living make_a_living make_my_living make_his_living make_her_living; birthplace: birthplace
native born into_the_world; birthday: birthday birthdate born birth into_the_world; name: call name nickname
answer_to_the_name; age: age aged turn old; weight: weigh weight; height: height; spouse: marry spouse husband wife
wed; leader: lead leader manage manager owner own captain chair responsible; database: database data store storage;
language: language write written implement; venue: in_the_city in_the_town venue location hold happen locate situate
seat; date: date schedule day hold happen fight strike move postpone reschedule; deadline: deadline due finish done
hand_in submit turn_in; launch: launch go_live release ship; price: price cost charge fee rent pay budget admission
ticket fare spend spent entry; port: port listen; timeout: timeout time_out give_up; dose: dose take; major: major
study student; commute: commute go_to_work get_to_work way_to_work office; expiry: expire valid expiry; joined: join
start first_day; favourite: favourite best; size: size member team staff employee employ workforce; river: river span
cross; material: built_of made_of built_from made_from material; duration: last duration take; length: length long
measure; width: width wide; depth: depth deep; area: area cover; publication: publish publication appear; altitude:
altitude elevation sea_level above_sea above_the_sea; diameter: diameter; population: population inhabitant resident;
visitors: visitor visit attendance audience; capacity: capacity seat accommodate; speed: speed; revenue: revenue
turnover sales earn income; headquarters: headquarter base seat; holdings: collection holding own hold possess exhibit
object; founding: founded founding build establish exist foundation establishment; opening: open opening inauguration
inaugurate; operation: begin_its_work start_its_work start_working begin_working at_work; drink: drink; color: colour;
version: version; branch: branch; salary: salary earn wage; school: school elementary kindergarten college university
pupil enrol enroll; boss: report_to answer_to boss supervisor; timezone: timezone; flight: flight fly plane; blood:
blood; death: die death dead
"""

# Verbs by which the subject of an English sentence is told from what is said of it; the segmenter knows Chinese ones.
_EN_VERBS = """
accept add advise agree allow answer apply approve arrive ask attend avoid bake be become begin believe belong book
born borrow break bring build buy call cancel care carry catch celebrate change charge check choose clean climb close
collect come commute complete confirm connect contain continue cook cost cover create cry cut cycle dance decide
decline delete depend deploy design die dislike draw drink drive earn eat employ end enjoy enter exist expect expire
explain fail fall feel fight fill find finish fix fly follow forget found gain get give go graduate grow handle hang
happen hate have hear help hide hike hit hold hope host include increase invite join jump keep kick kill know lack land
last laugh launch lead learn leave lend let lie like listen live look lose love make manage marry mean measure meet
mention miss move name need offer open operate order organise own paint park pass pay perform plan play post prefer
prepare produce promise provide publish pull push put quit raise read receive recommend record reduce refuse reject
release rely relocate remain remember remove rent repair replace reply report require reside resign return ride rise
run say schedule see seem sell send serve set share ship shop show shut sign sing sit skip sleep smile smoke speak
spend stand start stay stop store study suffer suggest support swim switch take talk teach tell think throw time travel
try admire appear appoint attract beat border broadcast coach compose conduct consist control count cross date defeat
describe develop direct display divide dominate edit elect encourage enlarge establish examine exceed exhibit expand
explore export express extend face feature finance flow form govern guard head honour house hunt import improve
influence inhabit inherit inspire install invent invest link locate lower maintain mark market mine monitor number
observe occupy oppose originate oversee possess praise preserve print protect prove purchase reach rebuild reopen
represent rescue respect restore retain reveal rule score seat secure separate settle situate span specialise sponsor
star stretch succeed supervise supply surround sustain target test total trade train translate treat unite value
welcome worship turn type understand update use visit wait wake walk want wash watch wear weigh win wish work worry
write
"""

_ZH_SYNONYMS = """
开始 启动 着手; 结束 完毕 终止; 喜欢 喜爱 爱 热爱 爱好 钟爱 偏爱 爱吃; 讨厌 厌恶 反感 受不了 憎恨; 大 巨大 庞大; 小
微小; 孩子 小孩 儿童 儿女; 男人 男子 男性 男士 男的; 女人 女子 女性 女士 女的; 人 人们 大家; 买 购买 采购 购入; 错误
缺陷 故障 漏洞; 快 迅速 飞快; 修 修复 修理; 房子 住房 房屋 公寓; 得到 获得 取得; 假期 休假; 家 家里; 工作 任职 就职;
上班 上下班; 坐 乘 乘坐 搭 搭乘; 作者 所著 著; 看 观看 瞧 观察; 需要 须要 得; 公司 企业 单位; 照片 相片; 汽车 轿车
小汽车; 自行车 单车; 商店 店铺 店; 说 讲 谈 说话 讲话; 告诉 告知 通知; 认为 觉得 以为; 使用 采用 用 利用 运用; 想
想要 希望 愿意 愿; 方法 办法 方式; 全部 所有 一切 全; 父亲 爸爸 爸; 母亲 妈妈 妈; 哥哥 兄长; 丈夫 老公; 妻子 老婆
太太; 医生 大夫; 老师 教师; 律师 法律顾问; 房租 租金 月租; 城市 都市; 手机 移动电话; 价格 价钱 售价 费用; 邮件 邮箱
电子邮件; 很少 极少 几乎不; 经常 常常 时常 总是 一直 老是; 可能 也许 或许; 删除 移除 去掉; 制作 制造 做; 加入 入职;
进入 进; 居住 住 住在 定居 家住; 位于 坐落 处于 在; 出生 诞生 生于 出生地; 举行 举办 召开 进行; 负责 主管 负责人
主管人; 安排 计划 预定 定于 定在; 截止 最晚 到期 截止日期; 名字 姓名 名 取名 取名叫 取名为 起名 起名叫 起名为 改名
改名叫 改名为 叫 叫做 名叫; 会 能 能够 可以 可; 完成 做完 完工 完 搞定; 同意 赞成 赞同 答应 愿意; 拒绝 回绝 婉拒;
批准 通过 核准; 确认 确定; 增加 上升 提高 增长 上涨 提升; 减少 下降 降低 下跌 下滑; 重要 关键 要紧; 漂亮 美丽 好看;
高兴 开心 快乐 愉快; 结婚 已婚 成婚 结了婚; 签 签署 签订 签字; 抽烟 吸烟; 喝酒 饮酒; 偏爱 偏好 更喜欢; 最喜欢 最爱
最喜爱; 难过 伤心 悲伤; 毕业 结业; 死 死亡 去世 逝世 过世 遇难 罹难 丧生 身亡;
 知道 晓得 知晓 了解 清楚; 早上 早晨 清晨 上午; 晚上 夜晚
夜里 夜间; 现在 目前 如今 眼下 当前; 以前 从前 过去 曾经 曾; 中国 我国; 日志 日志记录; 规模 大小; 年龄 岁数; 体重
重量 重; 上线 发布; 延迟 耽搁
"""

_ZH_STRICT = """
开启 打开 启用 开 | 关闭 关 禁用 停用 关掉; 通过 成功 | 失败 落榜; 赢 胜利 胜 | 输 败 失利; 同意 赞成 批准 接受 支持
愿意 通过 | 拒绝 反对 否决 驳回; 活 活着 健在 | 死 死亡 去世; 真 正确 对 真实 | 假 错误 错 虚假; 可能 | 不可能; 合法 |
非法 违法; 公开 | 私密 保密; 在线 上线 | 离线 下线; 全职 | 兼职; 包括 包含 | 排除 不含; 营业 开门 开业 开馆 开园 开放
| 休息 关门 停业 歇业 打烊 闭馆 闭园 闭店; 记得 记住 | 忘记 忘; 存在 有 | 缺乏 缺少 没有; 有罪 | 无罪; 安全 | 危险;
必须 强制 | 可选 自愿; 空 空置 | 满 坐满; 一样 相同 相等 | 不同 相反 两样; 完成 做完 完工 结束 | 未完成 进行中; 知道
清楚 了解 | 不知 不知道; 能 会 可以 | 不能 没法 无法 不会; 禁止 不准 不许 | 允许 准许 可以; 有 | 没有 无 没; 室内 屋里
屋内 | 室外 户外 屋外 露天 花园 花园里 院子 院子里; 独自 一个人 单独 | 一起 共同; 收费 | 免费; 男 男性 男人 男的 | 女
女性 女人 女的; 继续 坚持 | 停止 放弃 终止 取消 中断; 成年 | 未成年; 睡着 睡觉 | 醒 醒着; 国营 国有 | 私营 民营 私有;
国内 | 国外 境外; 主动 | 被动; 一致 统一 | 分歧; 公立 | 私立; 出席 到场 参会 | 缺席; 城市 | 农村 乡下; 专业 | 业余
"""

_ZH_CONTRARY = """
喜欢 爱 喜爱 热爱 ~ 讨厌 恨 厌恶 反感 嫌弃; 热 炎热 暖 温暖 ~ 冷 寒冷 凉; 大 巨大 ~ 小 微小; 多 很多 许多 大量 众多
不少 ~ 少 很少 少量 极少 寥寥; 新 ~ 旧 老; 老 年老 ~ 年轻 年幼; 高兴 开心 快乐 ~ 难过 伤心 悲伤 生气 愤怒 痛苦; 快 迅速
~ 慢 缓慢; 富 富裕 有钱 富有 ~ 穷 贫穷 贫困; 早 ~ 晚; 高 ~ 低 矮; 长 ~ 短; 重 ~ 轻; 强 强大 ~ 弱 弱小; 容易 简单 ~ 困难
难 复杂; 好 优秀 良好 不错 ~ 坏 差 糟糕 恶劣; 便宜 ~ 贵 昂贵; 干净 ~ 脏; 干 干燥 ~ 湿 潮湿; 亮 明亮 ~ 暗 黑暗; 白天 ~
晚上 夜里; 增加 增长 上升 提高 上涨 扩大 提升 升高 发展 ~ 减少 下降 降低 下跌 缩小 衰退 倒退 下滑; 之前 以前 前 ~ 之后
以后 后; 第一 首 ~ 最后 末; 朋友 ~ 敌人; 健康 ~ 生病 患病; 来 到达 ~ 走 离开; 总是 经常 一直 ~ 从不 从未 从来不; 胖 ~
瘦; 深 ~ 浅; 宽 ~ 窄; 近 ~ 远; 支持 ~ 反对; 信任 相信 ~ 怀疑; 买 ~ 卖; 笑 ~ 哭; 左 ~ 右; 南 ~ 北; 东 ~ 西; 上 ~ 下;
积极 乐观 ~ 消极 悲观; 重视 ~ 忽视 轻视 不管; 满意 ~ 不满; 熟悉 认识 ~ 陌生; 盈利 赚钱 赚 ~ 亏损 亏 赔钱; 表扬 称赞
赞扬 ~ 批评 指责; 稳定 ~ 动荡 波动; 先进 ~ 落后; 聪明 ~ 笨 愚蠢; 勇敢 ~ 胆小 害怕; 热闹 ~ 冷清; 美 漂亮 ~ 丑; 关心 ~
漠不关心 冷漠; 成功 ~ 失败; 繁荣 ~ 萧条; 全部 都 所有 ~ 部分 个别; 欢迎 ~ 排斥; 节约 ~ 浪费
"""

_ZH_GROUPS = """
颜色: 红 红色 / 蓝 蓝色 / 绿 绿色 / 黄 黄色 / 橙色 / 紫色 / 粉色 粉红色 / 棕色 褐色 / 黑 黑色 / 白 白色 / 灰色 / 金色 /
银色 / 米色 / 天蓝色; 性别: 男 男人 男孩 男生 父亲 儿子 哥哥 弟弟 爷爷 丈夫 叔叔 / 女 女人 女孩 女生 母亲 女儿 姐姐
妹妹 奶奶 妻子 阿姨; 姿势: 坐 坐着 / 站 站着 / 躺 躺着 / 跪 / 走 走路 散步 / 跑 跑步 / 睡 睡觉 / 游泳 / 飞; 时段: 早上
早晨 / 中午 / 下午 / 晚上 夜里 / 凌晨; 季节: 春天 春季 / 夏天 夏季 / 秋天 秋季 / 冬天 冬季; 星期: 周一 星期一 礼拜一 /
周二 星期二 礼拜二 / 周三 星期三 礼拜三 / 周四 星期四 礼拜四 / 周五 星期五 礼拜五 / 周六 星期六 礼拜六 / 周日 星期日
星期天 周天 礼拜天; 动物: 狗 / 猫 / 马 / 鸟 / 鱼 / 牛 / 羊 / 猪 / 兔子 / 老虎 / 狮子; 交通: 汽车 开车 / 公交车 / 火车 /
自行车 / 摩托车 / 船 / 飞机 / 地铁 坐地铁 / 高铁 / 轮渡 / 班车; 餐: 早饭 早餐 / 午饭 午餐 / 晚饭 晚餐; 饮料: 茶 绿茶
红茶 / 咖啡 / 啤酒 / 白酒 / 水 / 果汁 / 牛奶 / 豆浆; 乐器: 吉他 / 钢琴 / 小提琴 / 鼓 / 笛子 / 大提琴 / 二胡; 运动: 足球
/ 篮球 / 网球 / 排球 / 乒乓球 / 羽毛球 / 游泳 / 围棋; 天气: 晴 晴天 / 下雨 雨天 / 下雪 雪天 / 多云; 婚姻: 单身 未婚 /
已婚 结婚 / 离婚 离异; 血型: A型 / B型 / AB型 / O型; 职业: 护士 / 医生 / 老师 / 律师 / 工程师 / 木匠 / 飞行员 / 厨师 /
服务员 / 画家 / 歌手 / 农民 / 士兵 / 警察 / 消防员 / 记者 / 会计 / 建筑师 / 程序员 / 科学家 / 翻译 / 演员 / 学生 / 经理
/ 设计师 / 司机 / 校长; 学历: 小学 / 初中 / 高中 / 本科 / 硕士 / 博士; 国籍: 中国人 / 美国人 / 日本人 / 德国人 / 法国人
/ 英国人 / 韩国人 / 俄罗斯人; 方位: 东 东部 东面 / 西 西部 西面 / 南 南部 南面 / 北 北部 北面; 方位角:
东北部 东北面 东北方 / 东南部 东南面 东南方 / 西北部 西北面 西北方 / 西南部 西南面 西南方; 主题: 深色 / 浅色; 国家:
中国 / 美国 / 日本 / 德国 / 法国 / 英国 / 韩国 / 俄罗斯 / 加拿大 / 澳大利亚 / 印度; 所有制: 国营 国有 / 私营 民营 /
外资
"""

_ZH_ATTRIBUTES = """
residence: 居住 定居 搬家 搬 家 住在 搬到; job: 职业 谋生 改行 转行 工作; employer: 工作 就职 任职 上班; birthplace:
出生 出生地 祖籍; birthday: 生日 出生 出生日期 过生日 诞辰; name: 名字 叫 取名; age: 年龄 岁; weight: 体重; height:
身高 高 高度 树高 株高 楼高; spouse: 配偶 结婚 结了婚 丈夫 妻子 爱人; designer: 设计者 设计师 设计人 设计 建筑师;
leader: 负责 负责人 主管 领导 接管 带队; database: 数据库 数据 存放; language: 语言 写 开发 编写; venue: 地点 举行
位于 所在地 所在 地址 坐落 地处 设在 建在 位置; date: 日期 举行 安排; deadline: 截止 完成 交付 交 提交 上交 递交
交稿; launch: 上线; price: 价格 租金 房租 租房 预算 收费 学费 门票 票价 门票价格 造价 花费 花 要花 要付 付 耗资 投资
总投资 成本; port: 端口 监听; timeout: 超时 超时时间; dose: 剂量 服用; major: 专业 主修 攻读; commute: 上班; expiry:
到期 有效期; joined: 加入; favourite: 最喜欢 最爱; size: 团队 规模 人数 个人; staff: 员工 职工 雇有 雇员 雇用 雇佣
工作人员 人员 员工人数 总人数 员工总数; visitors: 观众 游客 参观 参观者 接待 客流 客流量 观众人数; length: 长度 全长
总长 总长度 长 体长 身长; distance: 距 距离 相距 路程 距离为; capital: 注册资本 资本 资金 出资; width: 宽度 宽;
depth: 深度 深 水深; pages: 页数 页; publication: 出版 发行 发表 问世 首播 播出 上映 推出 首演; area: 面积 占地
占地面积; altitude: 海拔 高程 海拔高度; diameter: 直径 口径; population: 人口 居民; capacity: 容量 容纳 座位 席位;
speed: 速度 时速; revenue: 收入 年收入 营收 营业额 年营业额 销售额; headquarters: 总部 总公司; holdings: 藏品 馆藏
收藏 展品; river: 河流 河 江 横跨 跨越 跨 跨过 横贯; founding: 成立 创办 创立 创建 建立 始建 建 建于 始建于 成立于
创办于 设立 建校 建城 修建 兴建 建造 建成 落成 动工 开工; operation: 启用 投用 运行 运营 投入使用 投入运行 开始
开始运行; opening: 通车 开通 开馆 开放 开业 对外开放; duration: 时长 持续 为时; drink: 喝 饮料; branch: 分支;
salary: 工资 月薪 薪水; version: 版本; flight: 航班 飞 飞往 飞机; blood: 血型 血; death: 死; school: 上学 小学 中学
大学 幼儿园 就读; boss: 汇报 上司 领导
"""


# What a class of things holds: who has no drug allergies is not allergic to penicillin.
_EN_CLASSES = """

drug medication medicine: penicillin amoxicillin ampicillin cephalosporin aspirin ibuprofen paracetamol acetaminophen
codeine morphine naproxen sulfa sulfonamide sulfonamides erythromycin tetracycline doxycycline vancomycin insulin
metformin lidocaine; antibiotic: penicillin amoxicillin ampicillin cephalosporin erythromycin tetracycline doxycycline
vancomycin; food: peanut peanuts nuts milk egg eggs shellfish shrimp prawns fish wheat soy sesame strawberries;
seafood shellfish: shrimp prawn prawns crab lobster oysters mussels; meat: beef pork lamb chicken bacon ham sausages
steak; alcohol: beer wine whisky whiskey vodka gin rum champagne; pet animal: dog dogs cat cats rabbit hamster parrot;
child children: son sons daughter daughters; sibling: brother brothers sister sisters; instrument: piano guitar violin
cello flute drums trumpet; fruit: apples bananas oranges grapes strawberries mangoes; vehicle: car cars motorbike
motorcycle van truck
"""
_ZH_CLASSES = """

药物 药品 药: 青霉素 头孢 阿莫西林 氨苄西林 阿司匹林 布洛芬 对乙酰氨基酚 磺胺 红霉素 链霉素 庆大霉素 四环素 左氧氟沙星
普鲁卡因 利多卡因 吗啡 可待因 胰岛素 二甲双胍 碘造影剂; 抗生素: 青霉素 头孢 阿莫西林 氨苄西林 红霉素 链霉素 庆大霉素
四环素 左氧氟沙星; 食物 食品: 花生 坚果 牛奶 鸡蛋 海鲜 虾 螃蟹 小麦 大豆 芒果 芝麻; 海鲜: 虾 螃蟹 大闸蟹 生蚝 扇贝
鱿鱼; 肉 肉类: 牛肉 羊肉 猪肉 鸡肉 鸭肉 排骨 牛排; 酒: 啤酒 白酒 红酒 黄酒 葡萄酒 米酒 威士忌; 宠物: 狗 猫 兔子 仓鼠
鹦鹉; 孩子 子女 小孩: 儿子 女儿; 乐器: 钢琴 吉他 小提琴 大提琴 二胡 古筝 笛子 琵琶; 外语: 英语 日语 法语 德语 俄语
韩语 西班牙语; 水果: 苹果 香蕉 橘子 葡萄 草莓 芒果 西瓜; 慢性病 基础病 基础疾病: 高血压 糖尿病 冠心病 哮喘 慢阻肺
"""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The tables of one language by keys: stems in English, words in Chinese."""

    synonyms: dict[str, str]
    """A word to the one that stands for all that mean the same."""
    polar: dict[str, dict[str, int]]
    """A word to the matters that it says yes or no to: 1 and -1, or 2 and -2 where one of the two always holds."""
    groups: dict[str, dict[str, int]]
    """A word to the sorts of values that it is one of, of which a thing has one at a time, and the value's number."""
    attributes: dict[str, frozenset[str]]
    """A word to the attributes that it may speak of."""
    phrases: frozenset[tuple[str, ...]]
    """English words of several parts that count as one."""
    classes: dict[str, re.Pattern[str]]
    """A class to the words for what it holds."""


# Somebody beside the one that is spoken of: what is said of a brother is not said of his sister.
RELATIVES = frozenset(
    "brother sister mother father son daughter husband wife friend neighbour colleague boss uncle aunt cousin partner "
    "roommate assistant parent child successor predecessor rival dog cat "
    "哥哥 弟弟 姐姐 妹妹 母亲 父亲 儿子 女儿 丈夫 妻子 朋友 邻居 同事 老板 叔叔 阿姨 "
    "表哥 表姐 爷爷 奶奶 室友 助理 父母 孩子 房东 同学 上司 搭档 对手 狗 猫 爱人".split()
)


LANDS = frozenset(
    name.replace("_", " ")
    for name in (
        "afghanistan albania algeria argentina armenia australia austria azerbaijan bangladesh belarus belgium bolivia "
        "brazil britain great_britain bulgaria cambodia cameroon canada chile china colombia croatia cuba cyprus "
        "czechia czech_republic denmark ecuador egypt england estonia ethiopia finland france georgia germany ghana "
        "greece hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya "
        "latvia lebanon libya lithuania luxembourg malaysia malta mexico mongolia morocco myanmar nepal netherlands "
        "new_zealand nigeria north_korea northern_ireland norway pakistan peru philippines poland portugal romania "
        "russia saudi_arabia scotland senegal serbia slovakia slovenia south_africa south_korea soviet_union spain "
        "sri_lanka sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine united_kingdom uk "
        "united_states united_states_of_america usa us uruguay uzbekistan venezuela vietnam wales europe asia africa "
        "alabama alaska arizona california colorado florida hawaii illinois indiana iowa kansas kentucky louisiana "
        "maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada new_england "
        "new_jersey new_mexico north_carolina ohio oklahoma ontario oregon pennsylvania quebec south_carolina "
        "tennessee texas utah vermont virginia wisconsin wyoming bavaria catalonia "
        "中国 美国 日本 德国 法国 英国 韩国 俄罗斯 加拿大 澳大利亚 印度 意大利 西班牙 荷兰 瑞典 挪威 瑞士 奥地利 巴西 "
        "埃及 泰国 越南 新西兰 英格兰 苏格兰 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 "
        "广东 海南 四川 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆"
    ).split()
)
"""Lands and provinces: who was born in one of them was born in a town of it, too."""


@cache
def verbs() -> frozenset[str]:
    """Return the stems of English verbs."""
    return frozenset(stem(verb) for verb in _EN_VERBS.split())


@cache
def lexicon(language: Language) -> Lexicon:
    """Return the tables of a language, read when they are first needed."""
    if language == "zh":
        return _read(_ZH_SYNONYMS, _ZH_STRICT, _ZH_CONTRARY, _ZH_GROUPS, _ZH_ATTRIBUTES, classes=_ZH_CLASSES, key=str)
    return _read(_EN_SYNONYMS, _EN_STRICT, _EN_CONTRARY, _EN_GROUPS, _EN_ATTRIBUTES, classes=_EN_CLASSES, key=stem)


def _read(
    synonyms: str,
    strict: str,
    contrary: str,
    sorts: str,
    attribute_words: str,
    *,
    classes: str,
    key: Callable[[str], str],
) -> Lexicon:
    """Read the tables of one language into what comparisons look up, each word brought to its stem first; done once,
    and only for a language that is met.
    """

    def plain(text: str) -> list[str]:
        return [" ".join(key(part) for part in word.split("_")) for word in text.split()]

    same = {word: entry[0] for text in synonyms.split(";") for entry in [plain(text)] for word in entry}

    def keys(text: str) -> list[str]:
        return [same.get(word, word) for word in plain(text)]

    polar = _polar(strict, contrary, keys)
    values: dict[str, dict[str, int]] = {}
    for name, words in _named(sorts):
        for number, part in enumerate(words.split("/")):
            for word in keys(part):
                values.setdefault(word, {})[name] = number
    spoken: dict[str, set[str]] = {}
    for name, words in _named(attribute_words):
        # As it is written, too: in a Chinese text words are looked for as they stand.
        for word in {*keys(words), *plain(words)}:
            spoken.setdefault(word, set()).add(name)
    attributes = {word: frozenset(names) for word, names in spoken.items()}
    every = {*same, *polar, *values, *spoken}
    border = r"\b" if key is not str else ""
    held = {
        same.get(key(word), key(word)): re.compile(
            border + "(?:" + "|".join(sorted(words.split(), key=len, reverse=True)) + ")" + border
        )
        for names, words in _named(classes)
        for word in names.split()
    }
    phrases = frozenset(tuple(word.split()) for word in every if " " in word)
    return Lexicon(same, polar, values, attributes, phrases, held)


def _polar(strict: str, contrary: str, keys: Callable[[str], list[str]]) -> dict[str, dict[str, int]]:
    polar: dict[str, dict[str, int]] = {}
    for table, mark, weight in ((strict, "|", 2), (contrary, "~", 1)):
        for entry in table.split(";"):
            yes, _, no = entry.partition(mark)
            matter = f"{keys(yes)[0]}/{keys(no)[0]}"
            for side, sign in ((yes, weight), (no, -weight)):
                for word in keys(side):
                    polar.setdefault(word, {})[matter] = sign
    return polar


def _named(table: str) -> Iterator[tuple[str, str]]:
    for entry in table.split(";"):
        name, _, words = entry.partition(":")
        yield name.strip(), words


def other_word(word: str) -> str | None:
    """Return a word that means the same, if the tables know one."""
    return _others().get(word.casefold())


@cache
def _others() -> dict[str, str]:
    others: dict[str, str] = {}
    for entry in (*_EN_SYNONYMS.split(";"), *_ZH_SYNONYMS.split(";")):
        words = [word.replace("_", " ") for word in entry.split()]
        for place, word in enumerate(words):
            others.setdefault(word, words[place - 1] if place else words[1])
    return others
