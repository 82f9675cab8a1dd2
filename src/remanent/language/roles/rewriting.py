"""Rewriting: a model words a question in several ways that find more."""

from typing import TYPE_CHECKING

from remanent.errors import Refused
from remanent.language.exchanges.rewriting import LONGEST_QUERY, RewritingRequest, RewritingResponse
from remanent.language.replies import Lines
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tidying import line, lines
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, abridged, block, group, prompt, utterance_block
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_EARLIER = 500
_INSTRUCTIONS: Wording = {
    "zh": """
你负责把用户的问题（<query>）改写成便于检索的查询；<earlier> 是之前的对话，用来弄清“那个”“它”指什么。
规则：
1. 每条查询独立可懂：补全指代和省略，去掉口语；名称、数字、日期照写。
2. 各条角度不同：换用同义词或术语，问原因、做法或现象；其中一条用英文。
3. 不回答问题，不猜测对话里没有的细节。最多写 <limit> 条，最好的在前。
字段 queries：字符串列表。
示例（问题“怎么修那个登录的 bug”）：{"queries": ["登录页面 bug 修复方案", "用户认证错误排查", "login authentication \
error fix"]}
""",
    "en": """
You rewrite the user's question (<query>) into queries that search well; <earlier> is what was said before: use it \
to tell what "that" and "it" mean.
Rules:
1. Each query makes sense alone: fill in what is meant or left out, drop small talk; keep names, numbers and dates.
2. Each takes another angle: synonyms or technical terms, the cause, the method or the symptom.
3. Do not answer the question and do not guess details. At most as many queries as <limit> says, the best first.
Field queries: a list of strings.
Example (for "how do I fix that login bug"): {"queries": ["login page bug fix", "user authentication error causes", \
"sign-in fails after password entry"]}
""",
}


class RewritingReply(Model):
    """Queries that search well."""

    queries: Lines


class Rewriting(Role[RewritingRequest, RewritingReply, RewritingResponse]):
    """Model a question in several ways."""

    name = "rewriting"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.4, top_p=0.9, max_tokens=512, window=8_000)
    request = RewritingRequest
    reply = RewritingReply

    def tongue(self, request: RewritingRequest) -> Tongue:
        """Speak the language of the question."""
        return tongue_of(request.query)

    def prompt(self, request: RewritingRequest, *, tongue: Tongue) -> Prompt:
        """Show the question after what was said before it."""
        earlier = [utterance_block(said, abridged(said.text, _LONGEST_EARLIER)) for said in request.earlier]
        parts = [group("earlier", earlier), block("query", request.query), block("limit", str(request.count))]
        return prompt(_INSTRUCTIONS[tongue], parts, tongue=tongue)

    def read(self, request: RewritingRequest, reply: RewritingReply) -> RewritingResponse:
        """Keep other wordings, each once."""
        asked = line(request.query, LONGEST_QUERY)
        queries = lines((asked, *reply.queries), most=request.count + 1, limit=LONGEST_QUERY)
        if not any(query.strip() for query in reply.queries):
            raise Refused("queries must hold at least one query")
        return RewritingResponse(queries=queries[1 if asked else 0 :][: request.count])

    async def offline(self, request: RewritingRequest, toolbox: "Toolbox") -> RewritingResponse:
        """Leave only the telling words, and what the words before tell that they mean."""
        from remanent.language.offline.rewriting import rewrite

        return await rewrite(request, toolbox)
