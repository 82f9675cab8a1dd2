"""Names that are known as such: given names with their gender, Chinese surnames, titles, endings of organisations."""

from remanent.text.wordlists import word_set

FEMALE_NAMES = word_set("""
    abigail ada adriana agnes alexandra alice alicia alison amanda amber amelia amy ana andrea angela anita anna
    anne annie antonia ashley audrey barbara beatrice bella beth betty bianca bonnie brenda bridget camila carla
    carmen carol caroline carolyn catherine cathy cecilia charlotte chelsea cheryl chloe christina christine cindy
    claire clara claudia connie courtney crystal cynthia daisy dana danielle deborah denise diana diane donna dora
    doris dorothy edith eileen elaine eleanor elena elisa elise elizabeth ella ellen eloise elsa emilia emily emma
    erica erin esther eva evelyn fatima faye fiona flora florence frances francesca gabriela gabriella gemma georgia
    gina giulia gloria grace greta hannah harriet hazel heather heidi helen helena hilda holly ida ingrid irene
    irina iris isabel isabella isabelle ivy jacqueline jane janet janice jasmine jean jeanne jennifer jenny jessica
    jill joan joanna josephine joyce juanita judith judy julia juliana julie juliet karen karin karla kate katherine
    kathleen kathryn kathy katie kayla kelly kimberly kristen kristina lara laura lauren lea leah lena leslie lila
    lily linda lisa lola lori louisa louise lucia lucy luna lydia madeline madison maggie marcia margaret maria
    marie marina marta martha mary matilda maya megan melanie melinda melissa mercedes mia michelle mildred miriam
    molly monica nadia nancy naomi natalie natasha nicole nina nora norah olga olivia paige pamela patricia paula
    pauline penelope phoebe priya rachel rebecca renee rita roberta rosa rose rosemary ruby ruth sabrina sally
    samantha sandra sara sarah savannah selena serena shannon sharon sheila shirley silvia simone sofia sonia sophia
    sophie stacy stella stephanie sue susan suzanne sylvia tamara tanya tara teresa tessa theresa tiffany tina tracy
    valentina valerie vanessa vera veronica victoria violet virginia vivian wanda wendy yolanda yvonne zoe
""")
MALE_NAMES = word_set("""
    aaron abraham adam adrian ahmed alan albert alejandro alexander alfred ali allen alvin andre andreas andrew andy
    anthony antonio arnold arthur ben benjamin bernard bill billy bob bobby boris brad bradley brandon brendan brian
    bruce bryan byron caleb calvin carl carlos cedric charles charlie chris christian christopher clark claude
    clifford clint colin conor craig curtis dale damian dan daniel danny dario darren dave david dean dennis derek
    diego dominic don donald douglas duncan dwight dylan earl eddie edgar edmund eduardo edward edwin eli elias
    elijah elliot emil emmanuel enrique eric erik ernest ethan eugene evan felix fernando francis francisco frank
    franklin fred frederick gabriel garrett gary gavin geoffrey george gerald gilbert giovanni glen gordon graham
    greg gregory guillermo gustav guy hank hans harold harry harvey hassan hector henry herbert herman howard hugh
    hugo ian igor isaac ivan jack jacob jake jakob james jamie jan jared jason javier jay jeff jeffrey jeremy jerome
    jerry jesse jim jimmy joe joel johan john johnny jon jonas jonathan jorge jose joseph joshua juan julian julio
    justin karl keith ken kenneth kevin klaus kurt kyle larry lars laurence lawrence leo leon leonard leonardo lewis
    liam lloyd logan lorenzo louis luca lucas luis luke marc marcel marco marcus mario mark martin marvin mason
    mateo matt matteo matthew maurice max maxwell melvin michael miguel mike milo mitchell mohamed mohammed morgan
    moses nathan nathaniel neil nicholas nick nicolas nigel noah noel norman oliver omar oscar otto owen pablo
    patrick paul pedro perry pete peter phil philip pierre rafael rajesh ralph ramon randy raul ray raymond ricardo
    richard rick rob robert roberto rodney roger roland roman ron ronald ross roy russell ryan sam samuel scott sean
    sebastian sergio seth shane sidney simon spencer stanley stefan stephen steve steven stewart stuart ted terence
    terry theo theodore thomas tim timothy tobias toby todd tom tommy tony travis trevor tyler ulrich victor vincent
    vladimir wade wallace walter warren wayne wesley wilhelm will william winston xavier yusuf zach zachary
""")
TITLES = word_set(
    "mr mrs ms miss mx dr prof professor president sir madam captain judge senator queen king prince princess"
)
FEMALE_TITLES = word_set("mrs ms miss madam queen princess")
MALE_TITLES = word_set("mr sir king prince")
ORGANISATION_ENDINGS = word_set("""
    academy agency airlines association bank club college company corp corporation council court foundation gmbh
    group hospital hotel inc institute laboratories laboratory labs llc ltd ministry museum party plc school society
    studio studios team union university
""")

SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方"
    "白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝"
    "包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党"
    "宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝"
)
COMMON_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈"
COMPOUND_SURNAMES = word_set("欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 司徒 端木 夏侯 宇文 长孙 南宫")
CHINESE_TITLES = (
    "老师|教授|医生|大夫|护士|先生|女士|小姐|太太|阿姨|叔叔|师傅|经理|总监|主任|院长|校长|局长|处长|科长|部长|市长|省长|书记|主席|总统|总裁"
    "|董事长|博士|律师|警官|队长|教练|导演|同学|老板|总|工|哥|姐"
)
FEMALE_CHINESE_TITLES = frozenset({"女士", "小姐", "太太", "阿姨", "姐"})
MALE_CHINESE_TITLES = frozenset({"先生", "叔叔", "哥"})
CHINESE_ORGANISATION_ENDINGS = (
    "公司", "集团", "大学", "学院", "中学", "小学", "银行", "医院", "研究所", "研究院", "协会", "委员会", "博物馆",
    "图书馆", "出版社", "俱乐部", "基金会", "事务所", "电视台", "法院", "工厂", "酒店",
)  # fmt: skip
CHINESE_PLACE_ENDINGS = (
    "省", "市", "县", "区", "镇", "乡", "村", "路", "街", "道", "湖", "山", "河", "江", "岛", "湾", "港", "站", "公园",
    "广场", "机场", "大厦", "州", "国",
)  # fmt: skip
# Words that the segmenter takes for names although they are none.
NO_CHINESE_NAMES = word_set("""
    上市 东北 东西 亚科 任何 任天堂 保鲜 先生 入口 全家 公共汽车 关心 关联 加盟 北道 华为 卓越 南道 叶子 叶柄 周围
    周末 和平 和谐 哥哥 唐人街 国内部 城市 城镇 塔楼 复国 外国 大国 大型超市 大桥 太极 太阳 契约 宁静 安保 安全 安全带
    安静 小姐 小米 山区 山坡 山水 巴士 师母 师范 康复 建国 成功 成熟 攀岩 文静 新建 新鲜 方便 时尚 明显 明白 易学 普及
    朝廷 林木 欧莱雅 武功 武林 水平 沈阳人 沙滩 沙特 沙龙 泉水 海湾 渡河 温哥华 温暖 温柔 温泉 温馨 湖水 湖泊 满意度
    牛肉干 王国 王朝 登山 白天 石家庄 石景山 罗汉松 罗汉果 美丽 老师 舟车劳顿 苏州人 英雄 荣誉 莫斯科 蓝图 蓝天 西北
    西南 谢谢您 越野 遮阳 都市 金刚 金字塔 长大 长寿 长约 长脚 阳光 陆军 雷公藤 雷达 非银行 音乐会 顾客 马拉松 马来
    高中 高中生 高兴 高原 高大 高尔夫 高尔夫球 高山 高峰会 高手 麻醉科 麻黄素 黎明
""")
