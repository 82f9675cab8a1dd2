"""Chinese words of a sentence: what carries it, names, and the little words that deny, change or condition it."""

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from remanent.language.offline.lexicon import LONGEST_SENTENCE, Cue, Person, RawWord, lexicon
from remanent.text.chinese import TaggedWord, is_known, tagged
from remanent.text.scripts import HAN
from remanent.text.wordlists import word_set

_HAN = re.compile(rf"[{HAN}]")
_BREAKS = frozenset("，,；;。！!？?：:（）()—…")
_NAME_TAGS = frozenset("nr ns nt nz nrt nrfg".split())
# Particles, prepositions, conjunctions, pronouns, measures, adverbs, places in relation to others, numerals.
_EMPTY_TAGS = frozenset("u c p y e o x q r d f m h k ul uj uz ug ud uv".split())
_ADVERB_TAGS = frozenset("b z d ad vd".split())
_PARTICLES = frozenset("了着过的地得吗呢吧啊呀")
# Verbs of one character that end no usual name.
_ENDS = _PARTICLES | frozenset("住叫会是有说想去来在爱吃喝开学做买用坐姓搬读写看打当给让被把对没不能要由从已养最今每")
_EMPTY = word_set(
    "是 有 在 为 被 把 给 让 到 来 去 上 下 里 中 内 后 前 着 了 过 的 地 得 将 使 令 对 向 于 之 其 此 个 位 名 "
    "次 种 些 进行 成为 作为 属于 而 以 就 也 都 还 又 再 才 很 已 已经 正在 正 一下 起来 出来 下来 关于 这个 "
    "那个 一个 一名 一位 一种 方面 时候 时 当 做 变 弄 搞 情况 东西 事情 事 话 今后 算 算是 每 每个 一共 总共 共 "
    "要 需 需要 应 应该 定 靠 只 仅 用 会 能 可以 每月 每天 每周 每日 每年 最晚 最迟 最早 最多 最少 现在 目前 "
    "如今 眼下 当前 之前 之后 最近 将来 以后 啊 呀 吧 嘛 哎 嗯 哦 啦 呗 么 现任 时任 担任 出任 就任 达 达到 共计 总计"
)
# Empty beside another verb, the whole point when they end a clause: 快递到了.
_LIGHT = word_set("到 来 去 走 有 在 通过 会 能 可以 行")
_MEASURES = frozenset("个位名只条张本台部辆件套间艘座栋家杯瓶把匹头双份根块片支朵棵")
_BEGINS = frozenset("坐乘搭骑喝吃买看用学打开做养读写穿住去签交付关取考拿订租卖换修送寄收发")
# Words of the dictionary that are two in a claim: 狗叫 is what a dog does, and what it is called.
# They begin words that the segmenter made of two: 我家狗, 叫旺财.
_FIRST = {**dict.fromkeys("我你他她它您", "r"), "叫": "v"}
_NAMED = re.compile(r"[取改起](?:名叫?|名为)")
_NAMING = word_set("取名 取名叫 取名为 起名 起名叫 起名为")
_GLUED = word_set("狗叫 猫叫 鸟叫 鸡叫")
# After them nothing belongs to the subject any more.
_LIKE_VERBS = word_set("在 由 被 把 用 从 对 为 以 和 跟 与 同 向 给 往")
# Adverbs and the like that a claim hangs on.
_CARRYING = word_set("左 右 唯一 最 总是 一直 经常 常常 很少 男 女 必须 一起 独自 全部 所有 全")
_DENYING = word_set(
    "不 没 没有 未 无 非 别 勿 莫 不是 并非 并不 并不是 并没有 从不 从未 从没 从没有 从来不 从来没有 尚未 还没 "
    "还没有 毫无 毫不 无法 不能 "
    "不会 不要 没法 不可 不可能 不得 不想 不愿 不愿意 不用 不必 无需 没能 未能 绝不 决不 绝非 不曾 未曾 不许 不准"
)
# Before a verb they deny it: 拒绝签字; alone they are what was done: 他拒绝了.
_REFUSING = word_set("拒绝 不肯 忘了 忘记")
_LONG_DENIALS = ("不复", "从来没有", "从来不", "没有", "没法", "无法", "不能", "不会", "尚未", "从不", "从未")
_WISHES = word_set("想 愿 愿意 可能 许 准")
_ENDING = word_set(
    "差点 差一点 险些 不再 不再是 戒 戒掉 戒了 放弃 停止 离开 辞去 辞掉 退出 卖掉 告别 取消 结束 停用 弃用"
)
_LEAVING = word_set("卖 卖掉 扔 扔掉 退掉 删 删掉 停掉 拆 离职 辞职 退休 跳槽 搬走 退学 出院 离开 调离 毕业")
# Words that look like denials and are none.
_LEXICAL = word_set(
    "不仅 不但 不只 不光 不单 不过 不同 不少 不错 不久 不断 不论 不管 不如 不得不 不得了 不由 不禁 不妨 不愧 不幸 "
    "不满 不足 不良 不安 "
    "不便 不利 不料 不顾 不比 不时 不惜 不等 不止 不见得 不一定 不至于 不知不觉 非常 非凡 非得 非要 无论 无数 无疑 "
    "无非 无聊 无线 无限 "
    "无穷 未来 未必 没事 没关系 没准 没收 没落 别人 别的 别墅 别处 别扭 无锡 无人机 不动产 不倒翁 非洲 非法 未婚 "
    "无罪 不在乎 不在意 "
    "差不多 对不起 了不起 忍不住 来不及 受不了 恨不得 舍不得 说不定 要不然 要不 巴不得 少不了 免不了 不同意 不到 "
    "不超过 不少于 不低于"
)
_UNABLE = word_set("不到 不了 不起 不动 不完 不懂 不下 不上 不见 不清")
_POTENTIAL = re.compile(rf"([{HAN}])不([了到起动完好住着下上懂见清开得])")
_A_NOT_A = re.compile(rf"([{HAN}])[不没]\1|是否|能否|可否")
_CHANGING = word_set(
    "搬 搬到 搬去 搬家 换 换成 换到 改 改为 改成 改到 改签 改行 改名 改喝 改用 改坐 改吃 调整 调 调成 变成 变为 "
    "成了 转 转到 转为 迁移 迁到 迁 "
    "迁往 转行 切换 升级 推迟 延期 延 延到 提前 提高 提高到 上调 下调 涨 涨到 降到 扩充 扩大 接管 替换 取代 更新 "
    "修改 更换 改写 升职 跳槽 "
    "增加到 减少到 延长 缩短 搬迁"
)
_BREAKING = word_set("但 但是 可是 不过 而 然而 却 所以 因为 由于 如果 虽然 尽管 并且 而且 就 才 因此 并")
_CONDITIONS = word_set(
    "如果 要是 假如 倘若 除非 只要 只有 否则 的话 万一 不一定 未必 不见得 可能 也许 或许 除了 除 说不定 大概 应该 "
    "建议 打算 除非"
)
_BEFORE = word_set(
    "前任 原任 以前 从前 原来 原先 曾 曾经 过去 当初 当年 当时 起初 本来 小时候 年轻时 上学时 那时 那时候"
)
_SERVING = word_set("担任 出任 就任")
_BEING = _SERVING | word_set("是 为 叫 系 换成 改为 改成 变成 变为 成了 成为")
_FROM = word_set("从 由 自 把 将")
_TO = word_set(
    "到 成 为 至 往 换成 改为 改成 改到 变成 变为 搬到 迁到 转到 换到 换为 调成 涨到 升到 推迟到 延到 搬去 转为 "
    "迁往 改写 换 改签 改名"
)
# What one person is of a house; the segmenter takes some of them for verbs.
_POSTS = ("馆长", "站长", "院长", "校长", "市长", "部长", "局长", "经理", "主任", "主席", "总裁", "董事长", "主编")
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵周吴徐孙马朱胡林郭何高罗郑梁谢宋唐许邓韩冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙史陶贺顾毛郝龚邵万覃武钱戴严莫孔向常汤"
)
_TITLES = word_set("总 董 工 哥 姐 叔 姨 老师 经理 医生 主任 教授 博士 局长 校长 部长 先生 女士 小姐 律师 老板")
_PERSONS: dict[str, Person] = {
    **dict.fromkeys("我 我们 咱 咱们 俺 本人".split(), "first"),
    **dict.fromkeys("你 您 你们".split(), "second"),
    **dict.fromkeys("他 她 它 他们 她们 它们".split(), "third"),
}


def read(text: str, cuts: Collection[int] = ()) -> list[RawWord]:
    """Return the words of a Chinese sentence in order, of a very long one those of its beginning.

    No word goes across a cut.
    """
    text = text[:LONGEST_SENTENCE]
    cuts = [cut for cut in cuts if cut <= len(text)]
    words = [part for word in _segmented(text, cuts) for part in _unglued(word)]
    words = _with_deeds(_with_people(_with_titles(words)))
    raws: list[RawWord] = []
    for place, word in enumerate(words):
        following = words[place + 1].text if place + 1 < len(words) else ""
        if raws and raws[-1].is_verb and word.text in _UNABLE:
            raws.insert(-1, RawWord(word.text, raws[-1].start, raws[-1].start, "", frozenset({Cue.DENY})))
            continue  # 找|不到: the verb before it is denied
        if word.text in _REFUSING and place + 1 < len(words) and words[place + 1].tag[:1] == "v":
            raws.append(RawWord(word.text, word.start, word.end, "", frozenset({Cue.DENY}), is_verb=True))
            continue
        raws += _raws(word, last=not following or following in _BREAKS or following in _PARTICLES)
    return _without_near_denials(raws)


def _segmented(text: str, cuts: Collection[int]) -> Iterator[TaggedWord]:
    named = [match.span() for match in _NAMED.finditer(text)]
    known = {cut for cut in cuts if not any(start < cut < end for start, end in named)}
    for start, end in pairwise(sorted({0, len(text), *known, *(place for span in named for place in span)})):
        if text[start:end] in _NAMING:
            yield TaggedWord(text[start:end], start, end, "v")
            continue
        for word in tagged(text[start:end]):
            yield TaggedWord(word.text, start + word.start, start + word.end, word.tag)


def _with_titles(words: list[TaggedWord]) -> list[TaggedWord]:
    """Take a surname and the title after it for a name: 张总, 李工."""
    made: list[TaggedWord] = []
    for word in words:
        last = made[-1] if made else None
        if last and last.end == word.start and last.text in _SURNAMES and word.text in _TITLES:
            made[-1] = TaggedWord(last.text + word.text, last.start, word.end, "nr")
        else:
            made.append(word)
    return made


def _with_deeds(words: list[TaggedWord]) -> list[TaggedWord]:
    """Take a noun of doing for the verb where it was done: 设计了大桥."""
    made = list(words)
    for place, (word, following) in enumerate(pairwise(words)):
        if word.tag == "vn" and following.text[:1] in {"了", "过", "着"}:
            made[place] = TaggedWord(word.text, word.start, word.end, "v")
    return made


_BEFORE_PEOPLE = word_set("是 由 为 叫 任 和 与 跟 把 让 请 给 被")


def _with_people(words: list[TaggedWord]) -> list[TaggedWord]:
    """Put the names of people together that the dictionary takes apart: 韩|松涛, 方志|恒, where a name may stand."""
    made: list[TaggedWord] = []
    for place, word in enumerate(words):
        last = made[-1] if made else None
        before = made[-2].text if len(made) > 1 else ""
        following = words[place + 1].text if place + 1 < len(words) else ""
        whole = last.text + word.text if last else ""
        if (
            last
            and last.end == word.start
            and len(whole) == 3
            and whole[0] in _SURNAMES
            and (before in _BEFORE_PEOPLE or before in _BREAKS or not before)
            and word.tag[:1] not in "vupcydrmtq"
            and all(_HAN.match(sign) for sign in whole)
            and (len(last.text) == 1 or before in _BEFORE_PEOPLE or following in _BEING)
            and word.text not in _ENDS
        ):
            made[-1] = TaggedWord(whole, last.start, word.end, "nr")
        else:
            made.append(word)
    return made


def _without_near_denials(raws: list[RawWord]) -> list[RawWord]:
    """Read 几乎不 as 很少, which denies nothing for certain, 最晚 as the bound that it is, 最爱 as one word."""
    made: list[RawWord] = []
    for raw in raws:
        if made and made[-1].text == "最" and raw.text in {"晚", "迟", "早", "多", "少"}:
            made[-1] = RawWord(made[-1].text + raw.text, made[-1].start, raw.end)
        elif made and made[-1].text == "最" and raw.text in {"喜欢", "爱", "喜爱", "钟爱"}:
            made[-1] = RawWord(made[-1].text + raw.text, made[-1].start, raw.end, "最喜欢", is_verb=True)
        elif made and made[-1].text in {"几乎", "差点", "不太", "不怎么"} and raw.has(Cue.DENY):
            made[-1] = RawWord(made[-1].text + raw.text, made[-1].start, raw.end, "很少")
        else:
            made.append(raw)
    return made


def _unglued(word: TaggedWord) -> list[TaggedWord]:
    """Part a word that the dictionary does not have into those that it has.

    The segmenter guesses at names and likes them long: 张伟住|在, 猫叫|团子, 合同|签了, 没签合同.
    """
    text = word.text
    if len(text) < 2 or not _HAN.match(text[0]) or text in _LEXICAL | _DENYING | _NAMING:
        return [word]
    known = is_known(text) and text not in _GLUED
    if not known and text[0] in "没不未" and text[1] not in "是有":
        return [_part(word, 0, 1, "d"), *_unglued(_part(word, 1, len(text), "v"))]
    if not known and text[0] in _FIRST:
        return [_part(word, 0, 1, _FIRST[text[0]]), *_unglued(_part(word, 1, len(text), word.tag))]
    if not known and len(text) == 4 and is_known(text[:2]) and is_known(text[2:]):
        return [_part(word, 0, 2, "n"), _part(word, 2, 4, word.tag)]
    verbal = text[0] in _BEGINS and (not known or text[0] in "喝吃抽坐乘搭骑")
    if len(text) > 2 and verbal and is_known(text[1:]):
        return [_part(word, 0, 1, "v"), _part(word, 1, len(text), "n")]
    if len(text) > 2 and text[0] in "一两二三四五六七八九十几" and text[1] in _MEASURES:
        return [_part(word, 0, 2, "m"), *_unglued(_part(word, 2, len(text), "n"))]
    particle = text[-1] in _PARTICLES
    glued = word.tag[:1] == "u" or (word.tag == "p" and text[-1] == "着")
    if text[-1] not in _ENDS or (known and not (particle and glued)):
        return [word]
    tag = word.tag if word.tag[:1] == "n" else "v" if particle else "n"
    return [_part(word, 0, len(text) - 1, tag), _part(word, len(text) - 1, len(text), "u" if particle else "v")]


def _part(word: TaggedWord, start: int, end: int, tag: str) -> TaggedWord:
    return TaggedWord(word.text[start:end], word.start + start, word.start + end, tag)


def _raws(word: TaggedWord, *, last: bool) -> list[RawWord]:
    text = word.text
    if not text.strip():
        return []
    if text in _LEXICAL:
        return [_plain(word, last=last)]
    if text in _ENDING:
        return [RawWord(text, word.start, word.end, "", frozenset({Cue.END, Cue.CHANGE}), is_verb=True)]
    if text in _DENYING:
        return _denial(word)
    if (able := _POTENTIAL.fullmatch(text)) is not None:
        return [
            RawWord("不", word.start, word.start, "", frozenset({Cue.DENY})),
            RawWord(text, word.start, word.end, able[1]),
        ]
    if (head := next((head for head in _LONG_DENIALS if text.startswith(head) and text != head), "")) != "":
        border = word.start + len(head)
        denial, rest = TaggedWord(head, word.start, border, "d"), TaggedWord(text[len(head) :], border, word.end, "v")
        return [*_denial(denial), _plain(rest, last=last)]
    if len(text) > 1 and text[0] in "不没未无" and _HAN.match(text[1]) and (len(text) == 2 or is_known(text[1:])):
        rest = TaggedWord(text[1:], word.start + 1, word.end, "v")
        return [RawWord(text[0], word.start, word.start + 1, "", frozenset({Cue.DENY})), _plain(rest, last=last)]
    return [_plain(word, last=last)]


def _denial(word: TaggedWord) -> list[RawWord]:
    """Return a denial, with the wish that it denies (不想) as a word of its own."""
    deny = RawWord(
        word.text, word.start, word.end, "", frozenset({Cue.DENY}), is_verb=word.text in {"没有", "没", "无"}
    )
    rest = word.text.lstrip("不没未")
    return [deny, RawWord(rest, word.end, word.end, rest, is_verb=True)] if rest in _WISHES else [deny]


def _plain(word: TaggedWord, *, last: bool) -> RawWord:
    text = word.text
    cues = _cues(text)
    person = _PERSONS.get(text, "")
    verb = (word.tag[:1] == "v" and word.tag != "vn" and not text.endswith(_POSTS)) or text in _LIKE_VERBS
    # An adverb does not end a clause: 位于大连.
    misread = last and word.tag == "d" and len(text) > 1 and not (text in _EMPTY or cues)
    name = misread or word.tag in _NAME_TAGS or (word.tag == "eng" and not text.isdigit())
    light = text in _LIGHT and last
    empty = text in _EMPTY or (word.tag in _EMPTY_TAGS and not misread and (len(text) == 1 or is_known(text)))
    kept = light or text in _CARRYING or (len(text) > 1 and text in lexicon("zh").known and text not in _EMPTY)
    if person or not any(sign.isalnum() for sign in text) or (empty and not kept):
        return RawWord(text, word.start, word.end, "", cues, is_verb=verb, person=person)
    adverb = word.tag in _ADVERB_TAGS
    return RawWord(text, word.start, word.end, text.casefold(), cues, is_name=name, is_verb=verb, is_adverb=adverb)


def _cues(text: str) -> frozenset[Cue]:
    return frozenset(
        cue
        for words, cue in (
            (_BREAKS | _BREAKING, Cue.BREAK),
            (_CONDITIONS, Cue.CONDITION),
            (_BEFORE, Cue.BEFORE),
            (_CHANGING | _LEAVING, Cue.CHANGE),
            (_LEAVING, Cue.LEAVE),
            (_FROM, Cue.FROM),
            (_TO, Cue.TO),
            (_BEING, Cue.BE),
            (frozenset({"直到", "截至", "开到"}), Cue.UNTIL),
            (frozenset({"？", "?", "吗", "呢", "么"}), Cue.QUESTION),
        )
        if text in words
    )


def asks(text: str) -> bool:
    """Tell whether a sentence asks by saying a thing and its denial: 是不是, 有没有."""
    return _A_NOT_A.search(text) is not None
