"""Questions that belong to nobody's memory: what recall's gate holds a store's own questions against.

They range over subjects far from each other, so that a store can be at home in a few of them and still be a stranger to
the rest.
"""

from typing import Literal

Tongue = Literal["zh", "en"]

_ENGLISH = """
At what temperature does tungsten melt under normal pressure?
How many moons of Neptune move against its rotation?
Which enzyme unwinds the two strands of a double helix?
Who signed the treaty that ended the war of the Spanish succession?
What is the tensile strength of a carbon fibre rod?
How deep is the trench east of the Mariana islands?
Which chess opening begins with the pawn in front of the king's bishop?
What does the third movement of the sonata sound like on a harpsichord?
How is pig iron turned into steel in a converter?
In which dynasty was the compass first used by sailors?
How long does a queen termite live inside its mound?
What share of the jury must agree to convict in Scotland?
Which volcano buried two towns under ash in a single day?
How do you sharpen a chisel on a water stone?
What is the exchange rate between the krona and the zloty?
Why does a helicopter need a rotor at its tail?
Which cathedral has the tallest spire north of the Alps?
How many vertebrae are there in the neck of a giraffe?
What makes the northern lights green rather than red?
When should vines be pruned on a slope that faces south?
Which knot holds a climbing rope to the harness?
What is the statute of limitations for forgery in Ontario?
How does a diesel locomotive move its wheels by electric motors?
Which glaze turns copper red in a reducing kiln?
How thick must the ice be for a truck to cross the river?
What is the half-life of caesium in a nuclear reactor's waste?
Which sails are reefed first when the wind rises to a gale?
How is parchment made from the skin of a calf?
What did the emperor trade for the porcelain of the southern kilns?
How many players stand behind the scrum in rugby?
Which mushroom turns blue where its stem is cut?
What is the orbital period of a satellite that stands still above the equator?
How do bats find moths in complete darkness?
Which bacteria cause the plague to spread from rats to people?
How is the curvature of a lens ground to a tenth of a micron?
What tax did the parliament put on windows?
Which desert receives less rain than any other?
How much ballast does a submarine pump out to surface?
What are the rules for offside in ice hockey?
How do bricklayers turn a corner in Flemish bond?
Which acid is used to etch copper plates for printing?
What is the population of lynx in the Carpathian mountains?
How is the pitch of a kettledrum raised?
Why did the railway choose a narrow gauge through the gorge?
What dose of insulin raises the risk of shock in sheep?
Which clause of the charter limits the power of the bishop?
How do you graft a pear onto a quince rootstock?
What pressure do divers feel at sixty metres?
Which theorem bounds the number of primes below a limit?
How is saffron dried after the crocus harvest?
What is the breeding season of the emperor penguin?
Which alloy was used for the bells of the monastery?
How does yeast turn barley malt into alcohol?
What is the recoil of a howitzer mounted on rails?
Which court hears appeals against patents in the Netherlands?
How do lighthouses differ in the rhythm of their lamps?
What insects pollinate vanilla outside of Mexico?
Who composed the hymn sung at the coronation of the tsar?
How many stitches per inch does a saddler sew?
What is the albedo of fresh snow compared with wet asphalt?
Which earthquake moved the axis of the planet?
How is quicklime slaked before it becomes mortar?
What distance does a marathon horse race cover in Mongolia?
Which dialect of Breton keeps the old dual number?
"""

_CHINESE = """
钨在常压下多少度熔化？
海王星有几颗逆行的卫星？
解开双螺旋两条链的酶叫什么？
西班牙王位继承战争以哪个条约结束？
碳纤维杆的抗拉强度是多少？
马里亚纳群岛以东的海沟有多深？
哪种国际象棋开局先动王翼象前的兵？
奏鸣曲第三乐章用大键琴演奏听起来如何？
转炉怎样把生铁炼成钢？
航海者最早在哪个朝代使用指南针？
白蚁蚁后在蚁丘里能活多久？
苏格兰的陪审团要多少人同意才能定罪？
哪座火山一天之内用火山灰掩埋了两座城？
怎样在水磨石上磨凿子？
克朗兑兹罗提的汇率是多少？
直升机为什么需要尾桨？
阿尔卑斯山以北尖塔最高的大教堂是哪座？
长颈鹿的颈椎有几节？
极光为什么是绿色而不是红色？
朝南坡地上的葡萄藤应当何时修剪？
登山绳用哪种绳结系在安全带上？
安大略省伪造罪的追诉时效是多少年？
内燃机车怎样用电动机驱动车轮？
哪种釉料在还原焰里烧成铜红？
冰层要多厚卡车才能过河？
核废料里铯的半衰期有多长？
风力增至烈风时应先收哪面帆？
小牛皮怎样制成羊皮纸？
皇帝用什么换取南方窑口的瓷器？
橄榄球并列争球时后面站几名球员？
哪种蘑菇切开菌柄会变蓝？
地球静止轨道卫星的周期是多少？
蝙蝠在漆黑中怎样找到飞蛾？
鼠疫由哪种细菌从老鼠传给人？
透镜的曲率怎样研磨到十分之一微米？
议会曾对窗户征收什么税？
哪片沙漠的降雨最少？
潜艇上浮要排出多少压舱水？
冰球的越位规则是什么？
砌砖工怎样用梅花丁砌法转角？
铜版画用哪种酸腐蚀？
喀尔巴阡山的猞猁有多少只？
定音鼓怎样升高音调？
峡谷里的铁路为什么选用窄轨？
多大剂量的胰岛素会使绵羊休克？
宪章的哪一条限制了主教的权力？
怎样把梨树嫁接到榅桲砧木上？
潜水员在六十米深处承受多大压强？
哪条定理给出素数个数的上界？
藏红花采收以后怎样干燥？
帝企鹅的繁殖季节在几月？
修道院的钟用哪种合金铸成？
酵母怎样把麦芽变成酒精？
列车炮的后坐力有多大？
荷兰的专利上诉由哪个法院审理？
灯塔的闪光节奏各有什么不同？
墨西哥以外由哪种昆虫给香草授粉？
沙皇加冕时唱的赞美诗是谁作的？
马鞍匠一英寸缝多少针？
新雪与湿沥青的反照率相差多少？
哪次地震移动了地轴？
生石灰怎样消解才能调成砂浆？
蒙古的长途赛马要跑多少公里？
布列塔尼语的哪种方言保留了双数？
"""

STRANGERS: dict[Tongue, tuple[str, ...]] = {
    "en": tuple(_ENGLISH.split("\n")[1:-1]),
    "zh": tuple(_CHINESE.split("\n")[1:-1]),
}
