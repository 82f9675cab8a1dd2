"""Word lists: stop words, fillers, weak words and common words, written as prose between quotes and used as sets.

Chosen by hand, except for the common words, which are ordered by how often general English has them.
"""

from remanent.text.stemming import stem


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are parted by white space."""
    return frozenset(text.split())


# Stop words say nothing about what is looked for: a question is better off without them.
_ENGLISH_STOP_WORDS = """
a about after again all also although am an and any anybody anyone are arent around as at
be because been before being between both but by can cannot cant could couldnt did didnt do does doesnt doing done
dont down during each either else ever every for from further get gets getting got had hadnt has hasnt have havent
having he her here hers herself hey hi him himself his how i if im in into is isnt it its itself ive just let lets
like many may maybe me might mine more most much must my myself neither no nor not now of off oh ok okay on once one
only or other others our ours ourselves out over own please quite rather really same shall shant she should shouldnt
so some somebody someone something such tell than thank thanks that the their theirs them themselves then there
these they theyre theyve thing things this those though through to too under until up upon us very was wasnt we well
were werent weve what whatever when whenever where whether which while who whom whose why will with within without
wont would wouldnt yeah yes yet you your youre yours yourself yourselves youve
"""

_CHINESE_STOP_WORDS = """
的 地 得 了 着 过 是 在 有 和 与 及 或 而 且 但 也 都 就 才 又 还 很 太 更 最 只 不 没 没有 被 把 将 让 给 向 往 从
到 对 于 以 为 因 由 用 按 比 等 等等 之 其 所 者 这 那 哪 此 该 某 每 各 我 你 您 他 她 它 们 我们 你们 您们 他们
她们 它们 咱 咱们 自己 大家 别人 这个 那个 哪个 这些 那些 哪些 这里 那里 哪里 哪儿 这儿 那儿 这样 那样 怎样 怎么
怎么样 什么 甚么 啥 谁 何 几 多少 多 吗 呢 吧 啊 呀 哦 嗯 哈 嘛 啦 喔 么 请 请问 问 告诉 知道 一下 一个 一些 一种
一样 个 些 种 上 下 里 中 内 外 时 时候 后 前 之前 之后 以前 以后 以及 如果 因为 所以 但是 可是 不过 然后 而且 或者
虽然 还是 就是 只是 不是 可以 可能 能 能够 会 要 想 应该 需要 已经 正在 曾 曾经 刚 刚才 现在 为什么 如何 是否 是不是
有没有 叫 叫做 说 来 去 做 当 关于 根据 由于 对于 通过 那么 这么 非常 比较 真的 其中 其他 其它 另外 还有 也是 都是
我的 你的 他的 她的 它的 什么样 哪一 哪一个 哪位 哪种 何时 何地 何人 为何 為 為什麼 什麼 怎麼 這 這個 這些 這裡 那個
那裡 哪裡 們 我們 你們 他們 她們 個 沒 沒有 嗎 還 會 對 從 過 後 裡 說 來
"""

ENGLISH_STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS.split())
CHINESE_STOP_WORDS = frozenset(_CHINESE_STOP_WORDS.split())


# Verbs of ordinary and of academic prose, chosen by hand: they do something to a topic and are none.
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
# Words that fill a sentence and name nothing: a key phrase neither begins nor ends with them.
_FILLERS = """
able across actually again ahead ain't almost along already although always amazing among amongst anymore anyone
anything anyway apart away awesome awhile back bad basically best better bit btw bye certain clearly completely
congrats congratulations cool crazy currently cute dear definitely despite different dr due easily eg eight especially
etc even eventually everyone everything exactly example existing far fast few finally fine first five four fully fun
funny further furthermore generally glad gonna good gotta great guess haha happy hard hello hence hey highly hmm
honestly however ie immediately indeed instead kind kinda later latter least less literally lol long lot lots mainly
mean merely moreover mostly mr mrs ms namely nearly necessary never nevertheless new next nice nine nobody nope
normally nothing novel number numbers obviously often oh ok okay omg one oof particular particularly per perhaps
possible possibly pretty probably prof quickly quite rather recent recently respectively same second sense seven
several significantly similar simply since sir six slightly somehow someone something sometimes soon sorry sort
specifically still stuff such super sure ten thank thanks therefore third three thus today together tomorrow tonight
toward towards true truly two typically ugh unable usually various versus very via vs wanna way ways welcome well
whereas whole whose wonderful wow yay yeah yep yesterday yet yup
"""
# Fine inside a phrase ("state of the art method"), dull alone and at its ends.
_WEAK_WORDS = """
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
WEAK_WORDS = word_set(_WEAK_WORDS)

# The same for Chinese.
CHINESE_WEAK_WORDS = word_set("""
    不同 东西 个人 主要 之间 事情 介绍 企业 优势 优点 作用 信息 全部 公司 其实 其次 内容 分析 利用 功能 包括 单位 参数
    变化 各种 同时 因素 国内外 国家 地区 地方 基于 基础 增加 大小 好处 学习 实例 实现 实验 对比 对象 工作 左右 建立
    建议 开始 形式 影响 思路 性能 患者 情况 感觉 手段 技术 指出 措施 提出 提高 效果 数据 数量 整体 文献 文章 方式 方法
    方面 时候 时间 有关 有效 朋友 期间 本文 机制 条件 案例 模型 模式 步骤 比较 水平 活动 特征 特点 状况 现有 现状 理论
    生活 病例 目前 目标 目的 相关 真的 知道 研究 社会 种类 程度 策略 系统 结束 结构 结果 结论 缺点 老实说 背景 能力
    至此 范围 表明 觉得 角度 认为 讨论 论文 设计 试验 说实话 说明 课题 调查 资料 趋势 过程 运用 还好 进一步 进行 途径
    采用 重要 针对 阶段 需求 项目 领域 首先
""")


# Words that fill a Chinese sentence; the segmenter's dictionary takes most of them for nouns.
CHINESE_FILLERS = word_set("""
    一般 不错 别提 刚刚 加上 好像 尤其 平时 总的来说 感觉 挺不错 有时 有时候 有点 有点儿 特别 真心 真是 真是太 真不错
    给力 好极了 太好了 太棒了 出去玩 小贵 时不时 差不多
""")


# The most common first. Words of three letters and more, each a single token after a space in cl100k and o200k,
# which a test holds: the bound on tokens rests on it, and the rank tells how little a word says.
_COMMON_WORDS = """
the and for this that with com return you new from are class not was public have get can self all will your out has
but function const set else more his they per data one name true end their private who time man which any false value
app about add string over type part work when use off other been had were file would our year some there said her like
let also than static just result them into what list case first import act only print its back need start user under
then may how people should test make after right long min array she read form want number require key two size where
while look could know hand most try now him break every point error text show find current used play log see help
these pass down even item did through last event again high line does before because state cons here final run very
model way call well object years default view many being good using request child person style method expect found
post such think much http count check open next follow href car game path each support own sign those system best same
create made mark group world process main color report take day top free action index real max build message input art
between table head must order say product double place information week program response code without still cap field
team second going range fact home left direct allow page different around really image target both put level config
document local content float develop too great month super title context met life catch pay change position old book
version three law base during console against power width label project element success date big map pop few match
node another sit care effect fun leg service since non full turn body something stand available block keep throw
things red control come custom source await ask output email business required might never hard called options height
small access protected job address sum little port status update link given better feel already including always
parent got less account lot valid bit following sure search invest says rest interest perform die site values won
video cell player cost total load clear row seem short company done health children days initial online instance
reason within design school consider include stop later client love json able men give condition copy either important
lead family option exist offer water step government display times four far present room once results continue talk
grow mass mean until market area length kind light side example miss based plan away button experience near country
author specific along express begin software win thing why single rights women season possible sent command recent
money told auto working query window least column record making close percent past write move special city tell select
font course late amount async enough looking hold pot property low para price today attack means story meet sort
thought task review switch above question word provide research cover whether div having large created host role web
deal problem press though points ever services actually million understand happen server files often info space
password store format details face save items social major expected yet food members bar send connection become makes
global contact except certain character news device previous material below media black component added buy came card
https root handle getting claim air enter location night doing pick watch human tax box strong interface house track
application pack section wait together terms apply session others fund several template subject history individual
users future started mode took games products bad needs known seen border live variable provided hope young website
study network limit cut went fire across community official visit received token months particular learn mind quick
comment background description represent series hot original bill frame draw comes filter remove front selected
according virtual anything hours war models early center language ago easy download students buffer due cannot white
register period screen net common suggest accept random hit click implement players among circ answer walk treat age
five distributed friend clean words header discuss issue land stream quality works half police simple empty cook
everything relations nothing running someone share entry changes personal events whole needed likely fight writing
rate correct fall development believe features minutes collection similar taken son moment bring entire trying member
foot board push please types edit defined thread instead idea film phone active death article almost sell connect
feature via environment install complete general asked icon party vector normal further database music speed taking
forward failed concern term potential published probably enjoy returns weight conditions module loss engine issues
stay lower perfect exact former six margin heart rather building questions security however inside graph tag attempt
round friends campaign energy behind raise wanted policy third bed training prior release outside ground unique pour
tree matter shows ball simply fast memory fit political industry extra reported resources wrong seems unit takes
appear difficult coming settings quite blog everyone pretty longer menu currently relationship parameters names effort
actual fields fix cases performance higher itself significant respect progress mid resource direction additional
numbers companies sound statement alert contract lines soon join fill choose office transform note specified upon
groups risk woman gets included cause focus multiple addition various receive increase commit html leave align reading
notice lock standard padding states internal especially cross national script problems written images platform force
prevent living pattern entity useful tool feed popular methods allowed impact elements train related technology scale
score student average court container parts decision saw approach saying anyone song channel changed finally drug ways
mat plus profile ready sense latest region deep reach counter weeks damage lost dog paper staff driver category oil
stock dead rules modify contains stack playing bottom couple road held includes avoid machine operation production
areas operator argument establish movie activity provides uses ability parameter functions choice flex characters
wonder legal goes reference regular goal touch built worth natural associated storage travel passed grid bus countries
login levels looks necessary released properties respond financial evidence rule starting logger recently returned
seek username systems drop structure directly errors arguments ensure usually serious customer door plant began
distance chance protect route primary leaders comments updated inform led bank sample hands offers shape sleep sold
safe shared remember shoot scene park yourself equal allows middle quickly actions proper objects matrix ones green
paint designed layer views core expert directory beautiful chat effects management setting massage happy finish camera
military sale mention town solution slow blue lives customers cast dark package api club loop played existing complex
analysis deliver computer mobile owner treatment leading flow involved shift eyes nice floor wish stage solid meeting
worked medical hour controller books speak felt modern seconds international cache roll setup considered growth mix
turned letter attention collect situation knowledge drive blood configuration photo gave shot mother morning trade
parents piece professional completely practice selection sites reader messages heard gold fair sales measure decided
opportunity contain manager pain plans credit difference tried reports whose gives easily ideas pair split capital
hear exists education library calls brand pet charge depend huge basic arm star carry constant positive conduct skin
earlier layout wants picture videos components throughout pull pages gas edge bound creating learning patients kids
comfort shown classes successful obtain lack none dans hair laws knew wide jobs scope keys exactly theme props fine
generate browser favorite career recommend named panel rock trust economic race physical removed towards rows define
nature discover wall exam nearly cool sun predict sometimes drink tests attribute myself interesting population
greater costs launch band immediately figure rank projects giving plot billion equipment headers brought interview
partial aria remain anti safety batch beginning zero paid increased maximum birth maybe limited movement broad fans
foreign tour moving fully agreed earn materials sexual coach supported photos pressure teams improve definition
thinking enable concept sets meaning daily multi vehicle pool organization summer surface variables workers master
stories steps skills effective tools digital requests debug spent missing talking located cards guy records killed
purpose hop requires programs weak firm demand described places alone activities expression testing adjust agree
describe operations director yield feet integer highly transport essential benefits prices wood forms instruction
internet devices delay purchase fish leader culture straight confirm audio spot increasing compared behavior detail
fresh symbol voice transaction links boost cells college largest individuals suit smart assist successfully beyond
nodes affect fetch rates studies owners growing adding poor aware mock binary closed developed although amazing
failure generated income eye particularly domain reduce appears reasons distribution colors powerful depth posts micro
interested rent album minimum basis science budget variety truth gone station finished shop overall construction
duration seven calling brain followed slight insurance abstract volume cursor implementation larger upload completed
columns supply units payment factor strength balance sources hidden eat trigger claims gift produce attributes warm
flash negative burn society clients cat determine employees partner feeling civil loading cookies strategy signal
replace refer ahead appropriate agent transfer journal spend quarter cash commercial fixed applications perhaps tend
reviews wild degree notes logging fan trip soft applicable upper highest connected forces thus disease remains stress
starts runs guide warranty responsible containing definitely marketing consult signed sequence requirements dress
families folder biggest showed topic partners assess opening scan continued waiting economy street male previously
traditional helps central heat onto reached mouse challenge extract separate capacity understanding easier fat
relative fear schools serve processing remote reflect pros monitor patient gain reality compliance dynamic miles
benefit baby attacks female chain farm knows generally meant contents speech heavy investigation despite meta
regarding resolve updates toward listen goals rare trail spread clock efforts branch datetime caused bath extension
essay hat offered helped spirit therefore peace minor produced mission bag enabled managed glass weekend older
extremely timer critical execute showing lose dry wire strings matches electric excellent tasks rich agency trial
placed weather destination provider planning seeing visual agreement corner protection transition candidate trend
smaller investment violence inner labels angle aim stick styles expand raised episode construct external applied cold
finding exchange department documents century healthy temperature metal submit attract labor cars square thanks
experiment clearly presence factors employee leaving beat minute cancer sea attend species advantage truly compare
visible cloud traffic opinion advice automatically generation limitations ended chart independent tags learned hotel
movies mixed deck continues established gather identity eventually accounts pitch assume remaining pieces businesses
parties creation delivery schedule thank documentation articles cities completion stars relevant covered secure stored
annual crime kitchen unknown stone daughter brief conference gender willing sports yes driving approx wear ice animal
native interval faith positions animals solutions bright prompt skill wind draft holding diet climate holds senior
rise offering mostly blocks occurred changing prepared canvas artist ring flat checked award manage watching optional
theory python zone verify exercise asking orders spending influence policies coverage filled north discussion served
sweet segment loved phase installed decide keeping citizens joint examples tight maintain seed experienced kick
procedure dataset explain noted operating proceed sounds religious tips homes fuel usage texture conversation shooting
presented boot spring locations samples helping sector chair apps mental ideal funds adapt deploy validation cup
stores communication identify prepare alternative welcome survey decor turns linked faster combination intended
priority navigation audience comfortable standards performed forget doctor putting allowing entries prefer competition
seat rating restaurant league focused absolute tells communities honest apart craft talent funding confirmed cycle
hearing plants mouth bought versions coffee schema retail modified bond identified coding residents sheet determined
advanced combined broken represents absolutely smooth seeking injury leaves adopt executive technical resolution
helpful massive measures worry magic flight drugs proposed winning iron follows windows plane tough reduced calculate
rapid efficient medium feedback categories fee proof sides feels achieve teacher plays discount appearance recommended
organizations discovered recipe inputs vision trading typically causes detect fashion committed rough highlight rain
decisions developing instructions intelligence selling famous answers standing plenty authorities familiar freedom
routes mesh union thoughts reward execution beach quiet ratio processes adds wash profit manual motion era expensive
percentage classic harm charged walking leadership timestamp experiences creates choices evening explicit lists
vehicles king chemical breath affected politics consumer protocol leads challenges novel creative introduced
implemented targets supports sharing goods manner controls extended believed handling shipping battery journey solve
sending grab debt frequency experts depending sentence friendly mining songs passion loan detailed specifically
carried sitting arms markets ticket millions recover channels responsibility assets interests hardware drivers
differences researchers suggested buying forum relationships ride chosen migration advance shopping substantial
promote signs wealth signature bird relax plate grade noise impossible dish sensor authors salt rooms excited bonus
relatively thick conflict wave speaking university algorithm numerous prove summary closer confidence vertical
environmental justice occur threshold eating plastic quantity scores logic registration wearing statements trouble
sizes waste aid passing faces receiving comparison capture checks scientific privacy degrees films fellow estate
figures winter trees proud television recorded brings fees correctly escape chapter awesome distinct carbon deals
tested paying neighborhood techniques repository providers matching dogs desire delivered assigned combat supporting
spin spaces patterns framework teaching tables quote cream machines importance taste circle humans bringing desired
relation rotation increases lights dates paths reaction readers mapping repair cultural vast roles industrial
facilities extent edges indeed reporting encounter considering protein matters emergency scheme contrast capable
advertising facing beer criteria aspect bundle tank planned parking island sister gap owned solar resulting estimated
improved revenue bike consistent rush neck assistance wedding agents hint tech participants busy extend websites
possibility meat representation turning fabric perspective facts conducted wine realize occasion taxes statistics
beauty likes repeat apartment sugar observed calendar explore approximately losing authentic decade indicate modal
connections forth exciting shares nullable reasonable vary checking agencies drawing teachers temporary topics portion
recovery stands afternoon accurate cabin limits developers accuracy maintenance filters consumers crowd effectively
modules usual serving linear symptoms artists solo pairs scheduled garden attempts aspects potentially regions layers
acid excess keyboard missed forest resistance ultimately historical occurs yesterday tiny noticed edition buildings
installation finds replacement proposal infrastructure yellow exclusive fruit depends frequently generator bedroom
ancient specify dinner brown existence upgrade codes tracks immediate scientists bold perfectly moments reduction
banks ingredients slowly courses saving opposite sufficient routine basket studio maps nearby acts retain knowing
representing controlled milk frames butter formed transactions habit instrument networks sections payments concrete
graphics packages ongoing legs ease extreme addresses academic derived typical emotional walls listening emails appeal
regulations technologies paragraph finger weights institutions exposure electronic cutting causing structures peer wet
employment tickets magazine designs gear suitable expansion translation liquid operate upcoming clinical heading
stretch responses covers collected furniture dealing counts mile sorry inspired findings fantastic heads recording
younger struggle cable engineering competitive translate designer boxes guests amounts breaking reliable entities
technique drawn featured interior formula indicates investors strategies listing premium tracking bathroom subjects
endpoint preferred institution encourage manufacturing inches functionality shots houses constantly practical luck
efficiency narrow searching realized scenario incredible references wrap monthly clothes cuts regional chest
subscription meal commitment wake valuable stable birthday processed tea represented dance visitors outcome risks
ownership parallel recognize consumption shoes foods pipeline collections screens titles closing dimensions whenever
acting evolution watched platforms marks thin velocity evaluate inventory assessment languages bias programming shirt
regardless universe presentation attach regularly primarily carefully navbar utility restaurants seasons fluid
accessible brush functional feelings lean hoping curve urban aside editing falling resume papers executed stuck
sessions glad brands backup muscle harder lunch outdoor dust fundamental comprehensive cleaning gaming joy bars formal
leaf relief combine procedures impressive slice understood informed bread rose estimate precision locked scenes
writers salary tournament kit explanation chicken peak keyword trained swim vital smoke sensitive tall driven
educational interaction tone stronger coin meetings entering alongside foundation interact requirement mountain flying
seats assignment casual extensive performing credentials belief reveal featuring evaluation bottle unexpected
confident underlying objective describes monitoring afraid tomorrow engage careful calculated publication faced loans
integrity manufacturers commonly engaged affordable organized authentication expectations conclusion lovely supplies
visiting powder ultimate orientation airport metrics fewer applies contribute introduction difficulty compact
streaming producer restrictions waves measured shoulder bio okay capabilities automatic chances constraints guitar
fiction achieved posting reputation finance pose fitness serves geometry weekly anchor targeted laid inch cheese
consists soil flavor expanded rely alignment quotes shower literature breast sharp cooking deeply signals personality
genre arrive stations organic loud minimal producing thesis thorough bullet clothing characteristics density pushing
breakfast guidelines principle awareness weigh estimates abilities gray leather argue integration removing forecast
stages appointment architecture processor decline podcast naturally lighting dependent lesson episodes everyday
musical transparent pocket recognition mirror assistant spiritual pace consideration bags transportation dining
delicious chocolate adventure sqrt ocean preparation opinions detection transformation formation desk expenses
historic composition gallery availability anxiety ratings tie cameras hip compatible managing demands gained joining
attended collapse covering suggestions representative integrated metric semi breaks fits discovery trends lens periods
lessons transmission fantasy enhance celebrate maintained presents timing landscape logs hosts decrease healthcare
printing contacts unusual contribution arts recommendations orange strategic speaker recipes egg rental equipped
centers measurement displays contemporary expertise particles boundary reaching coins innovation spots choosing
flexible scratch festival particle gym guidance painting greatly attractive clubs intense lifestyle downtown attitude
memories probability genetic concepts applying savings graduate contributions movements communicate simulation versus
seeds hunt rural recall crop deeper belt introduce cake soup sauce aggressive wanting bowl fingers releases roads
intersection refers continuous flowers calm investigate preferences luxury packed staying employed shops scripts
satisfied flask confirmation dependencies outcomes queries portfolio smoking bulk drama contributed gains operators
prediction rice birds mood hosting managers frozen roots stability inspiration engagement logical approaches flour
riding stunning formats predictions templates fishing concentration struggling convey insight meets preparing
addressed enables rolling viewing drives followers damaged emissions vacation initiative gradient loose libraries
participation promotion sour expense balls discussions blend farmers maintaining suppliers artificial prominent boards
submission graphic startup gifts intensity neutral segments laptop blast campaigns conventional wireless golden
interactive frequent beliefs shapes concert toxic keywords profiles navigate bands conversations examine meals
traveling explicitly mixture drinks updating visits involve focusing outline engines preserve rewards auction
experiments pricing emotions filling dialogue convention panels highlights physics speakers prep confusion toy themes
ordering tackle deadline venue surveillance placement nights triangle affects tutorial aims faculty measurements rated
voltage environments collective viewers robust generations resort trusted sustainable solving reflection booking wider
interactions identification populations cabinet observation preference calculation notifications panic experimental
genuine actively allocate promoting advantages soccer protecting curious overcome accessories capability burden
powered awards comedy wooden trips walks popularity bake median engaging ensuring buyers charging wheels delayed
administrative boundaries bite athletes singer complement juice portable optimal charity seller surrounded sentences
coat intake spray verification publishing exercises prayer diagnosis observe ranking happiness mild rocks streams stir
toys complexity hiring bacteria visibility generating deployment expanding psychological packaging moderate designated
drum emerging attending medication overview lyrics apple momentum biological producers instruments shorter adjusted
swimming oven acquisition beam romantic prints locally purchases focuses mountains tension cotton eager precise
secrets chips equation analyze muscles performances satisfaction beneficial worn observations drain photography
allocation structural suggestion fiber vintage balanced classification containers consensus enhanced grain hill
donations exploring museum remind delivering ranging placing inspect interfaces targeting implications flexibility
computing calories finishing beef hotels pepper exceptional adoption overnight dominant reactions operational
identifying emphasis cognitive grip epic speeds compatibility pollution ingredient motivation timeline forums terrain
replacing sampling impacts flights implementing paste harsh documentary developments investing theories hybrid
persistent peers hiding crystal evaluated workshop integral compression volunteer productivity unnecessary algorithms
toss grateful departments boots tune workout optimization chemicals harmony scenarios dirt fruits ensures significance
cups promising zones objectives achievement encryption listings realistic acceptance skilled perceived correlation
nutrition peaceful blogs inspection insights strain honey dishes conflicts designers baseline collecting breathing
angles reflects sentiment responsive browse yoga gradually gameplay arrangement aligned durable charts preventing
offline dealers jacket toilet productive variations prevention shaped iconic piano effectiveness comparing selecting
noting palette fitting workplace exploration surfaces sensitivity subtle alternatives reminder makeup twist performs
theater ace briefly chunks soap playlist mixing broader parks beans shoulders bootstrap circular dashboard intervals
addressing bash vitamin adjustment specialized accordingly outlets behaviors profound inclusion notable guides colored
transparency synthetic tire cloth outfit responsibilities enabling humor extracted flows combinations automated shade
workspace storing tender creativity certification earning shelf recommendation composite switching descriptions baking
heritage analytics passive folk displaying dense lamp dancing cater suits spatial invested networking calculations
consistency relate workflow optical inclusive artwork lengths tracker mint thermal slower scales bell statistical
qualities bins vendors financing marine conservation compelling directories likelihood permits robots contributing soy
lasting nicely classical hierarchy shoe measuring routing cooked lightweight vegan pockets dynamics folders alerts
romance gently sized patience wildlife minimize divine datasets optimize lemon routines priorities indoor marketplace
teas lighter grocery propose rack filtering hooks neural designing chemistry labeled textures dive audiences nuts
tourist breakdown foster retreat warehouse quantum tours repairs centered ethical exhibit organize connectivity
straightforward lately dough relaxed avoiding bikes domains knees regression crops transfers garlic inspire resistant
consulting arise schemes occurring gauge arrange traditions tourism timely overhead obstacles achieving discounts
integrate delays customize assignments patio surveys rides poetry clarity oils literary intimate tennis flavors
grammar suited dressing musicians artistic upgrades dried treasure imaging customized autocomplete revised
phrases basics protocols theoretical databases novels characterized cleaner introducing closet versatile jsonify
cycling vanilla olive gaps extraction magnet brightness instructor appealing supportive farming combines tops salad
airline memorable valued guided automation reasoning progression ups offerings trails achievements structured
adjustments poses portrait inspiring wheat catching destinations backpack cinema mall jeans optimized dairy bandwidth
vinyl coconut modeling transitions creators colorful reviewing jazz restoration debris niche laundry consuming hills
potatoes combining finite varies hike slices absorb heel charming computation maximize personalized brake splash
conditional organizing crowds numerical showcase workshops lenses cuisine pork scanning delicate shelves strengths
backgrounds paintings fatigue genres commerce backyard javascript packing seasonal altitude specialty accountable
temporal refreshing adjustable renowned criterion promotions pads cables shades appointments venues regulate rhythm
fundraising systematic pasta fusion aesthetic squeeze formatting buddy dresses schedules weighted prone weekends
methodology aiming humidity retention clarify refined additions skirt seating onion gluten hiking prizes chopped
simulate thrilled conferences fridge calculating similarity coordination considerations candle scheduling equations
blanket perfection accountability autonomous crowded informative lottery healthier yarn runners ankle smoothly
perspectives attractions membrane durability litter highlighting potato wellness promotes socks graphs sunlight grill
readings wipe attendees travelers snack mindset accessibility wraps norms capturing topped salmon bacon warmth
illustrate reps tomatoes baked tailored grains fried relevance thrive cherry rewarding tomato evenly visualization
inviting estimation commitments herbs tuning discovering intuitive spice studios lime semantic reflecting stretching
tones logistics gems visually snacks adjusting microphone hips cozy triangles galleries thoughtful distributions
luxurious wines unsure sunset subjective banana discrete organizers chord polished startups indie blues ginger
discomfort tutorials heavier modular uncover acoustic fetching shuttle sturdy charger onions comfortably approximate
broth refine decorative shaping specializes lace simulated workouts spreadsheet gin diagrams organizer tasting
waterproof simulations enhancing recycled antique vibe recharge beginners traction creamy chic preserving rentals
planting successes adaptive photographers spicy outfits posture specialize airlines caching decorations sliced
discounted pairing laptops shutter customization lively endurance probabilities themed spices pedal beginner fats
biases pinch mitigate lamps gallon planner visualize scenery herbal withstand luggage cinnamon greens prompts tailor
securely conflicting candles collectors calorie handmade citations seafood thriving mutually geometric checklist
semantics fuzzy visuals productions resin roasted propagation frac clutter linen curry formulas podcasts labeling
maple computational proposes formulation ventilation ribs coats redemption chords dimensional approximation receipts
temples timeless reunion peppers curated theorem blends deadlines portraits commute baths proactive clustering chili
essentials experimenting predictive segmentation landmarks minded grilled scenic mats changer carrots reusable twists
shampoo almond customizable mindful berries stains prioritize meats hobbies sweetness denim sunrise conditioner
leftover blankets cucumber cider experimentation reminders sushi basil avocado fencing spinach comforting baskets
brunch manageable distressed mindfulness showcases minimalist infused apologies itinerary refining nonlinear pests
salads debounce moss pellets calming paced captions skillet broccoli skincare sandals certifications unwind streamline
flakes nuanced hashtags advancements complexities testimonials oats upbeat sprinkle catchy pedals hydration
documentaries workflows achievable foundational diced richness tripod actionable vase ambiance grated typography
glitches acidity impactful
"""

COMMON_RANKS = {word: rank for rank, word in enumerate(_COMMON_WORDS.split())}
COMMON_ENGLISH = frozenset(COMMON_RANKS)
