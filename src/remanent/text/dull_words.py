"""Words that fill a sentence and name nothing: a key phrase neither begins nor ends with them."""

from remanent.text.english import stem
from remanent.text.wordlists import word_set

_VERBS = """
achieve address adopt aim allow analyse analyze apply appreciate argue ask assess assume attempt base become begin
believe bet bring buy call cause choose claim come compare concern conclude consider construct contain cover create
deal decide define demonstrate depend derive describe determine develop differ discover discuss employ enable enhance
enjoy ensure establish evaluate examine exist expect explain exploit explore extend extract face facilitate feel find
focus follow gain generate get give go grow guess handle hear help highlight hold hope identify illustrate implement
imply improve include increase indicate infer intend introduce investigate involve keep know lack lead learn let link
look love maintain make maximize mean meet mention minimize move need note observe obtain occur offer optimize
outperform overcome perform play pose predict prefer present preserve prevent produce propose prove provide put
receive recommend reduce refer regard rely remain remember replace represent require respond result reveal satisfy say
see seek seem select serve share show simplify solve sound specify start stay suffer suggest take talk tell tend thank
think treat try turn understand use utilize vary verify visit wait want wish wonder work write yield
"""
# The same letters as one of the verbs, but more often the name of something.
_NOUNS = word_set("""
    call calls cause causes cover face faces focus learning link links meeting planning play processing result results
    start talk talks test tests understanding use uses visit work works
""")
_FILLERS = """
able across actually again almost along already although always amazing among amongst anymore anyone anything anyway
apart away awesome awhile back bad basically best better bit bye certain clearly completely congrats congratulations
cool crazy currently cute dear definitely despite different dr due easily eg eight especially etc even eventually
everyone everything exactly example existing far fast few finally fine first five four fully fun funny further
furthermore generally glad good great guess haha happy hard hello hence hey highly hmm honestly however ie immediately
indeed instead kind later latter least less literally lol long lot lots mainly mean merely moreover mostly mr mrs ms
namely nearly necessary never nevertheless new next nice nine nobody nope normally nothing novel number numbers
obviously often oh ok okay omg one particular particularly per perhaps possible possibly pretty probably prof quickly
quite rather recent recently respectively same second sense seven several significantly similar simply since sir six
slightly somehow someone something sometimes soon sorry sort specifically still stuff such super sure ten thank thanks
therefore third three thus today together tomorrow tonight toward towards true truly two typically ugh unable usually
various versus very via vs way ways welcome well whereas whole whose wonderful wow yay yeah yep yesterday yet yup
"""
# Fine inside a phrase ("state of the art method"), dull alone and at its ends.
_PALE = """
abstract approach approaches area areas article articles aspect aspects author authors basic basis case cases chance
common complex conclusion conclusions current day days early effective efficient entire experiment experimental
experiments fact figure full future general high idea ideas important interesting introduction issue issues item items
key large last late low main major method methods month months overall paper papers part parts past people person
place point points potential present previous problem problems question questions real research result results section
set sets significant simple small special specific studies study table term terms thing things time times total type
types typical useful week weeks year years
"""

VERB_STEMS = frozenset(stem(verb) for verb in _VERBS.split())
NAMING_VERBS = _NOUNS
FILLERS = word_set(_FILLERS)
PALE = word_set(_PALE)

CHINESE_PALE = word_set("""
    不同 东西 个人 主要 之间 事情 介绍 企业 优势 优点 作用 信息 全部 公司 其实 其次 内容 分析 利用 功能 包括 单位 参数
    变化 各种 同时 因素 国内外 国家 地区 地方 基于 基础 增加 大小 好处 学习 实例 实现 实验 对比 对象 工作 左右 建立
    建议 开始 形式 影响 思路 性能 患者 情况 感觉 手段 技术 指出 措施 提出 提高 效果 数据 数量 整体 文献 文章 方式 方法
    方面 时候 时间 有关 有效 朋友 期间 本文 机制 条件 案例 模型 模式 步骤 比较 水平 活动 特征 特点 状况 现有 现状 理论
    生活 病例 目前 目标 目的 相关 真的 知道 研究 社会 种类 程度 策略 系统 结束 结构 结果 结论 缺点 老实说 背景 能力
    至此 范围 表明 觉得 角度 认为 讨论 论文 设计 试验 说实话 说明 课题 调查 资料 趋势 过程 运用 还好 进一步 进行 途径
    采用 重要 针对 阶段 需求 项目 领域 首先
""")
