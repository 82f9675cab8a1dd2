"""Chinese material for pairs of memories."""

from bench.pairs.material import Amount, Frame, Material, Opposition, Topic

_PEOPLE = (
    "林晓", "赵建国", "苏曼", "何老师", "陈医生", "用户", "小郭", "阿杰", "欧阳雪", "马叔", "房东", "新来的实习生",
    "我的室友", "邓经理", "表姐",
)  # fmt: skip
_PROJECTS = ("苍鹭项目", "计费服务", "手机客户端", "数据仓库", "内部门户")
_SYSTEMS = ("登录服务", "搜索后端", "报表工具", "结账页面", "同步进程")
_EVENTS = ("设计评审", "董事会", "苏曼的婚礼", "牙医预约", "产品演示", "合唱排练", "租房签约", "半程马拉松")

ATTRIBUTES = (
    Topic(_PEOPLE, ("{who}住在{value}。", "{who}目前定居{value}。", "{value}是{who}居住的城市。"),
          ("昆明", "大连", "厦门", "兰州", "长沙"),
          ("{who}从{old}搬到了{value}。", "{who}上个月搬去{value}了。", "{who}离开{old},现在住在{value}。")),
    Topic(_PEOPLE, ("{who}的职业是{value}。", "{who}是一名{value}。", "{who}靠当{value}谋生。"),
          ("护士", "木匠", "翻译", "飞行员", "地质学家"),
          ("{who}不再当{old},改行做了{value}。", "{who}辞去{old}的工作,成了{value}。")),
    Topic(_PEOPLE, ("{who}最喜欢的颜色是{value}。", "{value}是{who}最喜欢的颜色。", "颜色里{who}最爱{value}。"),
          ("墨绿色", "绛红色", "米色", "天蓝色")),
    Topic(_PEOPLE, ("{who}的猫叫{value}。", "{who}给猫取名{value}。", "{who}那只猫的名字是{value}。"),
          ("饼干", "豆腐", "汤圆", "麻薯")),
    Topic(_PROJECTS, ("{who}的数据库是{value}。", "{who}用{value}做数据库。", "{who}的数据存放在{value}里。"),
          ("MySQL", "达梦", "Cassandra", "MongoDB"),
          ("{who}已从{old}迁移到{value}。", "{who}把数据库由{old}换成了{value}。")),
    Topic(_PROJECTS, ("{who}是用{value}写的。", "{who}的开发语言是{value}。", "{who}采用{value}开发。"),
          ("Kotlin", "Elixir", "Ruby", "Scala"), ("{who}已经从{old}改写为{value}。",)),
    Topic(_PROJECTS, ("{who}的负责人是{value}。", "{who}由{value}负责。", "{value}负责{who}。"),
          ("孙倩", "吴迪", "罗晨", "方婷"),
          ("{who}的负责人由{old}换成了{value}。", "{value}从{old}手里接管了{who}。")),
    Topic(_EVENTS, ("{who}在{value}举行。", "{who}的地点是{value}。", "{who}定在{value}举办。"),
          ("市政厅", "四楼会议室", "老图书馆", "海景酒店"), ("{who}的地点由{old}改到了{value}。",)),
    Topic(_PEOPLE, ("{who}每天{value}上班。", "{who}上班的方式是{value}。"),
          ("骑自行车", "坐地铁", "乘轮渡", "开车"), ("{who}以前{old}上班,现在改成{value}了。",)),
    Topic(_PEOPLE, ("{who}的血型是{value}。", "{who}是{value}血。"), ("A型", "B型", "AB型", "O型")),
    Topic(_PEOPLE, ("{who}出生在{value}。", "{who}的出生地是{value}。"), ("绍兴", "银川", "汕头", "洛阳")),
    Topic(_PEOPLE, ("{who}的配偶是{value}。", "{who}和{value}结了婚。"), ("贺敏", "石磊", "韩冰", "唐果")),
    Topic(_SYSTEMS, ("{who}的默认分支是{value}。", "{who}以{value}作为默认分支。"),
          ("main", "develop", "trunk", "stable"), ("{who}的默认分支由{old}改名为{value}。",)),
    Topic(_PEOPLE, ("{who}的专业是{value}。", "{who}在大学读{value}。", "{who}主修{value}。"),
          ("天文学", "语言学", "经济学", "兽医学"), ("{who}从{old}转到了{value}专业。",)),
    Topic(_PEOPLE, ("{who}希望编辑器用{value}。", "{who}喜欢把编辑器设成{value}。"),
          ("深色主题", "浅色主题", "高对比度主题")),
    Topic(_PEOPLE, ("{who}早上喝{value}。", "{who}早晨的饮料是{value}。"), ("绿茶", "黑咖啡", "热可可", "豆浆"),
          ("{who}早上不再喝{old},改喝{value}了。",)),
)  # fmt: skip

AMOUNTS = (
    Amount(_PROJECTS, ("{who}的预算是{n}元。", "{who}有{n}元预算。", "给{who}留了{n}元的预算。"),
           (3000, 8000, 15000, 60000), ("{who}的预算提高到了{n}元。",)),
    Amount(_PROJECTS, ("{who}团队有{n}个人。", "一共{n}个人在做{who}。", "{who}的团队规模是{n}人。"),
           (3, 5, 7, 9, 12, 20), ("{who}团队扩充到了{n}个人。",)),
    Amount(_PEOPLE, ("{who}今年{n}岁。", "{who}的年龄是{n}岁。", "{who}{n}岁了。"), (24, 31, 38, 45, 67)),
    Amount(_SYSTEMS, ("{who}监听{n}端口。", "{who}的端口是{n}。", "{who}运行在{n}端口上。"),
           (3000, 5432, 8080, 9090), ("{who}的端口改成了{n}。",), spelled=False),
    Amount(_PEOPLE, ("{who}有{n}个孩子。", "{who}家里一共{n}个孩子。"), (3, 4, 5)),
    Amount(_PEOPLE, ("{who}每月房租{n}元。", "{who}的月租是{n}元。", "{who}一个月要付{n}元房租。"),
           (1800, 2600, 3500, 4200), ("{who}的月租涨到了{n}元。",)),
    Amount(_PEOPLE, ("{who}每天服用{n}毫克药。", "{who}这种药的每日剂量是{n}毫克。"), (5, 10, 20, 40),
           ("{who}的每日剂量调整为{n}毫克。",)),
    Amount(_SYSTEMS, ("{who}的超时时间是{n}秒。", "{who}等{n}秒后超时。"), (10, 15, 30, 45),
           ("{who}的超时时间调成了{n}秒。",)),
    Amount(_PEOPLE, ("{who}体重{n}公斤。", "{who}的体重是{n}千克。"), (52, 61, 74, 88)),
    Amount(_EVENTS, ("{who}预计有{n}位客人。", "预计{n}位客人参加{who}。"), (14, 35, 50, 80, 120)),
    Amount(_EVENTS, ("{who}时长{n}分钟。", "{who}要持续{n}分钟。"), (20, 40, 75, 100)),
    Amount(_PROJECTS, ("{who}必须在{n}毫秒内响应。", "{who}的延迟上限是{n}毫秒。"), (50, 150, 250, 400), spelled=False),
)  # fmt: skip

DATES = (
    Topic(_EVENTS, ("{who}在{value}。", "{who}定于{value}举行。", "{who}的日期是{value}。", "{who}安排在{value}。"),
          updates=("{who}从{old}推迟到{value}。", "{who}改到{value}了。")),
    Topic(_PROJECTS, ("{who}的截止日期是{value}。", "{who}要在{value}之前完成。", "{who}最晚{value}交付。"),
          updates=("{who}的截止日期延到了{value}。",)),
    Topic(_PEOPLE, ("{who}的生日是{value}。", "{who}{value}过生日。", "{who}出生于{value}。")),
    Topic(_PEOPLE, ("{who}{value}飞往圣地亚哥。", "{who}去圣地亚哥的航班在{value}。"),
          updates=("{who}去圣地亚哥的航班改签到{value}。",)),
    Topic(_PEOPLE, ("{who}{value}入职。", "{who}的入职日期是{value}。", "{who}是{value}加入公司的。")),
    Topic(_PROJECTS, ("{who}{value}上线。", "{who}计划于{value}上线。", "{who}的上线日期是{value}。"),
          updates=("{who}的上线推迟到了{value}。",)),
    Topic(_PEOPLE, ("{who}的护照{value}到期。", "{who}的护照有效期到{value}。")),
)  # fmt: skip

OPPOSITIONS = (
    Opposition(_PEOPLE, ("{who}吃肉。", "{who}是吃肉的。"),
               ("{who}不吃肉。", "{who}从来不吃肉。", "{who}一点肉都不吃。")),
    Opposition(_PEOPLE, ("{who}有驾照。", "{who}考到了驾照。"), ("{who}没有驾照。", "{who}还没考到驾照。")),
    Opposition(_PEOPLE, ("{who}对花生过敏。", "{who}有花生过敏。"), ("{who}对花生不过敏。", "{who}没有花生过敏。")),
    Opposition(_PEOPLE, ("{who}会游泳。", "{who}学会了游泳。"), ("{who}不会游泳。", "{who}没学会游泳。")),
    Opposition(_SYSTEMS, ("{who}支持单点登录。", "{who}可以用单点登录。"),
               ("{who}不支持单点登录。", "{who}没法用单点登录。")),
    Opposition(_SYSTEMS, ("{who}的测试通过了。", "{who}的测试全部通过。"),
               ("{who}的测试没有通过。", "{who}的测试失败了。")),
    Opposition(_EVENTS, ("{who}已经确认了。", "{who}确认下来了。"), ("{who}还没有确认。", "{who}尚未确认。")),
    Opposition(_PROJECTS, ("{who}已经完成。", "{who}做完了。"),
               ("{who}还没有完成。", "{who}尚未完成。", "{who}还没做完。")),
    Opposition(_PEOPLE, ("{who}喜欢吃辣。", "{who}爱吃辣。"),
               ("{who}不喜欢吃辣。", "{who}讨厌吃辣。", "{who}不爱吃辣。")),
    Opposition(_PEOPLE, ("{who}签了合同。", "合同{who}已经签了。"),
               ("{who}没有签合同。", "{who}拒绝签合同。", "{who}没签合同。")),
    Opposition(_PEOPLE, ("{who}愿意接收每周简报。", "{who}同意接收每周简报。"),
               ("{who}不愿意接收每周简报。", "{who}拒绝接收每周简报。")),
    Opposition(_SYSTEMS, ("{who}开启了日志。", "{who}的日志是打开的。"),
               ("{who}关闭了日志。", "{who}的日志是关闭的。", "{who}没有开启日志。")),
    Opposition(_PEOPLE, ("{who}抽烟。", "{who}有抽烟的习惯。"),
               ("{who}不抽烟。", "{who}已经戒烟了。", "{who}不再抽烟。")),
    Opposition(_PEOPLE, ("{who}批准了这份提案。", "{who}通过了这份提案。"),
               ("{who}否决了这份提案。", "{who}没有批准这份提案。")),
    Opposition(_PEOPLE, ("{who}会说葡萄牙语。", "{who}能讲葡萄牙语。"),
               ("{who}不会说葡萄牙语。", "{who}不懂葡萄牙语。")),
)  # fmt: skip

INDEPENDENT = (
    Topic(_PEOPLE, ("{who}喜欢{value}。", "{who}爱好{value}。"), ("登山", "围棋", "做陶艺", "听京剧", "冲浪")),
    Topic(_PEOPLE, ("{who}买了{value}。",), ("一顶帐篷", "一个电饭煲", "两盏台灯", "一把小提琴")),
    Topic(_PEOPLE, ("{who}去过{value}。", "{who}曾经到{value}旅行。"), ("秘鲁", "冰岛", "越南", "摩洛哥")),
    Topic(_PEOPLE, ("{who}读了一本关于{value}的书。",), ("鲸鱼", "丝绸之路", "字体设计", "烘焙")),
    Topic(_PROJECTS, ("{who}依赖{value}。",), ("支付网关", "地址服务", "邮件中继")),
    Topic(_SYSTEMS, ("有人反馈{who}{value}。",), ("链接失效", "页面很慢", "缺少图标")),
    Topic(_PEOPLE, ("{who}问过{value}。",), ("签证规定", "停车证", "无线密码")),
)  # fmt: skip

PARAPHRASES = (
    ("阿杰不仅会拉大提琴,还会弹钢琴。", "大提琴和钢琴阿杰都会。"),
    ("小郭并不是不喜欢狗。", "小郭喜欢狗。"),
    ("会议要开一个半小时。", "会议时长90分钟。"),
    ("苏曼吃素。", "苏曼不吃肉。"),
    ("包裹重2公斤。", "包裹重2000克。"),
    ("林晓戒烟了。", "林晓不再抽烟。"),
    ("服务器宕机了。", "服务器没有在运行。"),
    ("除了马叔谁都没有钥匙。", "只有马叔有钥匙。"),
    ("图书馆晚上八点关门。", "图书馆开到20:00。"),
    ("陈医生受不了香菜。", "陈医生讨厌香菜。"),
    ("邓经理几乎不喝酒。", "邓经理很少喝酒。"),
    ("测试不通过就不发布。", "只有测试通过才发布。"),
    ("欧阳雪从不迟到。", "欧阳雪总是准时。"),
    ("这套房月租1.2万。", "这套房每月租金12000元。"),
    ("发票还没有付。", "发票仍未支付。"),
    ("用户希望回答里不要有表情符号。", "用户不想在回答里看到表情符号。"),
    ("报名的有一打人。", "一共十二个人报名。"),
    ("这个项目被取消了。", "这个项目不会再继续了。"),
    ("表姐没有兄弟姐妹。", "表姐是独生女。"),
    ("门没有锁。", "没人锁门。"),
)

CHANGES = (
    ("林晓在金风科技上班。", "林晓三月份离开金风科技,加入了远景能源。"),
    ("站会是九点半。", "站会改到十点了。"),
    ("阿杰开一辆旧沃尔沃。", "阿杰把沃尔沃卖了,现在开本田。"),
    ("办公室在三楼。", "办公室搬到五楼了。"),
    ("我们的持续集成跑在Jenkins上。", "我们的持续集成已经从Jenkins换到GitHub Actions。"),
    ("苏曼单身。", "苏曼六月份结婚了。"),
    ("用户正在找房子。", "用户已经找到房子,不再找了。"),
    ("小郭在学德语。", "小郭已经不学德语了。"),
    ("这款应用还在内测。", "这款应用结束内测,已经正式发布。"),
    ("每周四发版。", "发版改到每周一了。"),
)

OTHER_SCOPES = (
    ("林晓的手机号尾号是42。", "林晓的办公电话尾号是77。"),
    ("测试服务器装的是Ubuntu。", "生产服务器装的是Debian。"),
    ("冬天店里十点开门。", "夏天店里八点开门。"),
    ("赵建国上大学时当过服务员。", "赵建国现在是建筑师。"),
    ("旧合同为期两年。", "新合同为期五年。"),
    ("去年团队有6个人。", "今年团队有11个人。"),
    ("工作日苏曼六点起床。", "周日苏曼九点起床。"),
    ("一楼刷成白色。", "阁楼刷成绿色。"),
    ("阿杰在北京租房住。", "阿杰在老家有自己的房子。"),
    ("入门课程收费90元。", "进阶课程收费150元。"),
    ("何老师的第一趟航班七点起飞。", "何老师的第二趟航班13:20起飞。"),
    ("第一版只支持SQLite。", "第二版还支持PostgreSQL。"),
    ("她的大儿子12岁。", "她的小儿子8岁。"),
    ("马叔午饭喝汤。", "马叔晚饭吃面。"),
    ("测试用的密钥只读。", "发布用的密钥可写。"),
)

FRAMES = (
    Frame("2019年,{said}", "2023年,{said}"),
    Frame("合并之前,{said}", "合并之后,{said}"),
    Frame("对加拿大的客户来说,{said}", "对巴西的客户来说,{said}"),
    Frame("在测试环境里,{said}", "在正式环境里,{said}"),
    Frame("第一学期,{said}", "第二学期,{said}"),
)
RELATIVES = ("{who}的哥哥", "{who}的邻居", "{who}的母亲", "{who}的好朋友", "{who}的同事")

CHINESE = Material(
    ATTRIBUTES, AMOUNTS, DATES, OPPOSITIONS, INDEPENDENT, PARAPHRASES, CHANGES, OTHER_SCOPES, FRAMES, RELATIVES
)
