"""What the commands say to people, in English and Chinese, and which of the two a person reads.

The wording is a table ordered as the commands are, so that a translator can read it from top to bottom. Short names
stand for whole sentences: sentences that are put together from pieces cannot be translated.
"""

import os
from collections.abc import Mapping

from remanent.bilingual import Bilingual, Language


def locale_language(environment: Mapping[str, str] = os.environ) -> Language:
    """Return the user's language as far as the environment tells: REMANENT_LANGUAGE, else the locale; else English.

    Help texts and errors are worded before settings are read, so that a settings file has no say in them.
    """
    chosen = environment.get("REMANENT_LANGUAGE", "").lower()
    if chosen in {"en", "zh"}:
        return "zh" if chosen == "zh" else "en"
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    return "zh" if named.lower().startswith("zh") else "en"


def chosen_language(setting: str) -> Language:
    """Return the language of the `language` setting, or the user's own when it leaves the choice open."""
    return "zh" if setting == "zh" else "en" if setting == "en" else locale_language()


# ── errors ──
ERROR = Bilingual("Error: {message}", "错误{meaning}：{message}")
UNFORESEEN = Bilingual(
    "{error}. This should not happen; set REMANENT_DEBUG=1 to see where it did",
    "{error}。这不应发生；设置 REMANENT_DEBUG=1 可查看出错位置",
)
NOT_A_MOMENT = Bilingual(
    "{text} is not a date or time; write it like 2026-05-31 or 2026-05-31T18:30:00+08:00",
    "{text} 不是日期或时间；请写成 2026-05-31 或 2026-05-31T18:30:00+08:00",
)
USAGE = (
    Bilingual("Missing option {option}.", "缺少选项 {option}。"),
    Bilingual("Missing argument {argument}.", "缺少参数 {argument}。"),
    Bilingual("Missing command.", "缺少命令。"),
    Bilingual("Invalid value for {option}: {why}", "{option} 的值无效：{why}"),
    Bilingual("Invalid value: {why}", "值无效：{why}"),
    Bilingual("file {name} does not exist.", "文件 {name} 不存在。"),
    Bilingual("directory {name} does not exist.", "目录 {name} 不存在。"),
    Bilingual("path {name} does not exist.", "路径 {name} 不存在。"),
    Bilingual("No such option: {option} (Possible options: {others})", "没有这个选项：{option}（可用的有：{others}）"),
    Bilingual("No such option: {option}", "没有这个选项：{option}"),
    Bilingual("No such command {command}. Did you mean {others}?", "没有这个命令 {command}。是否想输入 {others}？"),
    Bilingual("No such command {command}.", "没有这个命令 {command}。"),
    Bilingual("Got unexpected extra argument(s) ({arguments})", "多余的参数：{arguments}"),
    Bilingual("Option {option} requires an argument.", "选项 {option} 需要一个值。"),
    Bilingual("Option {option} does not take a value.", "选项 {option} 不带值。"),
    Bilingual("{option} (env var: {variable})", "{option}（环境变量：{variable}）"),
    Bilingual("Input should be a valid integer, unable to parse string as an integer", "应为整数"),
    Bilingual("Input should be greater than or equal to {least}", "应不小于 {least}"),
    Bilingual("Input should be less than or equal to {most}", "应不大于 {most}"),
    Bilingual("Input should be {choices}", "应为 {choices}"),
)
"""What the parser of command lines says, from the longest to the shortest where one begins like another."""
HELP: Mapping[str, str] = {
    "Options": "选项",
    "Commands": "命令",
    "Arguments": "参数",
    "Show this message and exit.": "显示此帮助。",
    "Install completion for the current shell.": "为当前 shell 安装补全。",
    "Show completion for the current shell, to copy it or customize the installation.": (
        "显示当前 shell 的补全脚本，以便复制或自行安装。"
    ),
}
"""What the parser says in its help."""
NAMES: Mapping[str, str] = {
    "turn": "对话", "semantic": "事实", "preference": "偏好", "decision": "决定", "follow_up": "待办",
    "mood": "心情", "episodic": "情景", "procedural": "流程", "instruction": "指令", "shared": "共享",
    "note": "笔记", "document": "文档", "section": "章节", "chunk": "段落", "user": "用户", "assistant": "助手",
    "system": "系统", "tool": "工具", "agent": "智能体", "active": "有效", "provisional": "暂定",
    "pending": "待批准", "forgotten": "已遗忘", "superseded": "已被取代", "quarantined": "已隔离",
    "expired": "已过期", "extraction": "提取", "open": "未决", "validating": "核实中", "resolved": "已解决",
    "unresolved": "未能解决",
}  # fmt: skip
"""What kinds and states of memories and the roles of a chat are called in Chinese; a person's name stays as it is."""
INTERRUPTED = Bilingual("Interrupted.", "已中断。")
ANSWER_LOST = Bilingual(
    "the server was sent this and its answer did not come; it may have been stored. Look with `remanent entries` "
    "before you send it again",
    "已发送给服务器，但没有收到答复；内容可能已经保存。请先用 `remanent entries` 查看，再决定是否重新发送",
)

# ── remembering ──
REMEMBERED = Bilingual("Remembered {count}, durable since {at}.", "已记住 {count} 条，{at} 起持久保存。")
REPEATED = Bilingual("{count} of them were known already.", "其中 {count} 条此前已存在。")
WORKING = Bilingual("Working", "正在处理")
WATCHING = Bilingual("Watching {folder}; Ctrl+C ends it.", "正在监视 {folder}，按 Ctrl+C 结束。")
READING_FILES = Bilingual("Reading files", "正在读取文件")
DONE = Bilingual("Done.", "完成。")
YES = Bilingual("yes", "是")
NO = Bilingual("no", "否")
NO_AGENTS_AT = Bilingual(
    "No agent remembers anything here yet: {home}, this organisation and workspace.",
    "此处尚无智能体有记忆：{home}，当前组织与工作区。",
)
NOTHING_HERE = Bilingual("There is nothing here.", "这里没有内容。")
INDEXING = Bilingual("Indexing", "正在建立索引")
NO_ROOM_TO_INDEX = Bilingual(
    "No room is left on the disk: what was told last is not indexed yet. Make room, then ask again.",
    "磁盘已没有空间：最近讲述的内容尚未建立索引。请腾出空间后再提问。",
)
STEPS_DONE = Bilingual("steps done: {done}", "已完成 {done} 步")
NO_TEXT = Bilingual(
    "nothing to remember: give a TEXT, a `-` for standard input, or --file",
    "没有要记住的内容：请给出 TEXT、`-`（标准输入）或 --file",
)
TEXT_AND_FILE = Bilingual("give either a TEXT or --file, not both", "TEXT 与 --file 只能二选一")

# ── stores ──
UP_TO_DATE = Bilingual("The tables are up to date (step {step}).", "表已是最新（第 {step} 步）。")
TABLES_OLD = Bilingual(
    "The tables are at step {step} of {newest}; run `remanent migrate`.",
    "表处于第 {step} 步，最新为第 {newest} 步；请运行 `remanent migrate`。",
)
MIGRATED = Bilingual(
    "The tables were brought from step {before} to step {after}.", "表已从第 {before} 步更新到第 {after} 步。"
)
WOULD_MIGRATE = Bilingual(
    "The tables would be brought from step {before} to step {after}; nothing was changed.",
    "表将从第 {before} 步更新到第 {after} 步；未作任何更改。",
)
MOVED = Bilingual(
    "{count} copied and proved alike, {there} were there already.",
    "已复制 {count} 个并证明一致，{there} 个此前已在目标处。",
)
AGENT = Bilingual("agent", "智能体")
ENTRIES = Bilingual("entries", "条目")
RECORDS = Bilingual("records", "记忆")
FILES = Bilingual("files", "文件")
SEAL = Bilingual("sha-256", "SHA-256")

# ── recalling ──
NOTHING_FOUND = Bilingual("Nothing found for “{query}”.", "没有找到与“{query}”相关的记忆。")
LEFT_OUT = Bilingual("The {path} path did not answer: {reason}", "检索路径 {path} 未能作答：{reason}")
NO_ENTRIES = Bilingual("Nothing was said here yet.", "这里还没有任何记录。")
ERASED_STUB = Bilingual("(erased)", "（已抹除）")
SESSION = Bilingual("session {name}", "会话 {name}")
CALLER_ID = Bilingual("id {name}", "编号 {name}")
SCORE = Bilingual("score", "得分")
_TEXT = Bilingual("text", "内容")
EXPLAINED = Bilingual("recipe {recipe}, grain {grain}", "检索方案 {recipe}，范围 {grain}")
FUSED = Bilingual("fused", "融合")
CONTEXT = Bilingual("context", "上下文")
RERANKED = Bilingual("cross-encoder", "交叉编码")
BOOSTS = {
    "trust": Bilingual("trust", "来源可信"),
    "recency": Bilingual("recency", "新近"),
    "kind": Bilingual("kind", "类型"),
    "confidence": Bilingual("confidence", "置信度"),
    "usage": Bilingual("usage", "使用频次"),
    "speaker": Bilingual("speaker", "说话人"),
}
GATE = Bilingual("gate: {score} against {threshold}: {reason}", "门控：得分 {score}，阈值 {threshold}：{reason}")
GATE_WITHOUT_SCORE = Bilingual("gate: {reason}", "门控：{reason}")
GATE_REASONS = {
    "near": Bilingual("enough speaks for an answer", "有足够依据作答"),
    "strange": Bilingual("no more speaks for an answer than for a stranger's question", "与无关的问题相比没有更多依据"),
    "known": Bilingual("it was told, and looked up", "曾经说过，已直接查到"),
    "vague": Bilingual("the question names nothing that could be missing", "问题没有提到可能缺失的内容"),
    "wordless": Bilingual("there is no word in the question", "问题中没有词语"),
    "unmeasured": Bilingual("too little is known of this memory to judge by", "这份记忆太少，尚无法判断"),
}
RANKS_AND_SCORES = Bilingual("path, rank (score)", "路径、排名（得分）")
BOOSTED = Bilingual("moved by", "调整")
AGO = {
    "second": Bilingual("just now", "刚刚"),
    "minute": Bilingual("{count} min ago", "{count} 分钟前"),
    "hour": Bilingual("{count} h ago", "{count} 小时前"),
    "day": Bilingual("{count} d ago", "{count} 天前"),
    "month": Bilingual("{count} months ago", "{count} 个月前"),
    "year": Bilingual("{count} years ago", "{count} 年前"),
    "future": Bilingual("ahead", "未来"),
}

# ── forgetting and erasing ──
FORGOTTEN = Bilingual(
    "Forgotten: “{about}” ({size} characters). `remanent restore {record_id}` brings it back.",
    "已遗忘：“{about}”（{size} 字）。可用 `remanent restore {record_id}` 恢复。",
)
NOTHING_TO_ERASE = Bilingual(
    "say what to erase: --entry, --record, --session or --everything",
    "请指明要抹除什么：--entry、--record、--session 或 --everything",
)
NOT_ERASED = Bilingual(
    "Nothing was erased. Without a terminal, give --yes.", "没有抹除任何内容。非交互环境请加 --yes。"
)
ENTRIES = Bilingual("{count} entries", "{count} 条原始记录")
ONE_ENTRY = Bilingual("1 entry", "1 条原始记录")
RECORDS = Bilingual("{count} records", "{count} 条记忆")
ONE_RECORD = Bilingual("1 record", "1 条记忆")
ERASED = Bilingual(
    "Erased {entries} and {records} from every file.",
    "已从所有文件中抹除 {entries}、{records}。",
)
NOTHING_ERASED = Bilingual(
    "There is nothing of that here, or no more; nothing was erased.",
    "此处没有这些内容，或此前已被抹除；没有抹除任何东西。",
)
ERASED_FROM_STORE = Bilingual(
    "Erased {entries} and {records}: nothing can read them any more. The database's own files, its log "
    "and its backups may hold copies until it reuses their room.",
    "已抹除 {entries}、{records}：再也无法读取。数据库自身的文件、日志和备份在空间被重用之前可能仍有副本。",
)
WOULD_ERASE = Bilingual(
    "Would erase {entries} and {records}; nothing was erased yet.",
    "将会抹除 {entries}、{records}；目前尚未抹除任何内容。",
)
NOTHING_WOULD_BE_ERASED = Bilingual(
    "There is nothing of that here, or no more; nothing would be erased.",
    "此处没有这些内容，或此前已被抹除；不会抹除任何东西。",
)
ERASED_BACKUPS = Bilingual("{count} backups that held them were removed.", "同时删除了含有这些内容的 {count} 个备份。")

ASK_DESTROY = Bilingual("{name} cannot be undone. Go on", "{name} 无法撤销。确定继续吗")

# ── keys and serving ──
NO_KEY_HOLDS = Bilingual(
    "No key holds any more, and nobody is served without one. Make one: remanent keys create NAME --permission admin",
    "已没有有效的密钥，而无密钥的请求一律拒绝。请创建一个：remanent keys create NAME --permission admin",
)
PROXY_WITHOUT_MODEL = Bilingual("set proxy.base_url to the model behind it", "用 proxy.base_url 指定其后的模型")
PROXY_TO = Bilingual("to {address}", "转发到 {address}")
MCP_MISSING = Bilingual("not installed: {install}", "尚未安装：{install}")
SERVING = Bilingual(
    "Serving on {url}. Stop with Ctrl-C.\n"
    "  pages         {url}/\n"
    "  API docs      {url}/docs\n"
    "  OpenAPI       {url}/openapi.json\n"
    "  MCP           {mcp}\n"
    "  OpenAI proxy  {url}/v1  ({model})\n"
    "  health        {url}/readyz",
    "正在 {url} 提供服务。按 Ctrl-C 停止。\n"
    "  管理页面      {url}/\n"
    "  接口文档      {url}/docs\n"
    "  OpenAPI       {url}/openapi.json\n"
    "  MCP           {mcp}\n"
    "  OpenAI 代理   {url}/v1 （{model}）\n"
    "  健康状况      {url}/readyz",
)
TELL_FIRST = Bilingual("Tell it something first:", "先让它记住一句话：")
ASK_FIRST = Bilingual("A first question:", "第一个问题：")
CURL = (
    "  curl -s {url}/v1/orgs/{org}/workspaces/{workspace}/agents/{agent}/{what} \\\n"
    "    {key}-H 'content-type: application/json' -d '{body}'"
)
MCP_SHOWN = Bilingual(
    "Put this into {file}, or let `--write` do it; then start {client} again.",
    "将以上内容写入 {file}，或加 `--write` 自动写入；然后重新启动 {client}。",
)
MCP_WRITTEN = Bilingual(
    "{client} is set up in {file} (before: {backup}). Start it again.",
    "已在 {file} 中配置 {client}（原文件：{backup}）。请重新启动。",
)
MCP_UNCHANGED = Bilingual("{client} is set up already in {file}.", "{client} 已在 {file} 中配置好。")
OPEN_TO_MACHINE = Bilingual(
    "No key was ever made: every program on this machine may do everything, and nobody else is served. A reverse proxy "
    "or a tunnel to this port would let others in: first make a key with `remanent keys create`.",
    "从未创建过密钥：本机上的任何程序都可执行一切操作，其他人一律拒绝。若有反向代理或隧道通向此端口，他人便可进入："
    "请先用 `remanent keys create` 创建密钥。",
)
SAMPLE_STEP = Bilingual("Filling the sample ({done} of {total}): {what}.", "正在填入示例（{done}/{total}）：{what}。")
SAMPLE_READY = Bilingual(
    "The sample workspace {workspace} is ready: {count} messages of two people, and what was learned from them.",
    "示例工作区 {workspace} 已就绪：两个人的 {count} 条消息，以及由此得出的记忆。",
)
SAMPLE_FAILED = Bilingual(
    "The sample could not be filled whole: {why} The next start goes on with it.",
    "示例未能全部填入：{why} 下次启动时继续。",
)

# ── moving ──
EXPORTING = Bilingual("Exporting", "正在导出")
EXPORTED_NOTHING = Bilingual(
    "Agent {agent} of workspace {workspace} remembers nothing: the export is empty.",
    "工作区 {workspace} 的智能体 {agent} 没有任何记忆：导出为空。",
)
EXPORTED = Bilingual("Exported {lines} lines to {path}.", "已导出 {lines} 行到 {path}。")
IMPORTED = Bilingual("Imported into {agent}: {counts}.", "已导入 {agent}：{counts}。")

# ── roles ──

# ── roles ──

EXAMINING = Bilingual("Examining the model", "正在考查模型")
MARK_HEADINGS = (
    Bilingual("role", "角色"),
    Bilingual("right", "正确"),
    Bilingual("refused", "无效"),
    Bilingual("offline right", "离线正确"),
    Bilingual("seconds", "秒"),
    Bilingual("proposed engine", "建议引擎"),
)
PROFILE_WRITTEN = Bilingual(
    "Written to {file}; the file before it is kept as .bak. Change any model.roles.<role>.engine by hand.",
    "已写入 {file}；原文件保留为 .bak。可手动修改任一 model.roles.<角色>.engine。",
)

# ── doctor ──
CHECK = Bilingual("check", "检查项")
FINDING = Bilingual("finding", "结果")
EXAMINING = Bilingual("Examining", "正在检查")
ALL_WELL = Bilingual("All is well.", "一切正常。")
NOT_WELL = Bilingual("{count} of {total} checks failed.", "{total} 项检查中有 {count} 项未通过。")
CHECKS = {
    "remanent": Bilingual("Remanent", "Remanent"),
    "python": Bilingual("Python and platform", "Python 与平台"),
    "settings": Bilingual("settings", "设置"),
    "sqlite": Bilingual("SQLite", "SQLite"),
    "checksums": Bilingual("page checksums", "页校验和"),
    "tables": Bilingual("tables of the database", "数据库中的表"),
    "home": Bilingual("home folder", "数据目录"),
    "disk": Bilingual("free disk space", "剩余磁盘空间"),
    "embedder": Bilingual("embedder", "向量模型"),
    "engine": Bilingual("language engine", "语言引擎"),
    "audit": Bilingual("audit log", "审计日志"),
    "erasure": Bilingual("erasure of {agent}", "{agent} 的擦除"),
    "agents": Bilingual("agents", "智能体"),
    "database": Bilingual("database of {agent}", "{agent} 的数据库"),
    "schema": Bilingual("schema of {agent}", "{agent} 的数据结构版本"),
    "access": Bilingual("access to {agent}", "{agent} 的访问"),
    "integrity": Bilingual("integrity of {agent}", "{agent} 的完整性"),
    "vectors": Bilingual("vector index of {agent}", "{agent} 的向量索引"),
    "attachments": Bilingual("attachments of {agent}", "{agent} 的附件"),
    "copies": Bilingual("copies of {agent}", "{agent} 的副本"),
    "clock": Bilingual("clock, as {agent} saw it", "{agent} 所见的时钟"),
    "queue": Bilingual("queue of {agent}", "{agent} 的任务队列"),
}
SETTINGS_FROM = Bilingual("{names} from {place}", "{names} 来自 {place}")
SETTING_PLACES = {
    "the call": Bilingual("the command line", "命令行"),
    "the environment": Bilingual("the environment", "环境变量"),
}
SETTINGS_DEFAULT = Bilingual("all defaults", "全部为默认值")
SQLITE_SAFE = Bilingual("{version}, free of the WAL-reset bug", "{version}，不含 WAL 重置缺陷")
SQLITE_UNSAFE = Bilingual(
    "{version} can corrupt a database when its log is reset; install apsw {safe} or newer",
    "{version} 在重置日志时可能损坏数据库；请安装 apsw {safe} 或更高版本",
)
CHECKSUMS_ON = Bilingual("every page read is verified", "每次读取的页都会校验")
CHECKSUMS_OFF = Bilingual(
    "this apsw cannot verify pages; install it from a binary wheel", "当前 apsw 无法校验页；请安装其二进制 wheel"
)
HOME_NEW = Bilingual("{path} (made with the first thing remembered)", "{path}（首次写入时创建）")
HOME_CLOSED = Bilingual("{reason}", "数据目录无法使用，请修改权限或用 --home 另选目录：{reason}")
DISK_FREE = Bilingual("{free} of {total}", "{free} / 共 {total}")
DISK_LOW = Bilingual("only {free} of {total}; make room", "仅剩 {free} / 共 {total}；请清理空间")
EMBEDDER_OFF = Bilingual("none: search is by words only", "none：只按词检索")
EMBEDDER_ON = Bilingual(
    "{model}, {dimension} dimensions, loaded in {seconds:.1f} s, {speed:.0f} sentences/s",
    "{model}，{dimension} 维，{seconds:.1f} 秒加载，每秒 {speed:.0f} 句",
)
AUDIT_INTACT = Bilingual("intact: {lines} lines of {orgs} organisations", "完好：{orgs} 个组织，共 {lines} 行")
AUDIT_DAMAGED = Bilingual(
    "{org}: {problem}. Keep a copy of what was set aside, find out who could write there, then move it away",
    "{org}：{problem}。请保留被移出部分的副本，查明谁能写入该处，然后将其移走",
)
ERASURE_CUT_SHORT = Bilingual(
    "an erasure was cut short; it is carried to its end as the memory is opened now",
    "一次擦除曾被中断；现在打开记忆时会将其完成",
)
CLOCK_BACK = Bilingual(
    "{count} of the newest entries were recorded at a time to come, the last at {latest}, and it is {now}: this "
    "machine's clock was ahead then, or is behind now. Nothing is lost, and the order is right; set the clock",
    "最新的条目中有 {count} 条的记录时间尚未到来（最晚 {latest}，而现在是 {now}）：当时时钟偏快，或现在偏慢。"
    "没有丢失内容，顺序也正确；请校准时钟",
)
DATABASE_MISSING = Bilingual(
    "memory.db is missing from {folder}, the rest of the agent is there; put it back from a backup{copies}, or remove "
    "the folder and import an export",
    "{folder} 中的 memory.db 缺失，而该智能体的其他文件仍在；请从备份恢复{copies}，或删除该文件夹后重新导入",
)
COPIES_BESIDE = Bilingual(" (beside it: {names})", "（同一文件夹中有：{names}）")
SCHEMA_NEW = Bilingual(
    "{reason}; nothing was changed",
    "由更新版本的 Remanent 写入，当前版本无法打开；请升级 Remanent。未作任何改动（{reason}）",
)
SCHEMA_OLD = Bilingual(
    "was {found}, is now {now}; the backup from before is {backup}",
    "原为 {found}，现已升级到 {now}；升级前的备份为 {backup}",
)
NOT_EXAMINED = Bilingual("could not be examined: {reason}", "无法检查：{reason}")
DAMAGED = Bilingual(
    "damaged: {problems}. Restore the folder from a backup, or save what is readable with `remanent doctor --repair`",
    "已损坏：{problems}。请从备份恢复该文件夹，或运行 `remanent doctor --repair` 保存可读的内容",
)
INDEX_DAMAGED = Bilingual(
    "damaged: {problems}. Answers stay right, the index is built anew from the database; delete the file and look at "
    "the disk",
    "已损坏：{problems}。检索结果不受影响，索引会由数据库重建；请删除该文件，并检查磁盘",
)
ATTACHMENTS_DAMAGED = Bilingual(
    "damaged: {problems}. Attach these files again from where they came from, or restore them from a backup",
    "已损坏：{problems}。请从来源重新附加这些文件，或从备份恢复",
)
COPIES = Bilingual(
    "{names} hold earlier contents; an erasure removes them, and so may you once they are not needed",
    "{names} 含有此前的内容；执行抹除时会一并删除，不再需要时也可自行删除",
)
NO_AGENTS = Bilingual("nothing is remembered yet", "尚无任何记忆")
SOUND = Bilingual(
    "sound: {entries} entries, {records} records, {vectors} vectors, {size}",
    "完好：{entries} 条原始记录、{records} 条记忆、{vectors} 个向量，{size}",
)
QUEUE_EMPTY = Bilingual("empty", "空")
QUEUE_STATE = Bilingual(
    "{waiting} waiting or running, the oldest since {since}", "{waiting} 个等待或运行中，最早始于 {since}"
)
QUEUE_POSTPONED = Bilingual("; tried again at {again} after: {error}", "；将于 {again} 重试，原因：{error}")
QUEUE_DEAD = Bilingual("{dead} dead letters; the last: {error}", "{dead} 个死信；最近一个：{error}")
REPAIRED = Bilingual(
    "What is readable of {agent} was saved to {path}; the damaged file was not touched. To use the copy: stop every "
    "process that uses this agent, move memory.db, memory.db-wal and memory.db-shm out of {folder}, then rename {name} "
    "to memory.db. What is missing from it was unreadable; an export or a backup may still have it.",
    "{agent} 中可读的内容已保存到 {path}；损坏的文件未作任何改动。使用副本的方法：停止所有使用该智能体的进程，"
    "将 {folder} 中的 memory.db、memory.db-wal、memory.db-shm 移到别处，再把 {name} 重命名为 memory.db。"
    "副本中缺失的部分已无法读取，导出文件或备份中可能仍有。",
)
NOT_REPAIRED = Bilingual("Nothing of {agent} could be saved: {reason}", "{agent} 中没有可保存的内容：{reason}")
USE_REPAIR = Bilingual(
    "`remanent doctor --repair` saves what is readable of a damaged agent to a new file.",
    "运行 `remanent doctor --repair` 可将损坏智能体中可读的内容保存到新文件。",
)

# ── the associative memory ──
GRAPH = Bilingual(
    "{nodes} nodes, {links} links of mean strength {strength:.2f}, {dangling} of them to something forgotten; "
    "{forgotten} nodes were forgotten.",
    "{nodes} 个节点，{links} 条关联，平均强度 {strength:.2f}，{dangling} 条指向已遗忘之物；遗忘 {forgotten} 个节点。",
)
FOCUS = Bilingual("in focus, newest first", "关注点（新的在前）")
KEYWORDS = Bilingual("keywords", "关键词")
SINCE = Bilingual("since", "时间")

# ── measuring ──
FIGURE = Bilingual("figure", "指标")
MEASURED = Bilingual("measured", "实测")

# ── evaluate ──
EVALUATED = Bilingual("questions, answerable + unanswerable", "问题数：有答案 + 无答案")
ANY_AT = Bilingual("any@1 / any@5 / any@10", "any@1 / any@5 / any@10")
ANY_AT_5 = Bilingual("any@5, 95 % interval", "any@5 的 95 % 置信区间")
ALL_AT_5 = Bilingual("all@5", "all@5")
MRR = Bilingual("MRR", "MRR")
NDCG = Bilingual("nDCG@10", "nDCG@10")
ANSWERED = Bilingual("answerable questions that are answered", "有答案的问题中得到回答的比例")
REFUSED = Bilingual("unanswerable questions that get no answer", "无答案的问题中不予回答的比例")
AUROC = Bilingual("answerable told from unanswerable, AUROC", "区分有无答案的 AUROC")
LATENCY = Bilingual("time, p50 / p95", "耗时 p50 / p95")
LACKING = Bilingual("answers that lack a path", "缺少检索路径的结果数")
MISSED = Bilingual("Not among the first ten: {question}", "前十条中没有：{question}")
CHANGED = Bilingual(
    "Answered otherwise: {question}\n  before: {before}\n  now: {now}",
    "回答已变：{question}\n  之前：{before}\n  现在：{now}",
)
NO_ANSWER = Bilingual("no answer", "无回答")
TOO_FEW = Bilingual(
    "Too few answers: any@5 is {share}, and {minimum} is asked for.", "命中不足：any@5 为 {share}，要求 {minimum}。"
)
MISSED_MORE = Bilingual("… and {count} more; --json lists all.", "……另有 {count} 个；--json 列出全部。")

# ── the demonstration ──
DEMO_TITLE = Bilingual(
    "Remanent: a memory that LLM agents can trust\nNothing leaves this machine; no key, no model server.",
    "Remanent：值得信赖的智能体记忆\n数据不出本机；无需密钥，也无需模型服务。",
)
DEMO_REMEMBER = Bilingual(
    "Remember two conversations, one English, one Chinese. Each write is on disk before it is acknowledged.",
    "记住两段对话，一段英文、一段中文。每次写入在确认之前都已落盘。",
)
DEMO_REMEMBERED = Bilingual(
    "{count} messages of 2 sessions durable after {written}, indexed by words and meaning after {indexed}.",
    "2 个会话的 {count} 条消息经 {written} 持久保存，{indexed} 后完成按词与按语义的索引。",
)
DEMO_RECALL = Bilingual(
    "Ask in either language. Every answer names who said it, when and where.",
    "用任一语言提问。每个答案都注明谁在何时何处说的。",
)
DEMO_FORGET = Bilingual(
    "Forget the release date that no longer holds. It is out of mind, and a tombstone says that it was known.",
    "遗忘已失效的发布日期。它不再被想起，但墓碑记录着曾经知道它。",
)
DEMO_TOMBSTONE = Bilingual(
    "Tombstone: about “{about}”, {size} characters, learned {learned}, reason: {reason}. "
    "`restore` would bring it back.",
    "墓碑：关于“{about}”，{size} 字，得知于 {learned}，原因：{reason}。可用 `restore` 恢复。",
)
DEMO_REASON = Bilingual("postponed", "已推迟")
DEMO_ERASE = Bilingual(
    "Erase a secret for good: the text, its index and its vector, from every byte of every file.",
    "彻底抹除一个秘密：文字、索引与向量，从所有文件的每个字节中消失。",
)
DEMO_FOUND_BEFORE = Bilingual(
    "Before: “{word}” stands {count} times in {files} files.", "抹除前：{files} 个文件中出现 {count} 次“{word}”。"
)
DEMO_FOUND_AFTER = Bilingual(
    "After:  “{word}” stands {count} times in {files} files.", "抹除后：{files} 个文件中出现 {count} 次“{word}”。"
)
DEMO_NO_ANSWER = Bilingual("“{question}” no longer has its answer.", "“{question}”已问不出答案。")
DEMO_EXPORT = Bilingual(
    "Export everything as JSON lines, sealed with a checksum, readable without Remanent.",
    "将一切导出为 JSON 行，带校验封印，无需 Remanent 也能读。",
)
DEMO_EXPORTED = Bilingual("{lines} lines, {size}: {path}", "{lines} 行，{size}：{path}")
DEMO_END = Bilingual(
    "Done in {seconds:.1f} s. Your turn:\n"
    '  remanent remember --agent me "I parked on level 3"\n'
    '  remanent recall --agent me "where is the car?"',
    "用时 {seconds:.1f} 秒。轮到你了：\n"
    '  remanent remember --agent me "我把车停在地下三层"\n'
    '  remanent recall --agent me "车在哪里？"',
)
DEMO_KEPT = Bilingual(
    "The memory of this demonstration stays in {home}, agent {agent}.", "本次演示的记忆保留在 {home}，智能体 {agent}。"
)

# ── bank ──
BANK_ROUND = Bilingual("Round {number}: {task}", "第 {number} 轮：{task}")
BANK_GRAPH = Bilingual(
    "Graph: {nodes} nodes, {edges} edges, {conflicts} contradictions ({open} open), {merges} merges",
    "记忆图：{nodes} 个节点，{edges} 条边，{conflicts} 处矛盾（{open} 处未决），{merges} 次合并",
)
BANK_READING = Bilingual("Reading: chunk {done} of {of}", "读取：第 {done} 块，共 {of} 块")
BANK_RESTS = Bilingual("Rests on", "依据")
BANK_ENDED = Bilingual(
    "Ended: {end}, {rounds} rounds, {calls} calls, {tokens} tokens",
    "结束：{end}，{rounds} 轮，{calls} 次调用，{tokens} 个 token",
)
BANK_FELL_BACK = Bilingual(
    "Done without the model, which failed or had no tokens left: {roles}",
    "模型出错或 token 已用完，以下角色改为不用模型完成：{roles}",
)
BANK_EXPORTED = Bilingual("The bank is in {file}.", "记忆库已写入 {file}。")
BANK_DRAWN = Bilingual("The graph is drawn in {file}.", "记忆图已绘制到 {file}。")
BANK_NO_TASK = Bilingual("Say what the task is: --task TEXT", "请用 --task 说明任务")
BANK_CONFLICTS = Bilingual("Contradictions", "矛盾")

# ── fields ──
FIELDS = {
    "id": "id", "about": "关于", "access_count": "读取次数", "agent": "智能体", "answer": "答案",
    "approved_by": "批准者", "at": "时间", "attachment_id": "附件 id", "attachments": "附件", "attempts": "尝试次数",
    "attribute": "属性", "because": "依据", "bytes_on_disk": "占用字节", "caller_id": "调用方 id",
    "category": "类别", "changed_by": "修改者", "checksums": "页校验和", "claims": "各方说法",
    "confidence": "置信度", "conflicts": "矛盾", "content": "内容", "count": "数量", "created_at": "创建于",
    "created_by": "提出者", "dead": "已放弃", "decided_at": "裁定于", "decided_by": "裁定者",
    "dependants": "依赖它的记忆", "description": "说明", "digest": "摘要", "done": "完成", "dry_run": "仅试运行",
    "end": "止", "engine": "引擎", "enqueued_at": "排队于", "entries": "原始记录", "entry_id": "原始记录 id",
    "error": "错误", "evidence_count": "证据数", "expired": "已过期", "expires_at": "过期于",
    "first_observed": "首次提到", "forgotten_at": "遗忘于", "from_id": "起点", "head": "末行印记",
    "importance": "重要性", "indexes": "索引", "intact": "完好", "key": "键", "key_id": "密钥 id",
    "keywords": "关键词", "kind": "类型", "lane": "队列", "last_confirmed": "最近确认", "learned_at": "得知于",
    "lines": "行数", "made_by_engine": "得出所用引擎", "made_by_role": "得出方式", "made_by_version": "规则版本",
    "media_type": "类型", "metadata": "元数据", "name": "名称", "number": "编号", "occurred_at": "发生于",
    "oldest": "最早", "org": "组织", "outcome": "结果", "pending": "等待中", "permissions": "权限", "pinned": "固定",
    "premises": "前提", "previous": "前一印记", "problem": "问题", "problems": "问题", "promoted": "已转为长期",
    "quoted": "引自一句原话", "quotes": "原话", "reason": "原因", "record_id": "记忆 id", "recorded_at": "记录于",
    "records": "记忆", "related": "相关", "relation": "关系", "removed": "已清除", "replaces": "取代",
    "role": "角色", "rotten": "原话已变", "running": "运行中", "scan_count": "扫描次数", "schema": "结构版本",
    "seal": "印记", "seq": "序号", "session": "会话", "size": "大小", "sort": "类别", "sources": "来源",
    "stale": "前提已变", "start": "起", "state": "状态", "status": "状态", "steps": "步骤", "strength": "强度",
    "subject": "主体", "subjects": "对象", "summary": "摘要", "tags": "标签", "task": "任务", "text": "文本",
    "to_id": "终点", "trust": "可信度", "updated_at": "更新于", "undo": "可恢复的版本", "upheld": "采信",
    "uri": "地址", "user": "用户", "valid_from": "生效于", "valid_to": "失效于", "value": "值", "vectors": "向量",
    "version": "版本", "wake_at": "下次执行", "what": "操作", "who": "谁", "workspace": "工作区",
}  # fmt: skip
"""What fields of answers are called in Chinese; in English their names say it."""
