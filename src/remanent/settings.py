"""Everything that can be set, in one model: flag, then environment, then project file, then user file, then default."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic.functional_validators import ModelWrapValidatorHandler

from remanent.errors import InvalidScope, InvalidSettings
from remanent.model.scope import check_name
from remanent.plugins import Declared, found

PROJECT_FILE = "remanent.yaml"
"""Looked for in the current directory."""

USER_FILE = "remanent/config.yaml"
"""Looked for under the user's configuration directory."""

PREFIX = "REMANENT_"
SECRETS_FOLDER = ".secrets"
"""Under the home folder unless the setting `secrets` names another; no organisation can have this name."""
NESTING = "__"
STORES = ("sqlite", "postgresql")
"""The schemes a store's URL may have."""
CACHES = ("memory", "redis", "rediss", "unix")
"""The same for what keeps copies for a while."""
BLOBS = ("files", "s3")
"""The same for what keeps raw files."""

Provider = Literal["openai", "deepseek", "anthropic", "ollama", "local"]
"""Who serves a language model; `local` is any OpenAI-compatible URL."""

ModelTier = Literal["core", "code", "compression", "extraction", "intent", "embedding", "rerank"]
"""What sort of model a role needs."""

USUAL_KEYS: Mapping[str, str] = {
    "openai": "OPENAI_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
"""The variables that providers' own tools take their key from; taken here too when the provider is named."""

WORKSPACE_ROOTS = ("REMANENT_WORKSPACE_ROOT", "AGX_WORKSPACE_ROOT")
"""The variables that name the folder of a workspace; ours before the one that other agents' runtimes know."""

TOOL_KEYS: Mapping[str, str] = {"search": "SERPER_API_KEY", "reader": "JINA_API_KEY"}
"""The same for the services that agents' tools ask, by the group of settings."""


def _data_directory() -> Path:
    return _xdg("XDG_DATA_HOME", otherwise=".local/share") / "remanent"


def _xdg(variable: str, *, otherwise: str) -> Path:
    named = os.environ.get(variable, "")
    # The XDG rules have a relative path ignored.
    if os.path.isabs(named):
        return Path(named)
    try:
        return Path.home() / otherwise
    except RuntimeError as error:
        raise InvalidSettings(f"the user's home directory is unknown; set HOME, {variable} or {PREFIX}HOME") from error


def _check_home(value: object) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise ValueError(f"must be a path, not {type(value).__name__}")
    text = os.fspath(value)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise ValueError("must be the path of a folder")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("names a user whose home directory is unknown; write the path out") from error


def _check_name(value: str, info: ValidationInfo) -> str:
    try:
        return check_name(value, what=info.field_name or "name")
    except InvalidScope as error:
        raise ValueError(str(error)) from error


def _check_url(url: str, *, what: str, schemes: tuple[str, ...]) -> str:
    scheme, _, rest = url.strip().partition(":")
    # The URL itself is not repeated: it may hold a password.
    if scheme not in schemes:
        raise ValueError(f"there is no {what} for this URL; its scheme must be one of: {', '.join(schemes)}")
    plain = schemes[0]
    if scheme == plain and rest.strip("/") and plain != "sqlite":
        raise ValueError(f"nothing stands behind {plain}; write just {plain}")
    if scheme == "sqlite" and rest.strip("/") and not rest.startswith("///"):
        raise ValueError("a folder is named by three slashes and its whole path, as in sqlite:///var/lib/remanent")
    if scheme != plain and not rest.startswith("//"):
        raise ValueError(f"must be a URL such as {scheme}://host/name")
    return url.strip() if rest.strip("/") else scheme


def _check_store(url: SecretStr) -> SecretStr:
    return SecretStr(_check_url(url.get_secret_value(), what="store", schemes=STORES))


def _check_cache(url: SecretStr) -> SecretStr:
    return SecretStr(_check_url(url.get_secret_value(), what="cache", schemes=CACHES))


def _check_blobs(url: str) -> str:
    return _check_url(url, what="place of files", schemes=BLOBS)


def _check_base_url(url: str) -> str:
    # The URL itself is not repeated: somebody may have put a password into it.
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError("must be a URL such as http://localhost:8080/v1") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("must be a URL such as http://localhost:8080/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user name or a password; set api_key instead")
    if parts.query or parts.fragment:
        raise ValueError("must end with its path, without ? and #")
    return url.strip().rstrip("/")


def _check_key(key: SecretStr) -> SecretStr:
    text = key.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("must be the key alone: printable ASCII characters and no spaces")
    return SecretStr(text)


def _check_model(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("must be the name that the provider gives the model")
    return name.strip()


Name = Annotated[str, AfterValidator(_check_name)]
Folder = Annotated[Path, BeforeValidator(_check_home)]
Url = Annotated[str, AfterValidator(_check_base_url)]
Key = Annotated[SecretStr, AfterValidator(_check_key)]
ModelName = Annotated[str, AfterValidator(_check_model)]
Seconds = Annotated[float, Field(gt=0, le=86_400 * 366)]
Number = Annotated[int, Field(ge=1, le=2**53)]


class SettingsSection(BaseModel):
    """What all groups of settings share: frozen, and no unknown name passes."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True, defer_build=True
    )


def setting(default: Any, english: str, chinese: str, **bounds: Any) -> Any:
    """Declare a setting: its default (or the function that makes it), its meaning in both languages, its bounds.

    docs/settings.md and the help of the command line are made from this. Inside `Annotated`, where the default is
    given beside it, the first argument is `...`.
    """
    made = {"default_factory": default} if callable(default) else {"default": default}
    return Field(**made, description=english, json_schema_extra={"chinese": chinese}, **bounds)


# What the groups for services asked over HTTP share: one meaning each, while every group has defaults of its own (an
# answer of a language model takes longer than a batch of vectors, and is smaller).
RequestTimeout = Annotated[
    Seconds,
    setting(
        ...,
        "Seconds that one request may take, from connecting to the last byte.",
        "单个请求的时限（秒），从连接到最后一个字节。",
    ),
]
ReadTimeout = Annotated[
    Seconds, setting(..., "Seconds to wait for the next byte of an answer.", "等待回答的下一个字节的秒数。")
]
ConnectTimeout = Annotated[Seconds, setting(..., "Seconds to wait for a connection.", "等待建立连接的秒数。")]
MaxAnswer = Annotated[
    ByteSize,
    setting(
        ...,
        "The largest answer that is read; a larger one is refused as soon as that shows.",
        "可读取的最大回答；更大的一经发现即被拒绝。",
        ge=1024,
    ),
]
Attempts = Annotated[
    Number,
    setting(
        ...,
        "Attempts at a request that fails for a reason that may pass: overload, outage, time-out.",
        "因过载、故障或超时而失败的请求的尝试次数。",
    ),
]


class JobSettings(SettingsSection):
    """How background work is queued, retried and given up."""

    enabled: bool = setting(
        True,
        "Whether this process does background work; else what it is asked for waits for another one of the same home.",
        "本进程是否执行后台任务；关闭后，任务留待同一目录的其他进程执行。",
    )
    queue_limit: Number = setting(
        1000,
        "Jobs that may wait or run for one agent; past it, new work is refused and nothing is lost.",
        "每个智能体排队与运行中的任务上限；超出后拒绝新任务，已排队的不会丢失。",
    )
    concurrency: Number = setting(
        4,
        "Jobs that run at the same time in one process; those of one lane of an agent never do.",
        "单个进程内同时运行的任务数；同一智能体同一通道的任务始终逐个执行。",
    )
    lease: Seconds = setting(
        60.0,
        "Seconds until a job of a process that died is taken over by another; renewed while it runs.",
        "进程异常退出后，其任务由其他进程接手前的秒数；运行期间自动续期。",
    )
    max_attempts: Number = setting(
        5, "Attempts before a failing job is kept as a dead letter.", "任务失败多少次后转为死信保留。"
    )
    backoff_base: Seconds = setting(
        1.0,
        "Seconds before the second attempt; doubled before each further one.",
        "第二次尝试前等待的秒数；之后每次加倍。",
    )
    backoff_cap: Seconds = setting(
        30.0, "The longest wait between two attempts, in seconds.", "两次尝试之间的最长等待秒数。"
    )
    poll: Seconds = setting(
        30.0,
        "Seconds between looks at an idle agent's queue, for work that other processes left there.",
        "空闲时查看队列的间隔秒数，用于发现其他进程留下的任务。",
    )
    drain_timeout: Seconds = setting(
        25.0,
        "Seconds that running jobs get to end when Remanent closes; then they are given back.",
        "关闭时等待运行中任务结束的秒数；超时的任务退回队列。",
    )


class VectorSettings(SettingsSection):
    """How vectors are searched."""

    exact_limit: Number = setting(
        100_000,
        "Vectors of one agent that are searched exactly; past it, approximately.",
        "单个智能体使用精确检索的向量数上限；超出后改用近似检索。",
    )
    memory_budget: ByteSize = setting(
        ByteSize(1024**3),
        "Memory that vector indexes may use together; the longest unused are dropped first.",
        "所有向量索引可用的内存总量；超出时先释放最久未用的。",
        ge=1,
    )


class ModelChoice(SettingsSection):
    """Which model is asked, and how; what is not set is taken from the next more general place.

    One that names a provider or a base URL stands alone in what it says of provider, URL, key and name: a key is never
    sent to a place that it was not given for.
    """

    provider: Provider | None = setting(
        None,
        "Who serves the model; `local` is any OpenAI-compatible URL, and meant when only that is set.",
        "模型的提供方；`local` 指任意兼容 OpenAI 的地址，只设置地址时即为此项。",
    )
    name: ModelName | None = setting(
        None, "The model, by the name that its provider gives it.", "模型名称，即提供方所用的名称。"
    )
    api_key: Key | None = setting(
        None,
        "The provider's key; by default from `OPENAI_API_KEY`, `DEEPSEEK_API_KEY` or "
        "`ANTHROPIC_API_KEY` when that provider is named.",
        "提供方的密钥；指明提供方时，默认取自 `OPENAI_API_KEY`、`DEEPSEEK_API_KEY` 或 `ANTHROPIC_API_KEY`。",
    )
    base_url: Url | None = setting(
        None,
        "Where the provider is reached; needed for `local`, known for the others.",
        "提供方的地址；`local` 必须设置，其余有默认值。",
    )
    output: Literal["auto", "schema", "tool", "json", "text"] | None = setting(
        None,
        "How a structured answer is asked for: by JSON schema, as a tool call, as any JSON, or in "
        "words alone; `auto` takes the best that the provider has.",
        "获取结构化回答的方式：JSON schema、工具调用、任意 JSON 或仅凭文字说明；`auto` 取提供方支持的最佳方式。",
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = setting(
        None,
        "How freely the model chooses its words; unset, each role has its own.",
        "采样温度；未设置时各角色使用自己的默认值。",
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = setting(
        None,
        "The share of likely words that the model chooses from; unset, each role has its own.",
        "核采样比例；未设置时各角色使用自己的默认值。",
    )
    max_tokens: Number | None = setting(
        None,
        "Tokens that an answer may have; unset, each role has its own.",
        "回答的最大 token 数；未设置时各角色使用自己的默认值。",
    )
    window: Number | None = setting(
        None,
        "Tokens that a request may have; unset, each role has its own.",
        "请求的最大 token 数；未设置时各角色使用自己的默认值。",
    )
    vision: bool | None = setting(
        None, "Whether the model sees pictures; unset, it is shown none.", "模型是否能看图；未设置时不向其展示图片。"
    )


class RoleChoice(ModelChoice):
    """What does the work of one role, or of the roles of one tier."""

    engine: Literal["model", "offline"] | None = setting(
        None,
        "Whether the model is asked at all; `offline` does it without one.",
        "是否使用模型；`offline` 表示不用模型完成。",
    )


class ModelSettings(ModelChoice):
    """The language model: which one, for what, how long to wait for it and how often to try."""

    tiers: dict[ModelTier, RoleChoice] = setting(
        dict,
        "Any of the settings from `model.provider` to `model.vision`, for the roles of one tier; "
        "`engine: offline` does them without a model, `engine: model` with one.",
        "仅对某一层级的角色生效的设置，可用 `model.provider` 至 `model.vision` 各项；"
        "`engine: offline` 不用模型完成，`engine: model` 使用模型。",
    )
    roles: dict[str, RoleChoice] = setting(
        dict,
        "The same for one role, which counts before its tier; `remanent roles check` proposes which "
        "roles a model should do.",
        "同上，仅对某一角色生效，优先于其层级；`remanent roles check` 会建议哪些角色交给模型。",
    )
    timeout: Seconds = setting(
        300.0,
        "Seconds that a role's work may take in all, further attempts included.",
        "一次角色任务的总时限（秒），包括重试。",
    )
    request_timeout: RequestTimeout = 120.0
    read_timeout: ReadTimeout = 60.0
    connect_timeout: ConnectTimeout = 10.0
    max_answer: MaxAnswer = ByteSize(8 * 1024**2)
    attempts: Attempts = 3
    backoff_base: Seconds = setting(
        1.0,
        "Seconds before the second attempt, more or less; doubled before each further one.",
        "第二次尝试前大致等待的秒数；之后每次加倍。",
    )
    backoff_cap: Seconds = setting(
        30.0,
        "The longest wait between two attempts; a provider that asks for a longer one is not asked "
        "again in the same call.",
        "两次尝试之间的最长等待秒数；提供方要求更久时，本次调用不再重试。",
    )
    breaker_failures: Number = setting(
        5, "Failures in a row after which a provider is left alone for a while.", "提供方连续失败多少次后暂停使用。"
    )
    breaker_rest: Seconds = setting(
        30.0,
        "Seconds that a failing provider is left alone before one request tries it.",
        "失败的提供方暂停多少秒后，再以一个请求试探。",
    )


class EmbeddingSettings(SettingsSection):
    """The embedder that is not bundled: which model, where, and how long to wait for it."""

    base_url: Url | None = setting(
        None,
        "Where an OpenAI-compatible embedding API is reached, up to `/embeddings`; needed for the embedder `http`.",
        "兼容 OpenAI 的向量接口地址，写到 `/embeddings` 之前；`embedder` 为 `http` 时必须设置。",
    )
    api_key: Key | None = setting(None, "The key for that API, if it needs one.", "该接口的密钥（如需要）。")
    former_api_key: Key | None = setting(
        None,
        "After a change to another API: the key for the one before, whose vectors answer until all "
        "have been made anew. At the same host `api_key` serves both.",
        "更换接口后，原接口的密钥；新向量全部生成之前，原有向量仍参与检索。主机相同时共用 `api_key`。",
    )
    name: ModelName | None = setting(
        None,
        "The embedding model, by the name that the API gives it, or for `sentence-transformers` the "
        "folder it is in. Vectors are kept under this name: another model needs another one.",
        "向量模型的名称，即接口所用的名称；`sentence-transformers` 时为模型所在目录。"
        "向量按此名称保存，不同模型须用不同名称。",
    )
    dimension: Annotated[int, Field(ge=1, le=65_536)] | None = setting(
        None,
        "The length of the model's vectors; needed for `http` and `sentence-transformers`.",
        "模型向量的维数；`embedder` 为 `http` 或 `sentence-transformers` 时必须设置。",
    )
    shorten: bool = setting(
        False,
        "Whether the API is asked to shorten its vectors to `dimension`; not every model can.",
        "是否要求接口将向量缩短为 `dimension` 维；并非所有模型都支持。",
    )
    window: Number = setting(
        4000,
        "Characters that the model reads at once; a longer text is read in pieces.",
        "模型一次读取的字符数；更长的文本分段读取。",
    )
    timeout: Seconds = setting(
        60.0, "Seconds that a batch may take in all, further attempts included.", "一批文本的总时限（秒），包括重试。"
    )
    request_timeout: RequestTimeout = 30.0
    max_answer: MaxAnswer = ByteSize(32 * 1024**2)
    attempts: Attempts = 3


class ReactSettings(SettingsSection):
    """How far the built-in agent goes before it must answer."""

    max_calls: Annotated[int, Field(ge=1, le=1000)] = setting(
        60,
        "Questions to the model in one run; the last of them asks for the final answer.",
        "一次运行中调用模型的最多次数；最后一次要求给出最终答案。",
    )
    max_tokens: Number = setting(
        128_000,
        "Tokens that the conversation may grow to; past it, an answer is forced.",
        "对话可增长到的 token 数；超出后强制作答。",
    )
    answer_at: Annotated[float, Field(gt=0, le=1)] = setting(
        0.9,
        "The share of `react.max_tokens` from which on the final answer is asked for.",
        "达到 `react.max_tokens` 的多大比例后要求给出最终答案。",
    )
    max_result: Number = setting(
        8_000,
        "Tokens of one tool's result that the agent is shown; the journal keeps all of it.",
        "智能体看到的单个工具结果的最多 token 数；完整结果保存在日志中。",
    )
    tool_timeout: Seconds = setting(120.0, "Seconds that one tool call may take.", "单次工具调用的时限（秒）。")


class SearchSettings(SettingsSection):
    """The web search of agents: Serper's API, or another that speaks its form."""

    api_key: Key | None = setting(
        None,
        "Serper's key, by default from `SERPER_API_KEY`; without one, agents search what they were "
        "given and not the web.",
        "Serper 的密钥，默认取自 `SERPER_API_KEY`；未设置时智能体只检索已有内容，不检索网络。",
    )
    base_url: Url = setting("https://google.serper.dev", "Where the search API is reached.", "搜索接口的地址。")
    results: Annotated[int, Field(ge=1, le=100)] = setting(
        10, "Results that a search asks for.", "一次搜索请求的结果数。"
    )
    timeout: Seconds = setting(
        30.0, "Seconds that a search may take in all, further attempts included.", "一次搜索的总时限（秒），包括重试。"
    )


class ReaderSettings(SettingsSection):
    """How agents read web pages."""

    mode: Literal["auto", "jina", "direct"] = setting(
        "auto",
        "Who reads a page: `jina` is Jina Reader, `direct` this machine; `auto` is `jina` when it has "
        "a key. Private addresses are refused either way.",
        "由谁读取网页：`jina` 为 Jina Reader，`direct` 为本机；`auto` 在设有密钥时用 `jina`。内网地址一律拒绝。",
    )
    api_key: Key | None = setting(
        None, "Jina's key, by default from `JINA_API_KEY`.", "Jina 的密钥，默认取自 `JINA_API_KEY`。"
    )
    base_url: Url = setting("https://r.jina.ai", "Where Jina Reader is reached.", "Jina Reader 的地址。")
    timeout: Seconds = setting(
        60.0,
        "Seconds that reading a page may take in all, further attempts included.",
        "读取一个网页的总时限（秒），包括重试。",
    )
    max_page: ByteSize = setting(ByteSize(8 * 1024**2), "The largest page that is read.", "可读取的最大网页。", ge=1024)


MemoryPlace = Literal["question", "message", "system"]
"""Where the proxy puts what memory has to say."""


class ProxySettings(SettingsSection):
    """The proxy for chat clients: which model stands behind it, and what memory may add to a request."""

    base_url: Url | None = setting(
        None,
        "Where the OpenAI-compatible API behind the proxy is reached, up to `/chat/completions`, such "
        "as `https://api.openai.com/v1`; unset, the proxy answers that there is none.",
        "代理后方兼容 OpenAI 的接口地址，写到 `/chat/completions` 之前，如 `https://api.openai.com/v1`；"
        "未设置时代理不可用。",
    )
    api_key: Key | None = setting(
        None,
        "The key for that API; unset, the key that a client sends is passed on.",
        "该接口的密钥；未设置时转发客户端自己的密钥。",
    )
    anthropic_base_url: Url | None = setting(
        None,
        "Where Anthropic's API is reached, up to `/messages`, such as `https://api.anthropic.com/v1`; unset, requests "
        "in that form go to `proxy.base_url` like the others.",
        "Anthropic 接口的地址，写到 `/messages` 之前，如 `https://api.anthropic.com/v1`；未设置时此类请求也发往 "
        "`proxy.base_url`。",
    )
    anthropic_api_key: Key | None = setting(
        None,
        "The key for `proxy.anthropic_base_url`; unset, the key that a client sends is passed on.",
        "`proxy.anthropic_base_url` 的密钥；未设置时转发客户端自己的密钥。",
    )
    place: MemoryPlace = setting(
        "question",
        "Where memories are put: `question`, inside the user's last message, which every model takes; `message`, in a "
        "message of their own before it, which some chat templates refuse; `system`, at the end of the instructions.",
        "记忆放在何处：`question` 放进用户最后一条消息内，所有模型都接受；`message` 放在其前的一条独立消息中，"
        "部分对话模板会拒绝；`system` 放在系统指令末尾。",
    )
    shrink: bool = setting(
        False,
        "Whether a conversation longer than `context.share` of `context.window` is shortened before it is sent; recall "
        "tells what was left out and belongs to the question, the header `x-remanent-context` what was done.",
        "对话超过 `context.window` 的 `context.share` 时，是否先缩短再发送；与问题有关而被略去的内容由检索补上，"
        "响应头 `x-remanent-context` 说明做了什么。",
    )
    limit: Annotated[int, Field(ge=0, le=100)] = setting(
        20,
        "Memories that are added to a request at most; 0 adds none and still keeps what is said.",
        "每次请求最多加入的记忆条数；0 表示不加入，但仍记录对话。",
    )
    budget: Number = setting(1000, "Tokens that the added memories may have.", "加入的记忆可占用的 token 数。")
    recall_timeout: Seconds = setting(
        2.0,
        "Seconds that a chat waits for recall; then it goes on without memory.",
        "对话等待检索记忆的秒数；超时后不带记忆继续。",
    )
    keep_timeout: Seconds = setting(
        5.0,
        "Seconds that a chat waits until a turn is stored; then the turn is spooled for later.",
        "等待存储一轮对话的秒数；超时后暂存，稍后补存。",
    )
    read_timeout: ReadTimeout = 600.0
    connect_timeout: ConnectTimeout = 10.0
    connections: Number = setting(
        200,
        "Connections to that API at the same time; further requests wait for one.",
        "同时与该接口建立的连接数；更多请求需等待。",
    )
    max_request: ByteSize = setting(
        ByteSize(64 * 1024**2), "The largest request that is taken.", "可接受的最大请求。", ge=1024
    )
    max_answer: ByteSize = setting(
        ByteSize(32 * 1024**2),
        "The largest answer that is read for memory; a larger one is only passed on.",
        "为记忆而读取的最大回答；更大的只转发。",
        ge=1024,
    )


class ServerSettings(SettingsSection):
    """What `remanent serve` listens to, takes in and refuses."""

    host: str = setting(
        "127.0.0.1",
        "The address to listen on; any other than the machine's own loopback needs keys.",
        "监听地址；除本机回环地址外都必须先创建密钥。",
        min_length=1,
    )
    port: Annotated[int, Field(ge=0, le=65_535)] = setting(
        8765, "The port to listen on; 0 takes any that is free.", "监听端口；0 表示任取一个空闲端口。"
    )
    allowed_hosts: str = setting(
        "",
        "Names, separated by commas, under which the server is reached beside loopback and `host`; "
        "requests to any other name are refused.",
        "除回环地址与 `host` 外，访问服务器所用的域名，以逗号分隔；其他域名的请求会被拒绝。",
    )
    allowed_origins: str = setting(
        "",
        "Origins such as `https://app.example`, separated by commas, whose pages may ask the server "
        "beside its own: for a reverse proxy that changes the Host, or an extension. No CORS headers are sent.",
        "除服务器自身外，允许其页面发出请求的来源（如 `https://app.example`），以逗号分隔：用于改写 Host 的反向代理"
        "或浏览器扩展。不会发送 CORS 标头。",
    )
    max_body: ByteSize = setting(
        ByteSize(16 * 1024**2), "The largest request that is taken.", "可接受的最大请求。", ge=1024
    )
    max_upload: ByteSize = setting(
        ByteSize(1024**3), "The largest file or export that is taken.", "可接受的最大文件或导出内容。", ge=1024
    )
    max_depth: Annotated[int, Field(ge=4, le=100)] = setting(
        48, "Levels that JSON may be nested.", "JSON 的最大嵌套层数。"
    )
    max_values: Number = setting(
        200_000, "Values that the JSON of one request may hold.", "单个请求的 JSON 最多包含的值的个数。"
    )
    rate: Annotated[float, Field(ge=0, le=1e6)] = setting(
        200.0,
        "Requests per second that the keys of one organisation may make in the long run; each 8 KiB of a body and "
        "each 25 values in it count as one more. 0 sets no limit.",
        "单个组织的全部密钥长期平均每秒可发出的请求数；请求体每 8 KiB、其中每 25 个值各另计一次。0 表示不限。",
    )
    burst: Number = setting(
        2000,
        "Requests that the keys of one organisation may make at once before `server.rate` holds.",
        "单个组织的全部密钥在受 `server.rate` 限制之前可一次发出的请求数。",
    )
    max_requests: Number = setting(
        2000,
        "Requests that may be under way at the same time, half of them of one organisation; further "
        "ones are told to come back. A few more are kept free for health checks and administrators.",
        "同时处理的请求数上限，其中单个组织至多占一半；超出的请求会被告知稍后再试。另为健康检查和管理员保留少量名额。",
    )
    org_concurrency: Number = setting(
        2,
        "Requests of one organisation that are worked on at the same time while others ask, too; the "
        "rest of them wait their turn. An organisation that is alone has no such bound.",
        "其他组织也有请求时，单个组织同时处理的请求数；其余请求排队等候。只有一个组织时不受此限。",
    )
    max_connections: Number = setting(
        4000,
        "Connections that are held at the same time, and never more than half of the files that the "
        "process may have open; when there are more, the oldest of those that wait for a request are closed.",
        "同时保持的连接数上限，且不超过进程可打开文件数的一半；超出时关闭等待请求最久的连接。",
    )
    max_connections_per_address: Number = setting(
        256,
        "Connections that one address may hold; loopback, where a reverse proxy stands for everybody, "
        "is bound by `server.max_connections` alone. Raise it for a reverse proxy on another machine.",
        "单个地址可保持的连接数；回环地址（本机反向代理代表所有客户端）只受 `server.max_connections` 限制。"
        "反向代理在另一台机器上时请调高。",
    )
    header_timeout: Seconds = setting(
        10.0, "Seconds in which the headers of a request must be here.", "请求头必须在多少秒内到齐。"
    )
    body_timeout: Seconds = setting(
        15.0,
        "Seconds over which the speed of a request's body is measured; one that is neither here nor "
        "came at `server.min_speed` is given up.",
        "衡量请求体速度的时间段（秒）；既未到齐又低于 `server.min_speed` 的请求会被放弃。",
    )
    read_timeout: Seconds = setting(
        30.0,
        "Seconds over which the speed is measured at which a client reads its answer; one that reads "
        "slower than `server.min_speed` is disconnected.",
        "衡量客户端读取回答速度的时间段（秒）；低于 `server.min_speed` 的客户端会被断开。",
    )
    min_speed: ByteSize = setting(
        ByteSize(512),
        "Bytes per second that a client must at least send or read.",
        "客户端发送或读取的最低速度（字节/秒）。",
        ge=1,
    )
    idle_timeout: Annotated[int, Field(ge=1, le=86_400)] = setting(
        30, "Seconds that a connection may stay open between two requests.", "连接在两次请求之间可保持打开的秒数。"
    )
    stream_timeout: Seconds = setting(
        3600.0,
        "Seconds after which a stream of events about long work ends, to be followed again by who still wants to know.",
        "长任务事件流在多少秒后结束；仍需关注者可再次订阅。",
    )
    drain_timeout: Seconds = setting(
        10.0,
        "Seconds that requests and background work each get to end when the server is told to stop.",
        "停止服务器时，请求与后台任务各自可用于收尾的秒数。",
    )
    warm_agents: Annotated[int, Field(ge=0, le=100_000)] = setting(
        64,
        "Agents, those written to last, whose indexes are loaded when the server starts, as far as "
        "`vectors.memory_budget` allows; the embedding models are loaded in any case.",
        "服务器启动时预先加载多少个最近写入的智能体的索引（不超过 `vectors.memory_budget`）；嵌入模型总会加载。",
    )
    ready_queue_age: Seconds = setting(
        300.0,
        "Seconds that background work may wait before `/readyz` says that the server is behind.",
        "后台任务等待多少秒后，`/readyz` 报告服务器积压。",
    )


class RerankerSettings(SettingsSection):
    """The cross-encoder, which reads question and text together: better and slower than vectors."""

    kind: Literal["auto", "local", "http", "none"] = setting(
        "auto",
        "What reads candidates again for recipes that ask for it, such as `quality`; `auto` is "
        "`local` (English only) if the extra `local` is installed; `http` is an API in the form of Cohere's and "
        "Jina's.",
        "对候选结果重新排序的交叉编码器，仅用于要求它的检索方案（如 `quality`）；`auto` 在装有 `local` 时"
        "即为 `local`（仅英文）；`http` 为任意 Cohere、Jina 形式的接口。",
    )
    base_url: Url | None = setting(
        None,
        "Where that API is reached, up to `/rerank`; needed for `http`.",
        "该接口的地址，写到 `/rerank` 之前；`http` 必须设置。",
    )
    api_key: Key | None = setting(None, "The key for that API, if it needs one.", "该接口的密钥（如需要）。")
    name: ModelName | None = setting(
        None,
        "The model, by the name that the API gives it; needed for `http`.",
        "模型名称，即接口所用的名称；`http` 必须设置。",
    )


class RecallSettings(SettingsSection):
    """How questions are answered."""

    recipe: str = setting(
        "default",
        "The recipe that answers when a question names none: `default`, `quality` (with a "
        "cross-encoder), `tiers`, `hybrid`, `words`, `meaning`, or one that a discipline adds.",
        "提问未指明时使用的检索方案：`default`、`quality`（使用交叉编码器）、`tiers`、`hybrid`、`words`、"
        "`meaning`，或各记忆方式自带的方案。",
        min_length=1,
    )
    path_timeout: Seconds = setting(
        10.0,
        "Seconds that one recall path may take; one that is late is left out, and the answer says so.",
        "单条检索路径的时限（秒）；超时的路径被略去，结果中会注明。",
    )
    load_timeout: Seconds = setting(
        120.0,
        "Seconds that a question waits at most while a path loads its model or its index, before the "
        "time of the path itself begins.",
        "路径加载模型或索引时，提问最多等待的秒数；此后才开始计路径自身的时限。",
    )
    failures: Number = setting(
        2,
        "Failures of a path's model in a row after which the path is left alone for a while; one that "
        "is late is left alone at once.",
        "路径所用模型连续失败多少次后暂停该路径；超时则立即暂停。",
    )
    rest: Seconds = setting(
        30.0,
        "Seconds that a failing path is left alone before a question tries it again.",
        "失败的路径暂停多少秒后再次尝试。",
    )
    answers_lifetime: Seconds = setting(
        300.0,
        "Seconds that an answer is kept for the same question; any write makes it unreachable.",
        "同一问题的结果缓存秒数；任何写入都会使其失效。",
    )
    embeddings_lifetime: Seconds = setting(
        86_400.0, "Seconds that the vector of a question is kept.", "问题向量的缓存秒数。"
    )
    gate: bool = setting(
        True,
        "Whether a question that nothing in the store answers gets an empty answer rather than what is "
        "least far away; a single question can be asked either way.",
        "存储中没有内容能回答某个问题时，是否返回空结果，而不是最接近的无关内容；单次提问可另行指定。",
    )
    budget: Number = setting(
        1000,
        "Tokens that the text for a model may have (`found.text`) where a question names no budget: some "
        "twenty turns of a chat.",
        "提问未指明时，供模型阅读的文本（`found.text`）最多占用的 token 数：约为二十条对话。",
    )
    reranker: RerankerSettings = RerankerSettings()


class ContextSettings(SettingsSection):
    """How a conversation is made to fit."""

    window: Number = setting(
        32_000,
        "Tokens that the model takes in all; what is sent may have `share` of them unless a call says otherwise.",
        "模型可接受的 token 总数；未另行指定时，发送内容最多占其中的 `share`。",
    )
    share: Annotated[float, Field(gt=0, le=1)] = setting(
        0.7, "The share of the window that is left to the conversation.", "窗口中留给对话的份额。"
    )
    messages: Number = setting(
        50,
        "Messages that stay as they are where a call names no budget, however much room there is; summaries stand for "
        "older ones.",
        "未指定预算时，不论余地多少，保持原文的最近消息条数；更早的以摘要代替。",
    )
    trim_above: Annotated[float, Field(gt=0, le=1)] = setting(
        0.6,
        "The share of the budget above which results of tools, repeated prompts and pictures are shortened.",
        "超过预算的这一份额时，缩短工具结果、去除重复的系统提示、以文字代替图片。",
    )
    summarise_above: Annotated[float, Field(gt=0, le=1)] = setting(
        0.75,
        "The share of the budget above which older messages are summarised, ten at a time.",
        "超过预算的这一份额时，较早的消息每十条合为一段摘要。",
    )
    digest_above: Annotated[float, Field(gt=0, le=1)] = setting(
        0.9,
        "The share of the budget above which one digest stands for all but the newest messages.",
        "超过预算的这一份额时，除最新消息外全部合为一份会话概要。",
    )
    idle_minutes: Number = setting(
        30,
        "Minutes without a message after which a session is over, and what was made for it is let go.",
        "多少分钟没有消息即视为会话结束，并释放为其生成的内容。",
    )

    @property
    def budget(self) -> int:
        """Tokens that a conversation may have where a call names no budget."""
        return max(1, int(self.window * self.share))


SectionT = TypeVar("SectionT", bound=SettingsSection)


class Settings(SettingsSection):
    """All settings of Remanent. `load_settings` reads them from where users keep them.

    Each discipline that is installed has a section under its name: `section` returns it with its type.
    """

    home: Folder = setting(
        _data_directory,
        "The folder that holds all memory; a relative one starts at the current directory.",
        "保存全部记忆的目录；相对路径以当前目录为起点。",
    )
    secrets: Folder | None = setting(
        None,
        "The folder of this home's own secrets: the key that seals the audit log, and how far the log "
        "has come. Unset, `.secrets` under `home`; on another disk, whoever can change the log cannot hide it.",
        "存放本数据目录自身机密的目录：为审计日志加封的密钥，以及日志已写到何处。"
        "未设置时为 `home` 下的 `.secrets`；放在另一磁盘时，能改动日志者也无法掩盖改动。",
    )
    seal_key: SecretStr | None = setting(
        None,
        "The key that seals the audit log, at least 32 characters; unset, it is made in the folder of `secrets` "
        "(`audit.key`). Servers that share a database need the same one.",
        "为审计日志加封的密钥，至少 32 个字符；未设置时在 `secrets` 目录中生成（`audit.key`）。"
        "共用一个数据库的服务器须使用同一密钥。",
    )
    pepper: SecretStr | None = setting(
        None,
        "The secret by which a repeated request for a new key gets the same token again; unset, it is made in the "
        "folder of `secrets` (`pepper`), or in `.access` of the embedded store. Servers that share a database need "
        "the same one.",
        "使重复的创建密钥请求得到同一令牌的机密；未设置时在 `secrets` 目录中生成（`pepper`），"
        "嵌入式存储则在 `.access` 中。共用一个数据库的服务器须使用同一值。",
    )
    org: Name = setting("default", "The organisation that is meant when none is named.", "未指明组织时使用的组织。")
    workspace: Name = setting(
        "default", "The workspace that is meant when none is named.", "未指明工作区时使用的工作区。"
    )
    agent: Name = setting(
        "default",
        "The agent that a server means when neither the request nor the key names one.",
        "请求与密钥均未指明智能体时，服务器所用的智能体。",
    )
    store: Annotated[SecretStr, AfterValidator(_check_store)] = setting(
        SecretStr("sqlite"),
        "URL of the store that keeps all memory: `sqlite` keeps it in files under `home`, "
        "`sqlite:///folder` elsewhere, `postgresql://user@host/database` in a server that several processes and "
        "machines share (extra `postgres`).",
        "存储后端的 URL：`sqlite` 将数据保存在 `home` 下的文件中，`sqlite:///目录` 保存在别处，"
        "`postgresql://user@host/database` 保存在可由多个进程与机器共用的服务器中（需安装 `postgres`）。",
    )
    cache: Annotated[SecretStr, AfterValidator(_check_cache)] = setting(
        SecretStr("memory"),
        "URL of what keeps copies of answers for a while: `memory` of this process, or `redis://host:6379/0` for "
        "several (extra `redis`). Losing it costs time and nothing else.",
        "短期保存答案副本之处的 URL：`memory` 为本进程内存，`redis://host:6379/0` 供多个进程共用（需安装 `redis`）。"
        "丢失只影响速度。",
    )
    blobs: Annotated[str, AfterValidator(_check_blobs)] = setting(
        "files",
        "URL of where raw files are kept: `files` under `home`, or `s3://bucket/prefix?endpoint=https://…&region=…` "
        "(extra `s3`), with the key in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.",
        "原始文件保存处的 URL：`files` 为 `home` 之下，或 `s3://bucket/prefix?endpoint=https://…&region=…`"
        "（需安装 `s3`），密钥取自 `AWS_ACCESS_KEY_ID` 与 `AWS_SECRET_ACCESS_KEY`。",
    )
    embedder: Literal["auto", "multilingual", "bge-small", "minilm", "http", "sentence-transformers", "none"] = setting(
        "auto",
        "What turns text into vectors; `auto` is `multilingual`, with `bge-small` beside it for "
        "English if the extra `local` is installed; `http` and `sentence-transformers` take the model of "
        "`embedding.name`; with `none`, search is by words only.",
        "文本向量化的方式；`auto` 即 `multilingual`，装有 `local` 时英文另用 `bge-small`；"
        "`http` 与 `sentence-transformers` 使用 `embedding.name` 指定的模型；`none` 表示只按词检索。",
    )
    image_reader: Literal["auto", "rapidocr", "none"] = setting(
        "auto",
        "What reads the writing in pictures where no model sees them; `auto` is `rapidocr` if it is installed.",
        "没有能看图的模型时识别图片中文字的方式；`auto` 在装有 `rapidocr` 时使用它。",
    )
    engine: Literal["auto", "offline", "model"] = setting(
        "auto",
        "What does the language work; `offline` needs no model and no key, `auto` takes the model "
        "when a provider is named.",
        "承担语言任务的引擎；`offline` 不需要模型，也不需要密钥，`auto` 在指明提供方时使用模型。",
    )
    language: Literal["auto", "zh", "en"] = setting(
        "auto",
        "The language of what Remanent writes; `auto` follows the text at hand.",
        "Remanent 输出所用的语言；`auto` 跟随当前文本。",
    )
    max_text_length: Number = setting(
        1_000_000,
        "Characters that one message may have; a longer one is refused.",
        "单条消息的最大字符数；更长的会被拒绝。",
    )
    busy_timeout: Seconds = setting(
        10.0, "Seconds to wait for another process that holds the database.", "等待其他进程释放数据库的秒数。"
    )
    open_agents: Number = setting(
        256,
        "Agents whose files may be open at a time; the longest unused are closed first, and open again "
        "by themselves. Fewer where the process may open few files (`ulimit -n`): 19 at a limit of 256.",
        "同时打开文件的智能体数上限；超出时先关闭最久未用的，再次使用时自动重新打开。进程可打开文件数"
        "（`ulimit -n`）较小时会更少：上限为 256 时为 19 个。",
    )
    jobs: JobSettings = JobSettings()
    vectors: VectorSettings = VectorSettings()
    model: ModelSettings = ModelSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    react: ReactSettings = ReactSettings()
    search: SearchSettings = SearchSettings()
    reader: ReaderSettings = ReaderSettings()
    recall: RecallSettings = RecallSettings()
    context: ContextSettings = ContextSettings()

    proxy: ProxySettings = ProxySettings()
    server: ServerSettings = ServerSettings()

    def __new__(cls, **values: Any) -> Self:
        """Have the sections of disciplines before anything is read into them."""
        del values
        plug_in_sections()
        return super().__new__(cls)

    @property
    def secrets_folder(self) -> Path:
        """The folder of what must not lie beside the data: the key of the audit log's seals, and the pepper."""
        return self.home / SECRETS_FOLDER if self.secrets is None else self.secrets

    def section(self, kind: type[SectionT]) -> SectionT:
        """Return a discipline's section of the settings; its defaults where the discipline is not installed."""
        found = (value for _, value in self if type(value) is kind)
        return next(found, None) or kind()

    @property
    def uses_model(self) -> bool:
        """Whether a language model does the language work."""
        is_named = self.model.provider is not None or self.model.base_url is not None
        return self.engine == "model" or (self.engine == "auto" and is_named)

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_with_our_error(cls, value: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            raise InvalidSettings(_explain(error, sources=info.context or {})) from error


def plug_in_sections(given: Iterable[Declared] = ()) -> None:
    """Give the settings a section for each discipline that is installed, and for those that are given."""
    fresh = False
    for declared in (*found(), *given):
        section, name = declared.settings, getattr(declared, "section", "") or declared.name
        if section is None or name in _PLUGGED:
            continue
        if name in Settings.model_fields:
            raise InvalidSettings(f"the discipline {declared.name} has the name of a setting; rename it")
        Settings.__pydantic_fields__[name] = FieldInfo(annotation=section, default=section())
        Settings.__annotations__[name] = section
        _PLUGGED.add(name)
        fresh = True
    if fresh:
        Settings.model_rebuild(force=True)


_PLUGGED: set[str] = set()
"""The sections of disciplines that the settings have."""


def load_settings(path: str | os.PathLike[str] | None = None, **overrides: Any) -> Settings:
    """Return the settings in force: overrides, then environment, then files, then defaults.

    With `path`, that file is read in place of the project's and the user's. An override of `None` counts as not given;
    a group is overridden in part: `jobs={"lease": 5}`.
    """
    plug_in_sections()
    sources = _read_sources(path, overrides)
    merged: dict[str, Any] = {}
    for values in reversed(sources.values()):
        merged = _merge(merged, values)
    return Settings.model_validate(_with_usual_keys(merged), context=sources)


def setting_sources(path: str | os.PathLike[str] | None = None, **overrides: Any) -> dict[str, list[str]]:
    """Return the places that set something, the one that wins first, each with the names of what it sets."""
    plug_in_sections()
    sources = _read_sources(path, overrides)
    return {place: list(_names(values)) for place, values in sources.items() if values}


def _names(values: Mapping[str, Any], *, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _names(value, path=(*path, name))
        else:
            yield ".".join((*path, name))


def _read_sources(path: str | os.PathLike[str] | None, overrides: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    given = {name: value for name, value in overrides.items() if value is not None}
    sources: dict[str, Mapping[str, Any]] = {"the call": given, "the environment": _read_environment()}
    for file in _config_files(path):
        sources[str(file)] = _read_file(file)
    return sources


def _config_files(path: str | os.PathLike[str] | None) -> list[Path]:
    """Return the files to read, the one that wins first."""
    if path is not None:
        file = Path(path)
        if not file.is_file():
            raise InvalidSettings(f"there is no configuration file {file}; correct the path or make the file")
        return [file]
    candidates = [Path.cwd() / PROJECT_FILE, _xdg("XDG_CONFIG_HOME", otherwise=".config") / USER_FILE]
    return [file for file in candidates if file.is_file()]


def profile_file() -> Path:
    """Return the file in which a change of settings belongs: the project's where there is one, else the user's."""
    project = Path.cwd() / PROJECT_FILE
    return project if project.is_file() else _xdg("XDG_CONFIG_HOME", otherwise=".config") / USER_FILE


def read_profile(file: Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a configuration file holds, with changes; a file that is not there holds nothing."""
    return _merge(_read_file(file) if file.is_file() else {}, changes)


def _read_file(file: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]

    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettings(
            f"cannot read {file}: {error.strerror if isinstance(error, OSError) else 'not UTF-8'}"
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InvalidSettings(f"{file} is not well-formed YAML{place}; correct it") from error
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise InvalidSettings(f"{file} must hold one setting per line, such as `language: zh`")
    return values


def _read_environment() -> dict[str, Any]:
    # Imported late: it takes as long to import as all the rest of Remanent.
    from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict, SettingsError

    class Variables(BaseSettings, Settings):
        model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter=NESTING, env_ignore_empty=True)

    try:
        return EnvSettingsSource(Variables)()
    except SettingsError as error:
        raise InvalidSettings(f"a variable {PREFIX}… in the environment is malformed: {error}") from error


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            merged[name] = _merge(under, value)
        else:
            merged[name] = value
    return merged


def _with_usual_keys(values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with the keys that the environment holds under the providers' own names."""
    values = {**values, **_tool_keys(values), **_workspace_root(values)}
    model = values.get("model")
    if not isinstance(model, Mapping):
        return values
    filled = _with_usual_key(model)
    for group in ("tiers", "roles"):
        choices = filled.get(group)
        if isinstance(choices, Mapping):
            filled[group] = {
                name: _with_usual_key(choice) if isinstance(choice, Mapping) else choice
                for name, choice in choices.items()
            }
    return {**values, "model": filled}


def _workspace_root(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the group of the workspace with the folder that the environment names, where nothing else names it."""
    root = next((named for variable in WORKSPACE_ROOTS if (named := os.environ.get(variable, "").strip())), "")
    group = values.get("memory", {})
    if root and "memory" in _PLUGGED and isinstance(group, Mapping) and not group.get("root"):
        return {"memory": {**group, "root": root}}
    return {}


def _tool_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of the services that have a key in the environment and none in the settings."""
    groups: dict[str, Any] = {}
    for name, variable in TOOL_KEYS.items():
        key = os.environ.get(variable, "").strip()
        group = values.get(name, {})
        # A key goes only where it was given for: not to another address than the service's own.
        if key and isinstance(group, Mapping) and not group.get("api_key") and not group.get("base_url"):
            groups[name] = {**group, "api_key": key}
    return groups


def _with_usual_key(choice: Mapping[str, Any]) -> dict[str, Any]:
    variable = USUAL_KEYS.get(str(choice.get("provider")))
    key = os.environ.get(variable, "").strip() if variable else ""
    return {**choice, "api_key": key} if key and choice.get("api_key") is None else dict(choice)


def _explain(error: ValidationError, *, sources: Mapping[str, Mapping[str, Any]]) -> str:
    """Say which setting of which source is wrong and what to do, without repeating its value."""
    parts = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        steps = tuple(str(step) for step in problem["loc"])
        origin = next((f" ({name})" for name, values in sources.items() if _holds(values, steps)), "")
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "extra_forbidden":
            message = "there is no such setting" + _similar(steps)
        parts.append(f"{'.'.join(steps) or 'settings'}{origin}: {message}")
    return "; ".join(parts) + ". Every setting is described in docs/settings.md"


def _holds(values: Mapping[str, Any], steps: tuple[str, ...]) -> bool:
    value: Any = values
    for step in steps:
        if not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return bool(steps)


def _similar(steps: tuple[str, ...]) -> str:
    known = [row.name for row in setting_rows()]
    close = get_close_matches(".".join(steps), known, n=1)
    return f", the nearest is {close[0]}" if close else ""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as the documentation shows it."""

    name: str
    variable: str
    values: str
    default: str
    english: str
    chinese: str


def setting_rows() -> list[SettingRow]:
    """Return every setting with its variable, values, default and meaning, in the order of the model."""
    plug_in_sections()
    return list(_rows(Settings, path=()))


class ShownSetting(BaseModel):
    """One setting as it is in force; of a secret only whether it was set."""

    name: str
    value: str | None
    """As text; nothing for a secret."""
    is_default: bool
    is_secret: bool
    english: str
    chinese: str


def shown_settings(settings: Settings) -> list[ShownSetting]:
    """Return every setting as it is in force, in the order of the model, for people to look at."""
    plug_in_sections()
    return list(_shown(settings, path=()))


def _shown(section: SettingsSection, *, path: tuple[str, ...]) -> Iterator[ShownSetting]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, SettingsSection):
            yield from _shown(value, path=(*path, name))
            continue
        extra = field.json_schema_extra
        is_secret = get_origin(field.annotation) is not dict and _values(field.annotation) == _values(SecretStr)
        yield ShownSetting(
            name=".".join((*path, name)),
            value=None if is_secret else _shown_value(value),
            is_default=value == field.get_default(call_default_factory=True),
            is_secret=is_secret,
            english=field.description or "",
            chinese=str(extra.get("chinese", "")) if isinstance(extra, dict) else "",
        )


def _shown_value(value: object) -> str:
    """Return a value as text. What is nested, and may hold keys, is named only; of a URL, who signs in is left out."""
    if isinstance(value, dict):
        return ", ".join(map(str, value))
    return "" if value is None else re.sub(r"//[^/@\s]*@", "//…@", str(value))


def _rows(section: type[SettingsSection], *, path: tuple[str, ...]) -> Iterator[SettingRow]:
    for name, field in section.model_fields.items():
        steps = (*path, name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, SettingsSection):
            yield from _rows(field.annotation, path=steps)
            continue
        if get_origin(field.annotation) is dict:
            steps = (*steps, f"<{name.removesuffix('s')}>", "<setting>")
        extra = field.json_schema_extra
        yield SettingRow(
            name=".".join(steps),
            variable=PREFIX + NESTING.join(steps).upper(),
            values=_values(field.annotation),
            default=_default(field),
            english=field.description or "",
            chinese=str(extra.get("chinese", "")) if isinstance(extra, dict) else "",
        )


def _values(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is dict:
        return _values(get_args(annotation)[0])
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(annotation))
    if origin in {Union, UnionType}:
        (given,) = (part for part in get_args(annotation) if part is not NoneType)
        return _values(given)
    if origin is Annotated:
        return _values(get_args(annotation)[0])
    words = {
        Path: "path",
        bool: "`true`, `false`",
        str: "text",
        int: "whole number",
        float: "number",
        ByteSize: "bytes, or such as `256MiB`",
        SecretStr: "secret text",
    }
    return words[annotation]


def _default(field: FieldInfo) -> str:
    if field.default is None or field.default_factory is dict:
        return "–"
    if field.default_factory is not None:
        # Where it stands differs from machine to machine; the documentation must not.
        return "`~/.local/share/remanent`"
    value = field.default
    if isinstance(value, SecretStr):  # a default is no secret
        value = value.get_secret_value()
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, ByteSize):
        return f"`{value.human_readable().replace('.0', '')}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"
