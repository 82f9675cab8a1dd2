"""Words that say nothing about what is looked for, in English and Chinese; a query is better off without them."""

_ENGLISH = """
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

_CHINESE = """
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

ENGLISH = frozenset(_ENGLISH.split())
CHINESE = frozenset(_CHINESE.split())
