"""Wording in the two languages that Remanent speaks to people and to models in; what errors say, in both.

Errors are raised in English where they happen, and told in Chinese at the border, by their wording: whoever raises one
need not know who reads it, and what other packages say can be told as well. A test finds every error without Chinese.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from remanent.values import dataclass

Language = Literal["zh", "en"]
"""A language that users and models are addressed in."""


@dataclass(frozen=True, slots=True)
class Bilingual:
    """A text in English and Chinese, perhaps with named places to fill in.

    Both stand side by side where the text is declared, so that nobody changes one and forgets the other.
    """

    en: str
    zh: str

    def __getitem__(self, language: Language) -> str:
        """Return the text in one language, as it stands."""
        return self.zh if language == "zh" else self.en

    def say(self, language: Language, **values: object) -> str:
        """Return the text in one language; `values` fill its places, and without any it is returned as it stands."""
        return self[language].format(**values) if values else self[language]


def in_language(texts: Mapping[str, Bilingual], language: Language) -> dict[str, str]:
    """Return the texts of a table in one language."""
    return {name: text[language] for name, text in texts.items()}


def prefers_chinese(languages: str) -> bool:
    """Tell whether the first language of an `Accept-Language` header is Chinese."""
    return languages.strip().lower().startswith("zh")


def translated(message: str, language: Language, table: tuple[Bilingual, ...] = ()) -> str:
    """Return what an error says in a language, as far as a table, or else the one below, has it."""
    if language == "en":
        return message
    table = table or ERRORS
    several = _NEXT_FIELD.split(message) if _FIELD.match(message) else [message]
    if len(several) > 1:
        return "；".join(translated(one, language, table) for one in several)
    for error, wording in _patterns(table):
        found = wording.fullmatch(message)
        if found:
            return error.zh.format(**{name: _filled(name, value, table) for name, value in found.groupdict().items()})
    field = _FIELD.match(message)
    said = translated(message[field.end() :], language, table) if field else ""
    return f"{field[1]}：{said}" if field and said != message[field.end() :] else message


_FIELD = re.compile(r"([\w.]+): ")
_NEXT_FIELD = re.compile(r"; (?=[\w.]+: )")
"""Between what is said of one field and of the next."""


def _filled(name: str, value: str, table: tuple[Bilingual, ...]) -> str:
    """Return in Chinese what fills a place of an error."""
    if name == "choices":
        return value.replace("', '", "'、'").replace("' or '", "' 或 '")
    return _NAMED_THINGS.get(value, value) if name == "what" else translated(value, "zh", table)


_NAMED_THINGS = {
    "name": "名称",
    "org": "组织",
    "workspace": "工作区",
    "agent": "智能体",
    "session": "会话",
    "task": "任务",
}
"""What the things are called in Chinese whose names are checked."""


@cache
def _patterns(table: tuple[Bilingual, ...]) -> tuple[tuple[Bilingual, re.Pattern[str]], ...]:
    """Return each error with a pattern of its English wording, whatever is filled in."""
    return tuple(
        (error, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(error.en)), re.DOTALL)) for error in table
    )


ERRORS = (
    Bilingual("query: must not be blank", "问题为空；请输入要问的内容"),
    Bilingual("query: must not be empty", "问题为空；请输入要问的内容"),
    Bilingual(
        "digest: must be a SHA-256 digest, 64 signs of 0-9 and a-f",
        "digest 应为 SHA-256 摘要，即 64 个 0-9 或 a-f 的字符",
    ),
    Bilingual(
        "key_id: must be the id of a key, 12 signs of 0-9 and a-f", "key_id 应为密钥的编号，即 12 个 0-9 或 a-f 的字符"
    ),
    Bilingual("Expecting value: line {line} column {column} (char {place})", "第 {line} 行第 {column} 列应有一个值"),
    Bilingual(
        "Expecting property name enclosed in double quotes: line {line} column {column} (char {place})",
        "第 {line} 行第 {column} 列应有一个双引号括起的名称",
    ),
    Bilingual(
        "Expecting '{sign}' delimiter: line {line} column {column} (char {place})",
        "第 {line} 行第 {column} 列应有“{sign}”",
    ),
    Bilingual("Extra data: line {line} column {column} (char {place})", "第 {line} 行第 {column} 列之后还有多余的内容"),
    Bilingual(
        "Unterminated string starting at: line {line} column {column} (char {place})",
        "第 {line} 行第 {column} 列开始的文本没有结束的引号",
    ),
    Bilingual(
        "Invalid control character at: line {line} column {column} (char {place})",
        "第 {line} 行第 {column} 列有不允许的控制字符",
    ),
    Bilingual("the question is empty; ask something", "问题为空；请输入要问的内容"),
    Bilingual("limit must be between 1 and {most}, not {given}", "limit 应在 1 到 {most} 之间，而不是 {given}"),
    Bilingual("there is no recipe {name}; it is one of {known}", "没有配方 {name}；可选：{known}"),
    Bilingual("there is no kind {name}; it is one of {known}", "没有类型 {name}；可选：{known}"),
    Bilingual("there is no order {name}; it is one of {known}", "没有顺序 {name}；可选：{known}"),
    Bilingual("there is no grain {name}; it is one of {known}", "没有粒度 {name}；可选：{known}"),
    Bilingual("there is no flaw {name}; it is one of {known}", "没有缺陷 {name}；可选：{known}"),
    Bilingual("there is no status {name}; it is one of {known}", "没有状态 {name}；可选：{known}"),
    Bilingual("there is no state {name}; it is one of {known}", "没有状态 {name}；可选：{known}"),
    Bilingual("there is no role {name}; it is one of {known}", "没有角色 {name}；可选：{known}"),
    Bilingual(
        "say what to erase: entry_ids, record_ids, a session, everything=True, or a user alone",
        "请指明要抹除什么：entry_ids、record_ids、session、everything=True，或单独一个 user",
    ),
    Bilingual("no record {record} here", "这里没有记录 {record}"),
    Bilingual(
        "the embedded store brings each agent's file up to date by itself when it is opened",
        "内置存储在打开时会自行更新每个智能体的文件，无需迁移",
    ),
    Bilingual(
        "{host} can be reached from other machines, and there is no key; make one first: "
        "remanent keys create NAME --permission admin",
        "{host} 可从其他机器访问，但还没有密钥；请先创建：remanent keys create NAME --permission admin",
    ),
    Bilingual(
        "the audit log of this database is sealed with another key than this server has; set REMANENT_SEAL_KEY to that "
        "of the first server, or copy its audit.key into the folder of secrets",
        "此数据库的审计日志由另一密钥加封；请将 REMANENT_SEAL_KEY 设为第一台服务器的密钥，"
        "或将其 audit.key 复制到机密目录",
    ),
    Bilingual(
        "record {record} is at version {found}, not {expected}; read it again",
        "记录 {record} 的版本是 {found}，不是 {expected}；请重新读取",
    ),
    Bilingual(
        "record {record} is forgotten already; `restore` brings it back", "记录 {record} 已被遗忘；可用 `restore` 恢复"
    ),
    Bilingual("record {record} is not forgotten; there is nothing to restore", "记录 {record} 未被遗忘，无需恢复"),
    Bilingual(
        "{what} {name} is at version {found}, not {expected}; read it again, then retry",
        "{what} {name} 的版本是 {found}，不是 {expected}；请重新读取后再试",
    ),
    Bilingual("there is nothing to remember; give at least one message", "没有可记住的内容；请至少给出一条消息"),
    Bilingual(
        "content: the text is empty or missing; there is nothing to remember in it", "内容为空，没有可记住的内容"
    ),
    Bilingual("content: the text is empty; there is nothing to remember in it", "内容为空，没有可记住的内容"),
    Bilingual("message {number} of {file}: {error}", "{file} 第 {number} 条消息：{error}"),
    Bilingual("message {place}: {error}", "第 {place} 条消息：{error}"),
    Bilingual(
        "message {place} has {length} characters, more than the {most} that max_text_length allows; split it",
        "第 {place} 条消息有 {length} 个字符，超过 max_text_length 允许的 {most} 个；请拆分",
    ),
    Bilingual(
        "it must be a text or a JSON object with role and content, not {given}",
        "应为文字，或带有 role 和 content 的 JSON 对象，而不是{given}",
    ),
    Bilingual(
        "{fields}: no field of a message; put what is your own into `metadata`",
        "{fields} 不是消息的字段；自定义内容请放入 `metadata`",
    ),
    Bilingual(
        "id {name} names another message of this session; use a new id",
        "id {name} 已属于本会话的另一条消息；请换一个 id",
    ),
    Bilingual("there is no message in this file", "文件中没有消息"),
    Bilingual("there is no question in this file", "文件中没有问题"),
    Bilingual("line {number} of the export: {error}", "导出文件第 {number} 行：{error}"),
    Bilingual(
        "line {number} of {file} is no JSON ({error}); give a list of messages, or one message a line",
        "{file} 第 {number} 行不是 JSON（{error}）；请给出消息列表，或每行一条消息",
    ),
    Bilingual(
        "line {number} of {file} is not UTF-8; convert it first", "{file} 第 {number} 行不是 UTF-8 编码；请先转换"
    ),
    Bilingual("line {number} of {file}: {error}", "{file} 第 {number} 行：{error}"),
    Bilingual("cannot read {file}: No such file or directory", "无法读取 {file}：文件不存在"),
    Bilingual("cannot read {file}: Permission denied", "无法读取 {file}：没有权限"),
    Bilingual("cannot read {file}: Is a directory", "无法读取 {file}：这是一个文件夹"),
    Bilingual("cannot read {file}: {error}", "无法读取 {file}：{error}"),
    Bilingual(
        "there is no folder {folder}; make it first, or write somewhere else",
        "没有文件夹 {folder}；请先创建，或写到别处",
    ),
    Bilingual("nothing is stored for {scope}", "{scope} 没有存储任何内容"),
    Bilingual(
        "this is no date or time; write it like 2026-05-31 or 2026-05-31T18:30:00+08:00",
        "这不是日期或时间；请写成 2026-05-31 或 2026-05-31T18:30:00+08:00",
    ),
    Bilingual("there is no {name}; it takes {known}", "没有参数 {name}；可用：{known}"),
    Bilingual("budget must not be below 0, but is {budget}", "budget 不应小于 0，而给出的是 {budget}"),
    Bilingual("this moment is out of the range of years 1 to 9999 in UTC", "时间超出 UTC 1 至 9999 年的范围"),
    Bilingual("metadata: {text} has no value; write it like user_id=u1", "元数据 {text} 没有值；请写成 user_id=u1"),
    Bilingual(
        "where: {text} is no comparison; write it like user_id=u1 or year>=2020",
        "条件 {text} 无法识别；请写成 user_id=u1 或 year>=2020",
    ),
    Bilingual(
        "where.{key}: there is no comparison {name}; take {known}", "条件 {key}：没有比较方式 {name}；可选：{known}"
    ),
    Bilingual("user: a user is named by a text of 1 to {most} characters", "用户名应为 1 到 {most} 个字符的文字"),
    Bilingual(
        "user: the name holds control characters, invisible ones or blanks at its ends; remove them",
        "用户名含有控制字符、不可见字符或首尾空格；请去掉",
    ),
    Bilingual(
        "user: the metadata name another user under {key}; name one of the two",
        "用户：元数据 {key} 指明的是另一个用户；请只写其中一个",
    ),
    Bilingual(
        "nothing here is of the user {user}; users are named as they were when it was said",
        "这里没有用户 {user} 的内容；用户名须与写入时一致",
    ),
    Bilingual(
        "there is no session {session} of this user; `remember` something in it first",
        "该用户没有会话 {session}；请先在其中 `remember` 内容",
    ),
    Bilingual("tags: a tag is a text of 1 to {most} characters", "标签应为 1 到 {most} 个字符的文字"),
    Bilingual("tags: {count} are more than the {most} that are allowed", "标签有 {count} 个，超过允许的 {most} 个"),
    Bilingual("{what} must not be empty", "{what}不能为空"),
    Bilingual("{what} must start with a letter, a digit or one of _ @ ~", "{what}须以字母、数字或 _ @ ~ 之一开头"),
    Bilingual("{what} must not hold '..' nor begin or end with a space", "{what}不能包含“..”，也不能以空格开头或结尾"),
    Bilingual("{what} has {length} characters; at most {most} are allowed", "{what}有 {length} 个字符；最多 {most} 个"),
    Bilingual(
        "{what} holds {sign}; use letters, digits and any of {known}", "{what}含有 {sign}；请使用字母、数字和 {known}"
    ),
    Bilingual(
        "{what} {name} is not safe as a file name; choose another", "{what} {name} 不能安全地用作文件名；请换一个"
    ),
    Bilingual(
        "{what} has look-alike characters (full-width or composed forms); write it plainly",
        "{what}含有易混淆的字符（全角或组合形式）；请改用普通写法",
    ),
    Bilingual(
        "agent {name} differs only in case from {other}, which lives in that folder",
        "智能体 {name} 与已有的 {other} 仅大小写不同",
    ),
    Bilingual(
        "{folder} is a file; the home of memories is a folder (--home, REMANENT_HOME)",
        "{folder} 是文件；记忆目录应为文件夹（--home、REMANENT_HOME）",
    ),
    Bilingual(
        "{folder} cannot be written to ({error}); change its permissions, or choose another home folder "
        "(--home, REMANENT_HOME)",
        "{folder} 无法写入（{error}）；请修改权限，或换一个目录（--home、REMANENT_HOME）",
    ),
    Bilingual(
        "{file} is damaged: {damage}; nothing was changed, run `remanent doctor --repair` to save what is readable",
        "{file} 已损坏：{damage}；未作任何改动，可运行 `remanent doctor --repair` 挽救可读的内容",
    ),
    Bilingual("{file} is not a Remanent database", "{file} 不是 Remanent 的数据库"),
    Bilingual(
        "{file} has schema {found}, this Remanent knows {known}; upgrade Remanent",
        "{file} 的结构版本为 {found}，本程序只认识到 {known}；请升级 Remanent",
    ),
    Bilingual("the store is closed; open it again", "存储已关闭；请重新打开"),
    Bilingual(
        "{count} jobs wait for this agent already; let them run, then try again",
        "该智能体已有 {count} 个任务在等待；请等其完成后再试",
    ),
    Bilingual(
        "this agent has memories already; import into a new agent, or erase everything first",
        "该智能体已有记忆；请导入到新的智能体，或先全部擦除",
    ),
    Bilingual(
        "this is not an export of Remanent; its first line would say so", "这不是 Remanent 的导出文件（首行不符）"
    ),
    Bilingual(
        "the export ends after line {number} without its last line: it was cut; get the whole file",
        "导出文件在第 {number} 行后中断，缺少结尾；请取得完整文件",
    ),
    Bilingual(
        "line {number} does not seal the lines before it: the export was changed or lines are missing",
        "第 {number} 行与前文不符：导出文件被改动或缺行",
    ),
    Bilingual(
        "the export has format {found}, this Remanent knows {known}; upgrade Remanent",
        "导出格式为 {found}，本程序只认识到 {known}；请升级 Remanent",
    ),
    Bilingual("no file with the digest {digest} is kept here", "这里没有摘要为 {digest} 的文件"),
    Bilingual("this attachment is not stored here; fetch it from its uri", "附件不存放在这里；请从其 uri 获取"),
    Bilingual("no dead letter {job} here", "这里没有失败任务 {job}"),
    Bilingual("there is no key {key}", "没有密钥 {key}"),
    Bilingual(
        "a key must allow something: read, write, approve or admin", "密钥至少要允许一项：read、write、approve 或 admin"
    ),
    Bilingual(
        "expires_at: this moment is over, and the key would open nothing; choose a later one",
        "expires_at：该时刻已过，密钥将无法使用；请选择更晚的时刻",
    ),
    Bilingual(
        "a workspace is named with its org, and an agent with its workspace",
        "指定工作区时须指定组织，指定智能体时须指定工作区",
    ),
    Bilingual(
        "there is no configuration file {file}; correct the path or make the file",
        "没有配置文件 {file}；请改正路径或创建文件",
    ),
    Bilingual("{file} is not well-formed YAML{place}; correct it", "{file} 不是有效的 YAML{place}；请改正"),
    Bilingual(
        "{package} is not installed; run: pip install 'remanent[{extra}]'",
        "未安装 {package}；请运行：pip install 'remanent[{extra}]'",
    ),
    Bilingual("both URLs name the same place; nothing was copied", "两个 URL 指向同一处；未复制任何内容"),
    Bilingual("Input should be a valid integer, unable to parse string as an integer", "应为整数"),
    Bilingual("Input should be a valid integer", "应为整数"),
    Bilingual("Input should be a valid number, unable to parse string as a number", "应为数字"),
    Bilingual("Input should be a valid number", "应为数字"),
    Bilingual("Input should be a valid boolean, unable to interpret input", "应为 true 或 false"),
    Bilingual("Input should be a valid boolean", "应为 true 或 false"),
    Bilingual("Input should be a valid dictionary", "应为对象"),
    Bilingual("Input should be a valid string", "应为文本"),
    Bilingual("Input should be a valid list", "应为列表"),
    Bilingual("Input should be a valid tuple", "应为列表"),
    Bilingual("Input should be greater than or equal to {least}", "应不小于 {least}"),
    Bilingual("Input should be less than or equal to {most}", "应不大于 {most}"),
    Bilingual("Input should be {choices}", "应为 {choices}"),
    # ── of documents ──
    Bilingual("the file is empty; give one with content", "文件为空；请给出有内容的文件"),
    Bilingual(
        "the file has {size} bytes, and {most} are read at most; split it",
        "文件有 {size} 字节，最多读取 {most} 字节；请拆分",
    ),
    Bilingual(
        "{file} has {size} bytes, and {most} are read at most; split it",
        "{file} 有 {size} 字节，最多读取 {most} 字节；请拆分",
    ),
    Bilingual("the file has more than {most} characters of text; split it", "文件的文字超过 {most} 个字符；请拆分"),
    Bilingual(
        "files of type {type} are not read; save it as PDF, DOCX or text",
        "不支持 {type} 类型的文件；请另存为 PDF、DOCX 或文本",
    ),
    Bilingual("it is neither text nor a type of file that is read", "既不是文本，也不是所支持的文件类型"),
    Bilingual("this file is locked with a password; give it without", "文件有密码保护；请先解除密码"),
    Bilingual("this spreadsheet is locked with a password; give it without", "表格有密码保护；请先解除密码"),
    Bilingual("this PDF is locked with a password; give it without", "PDF 有密码保护；请先解除密码"),
    Bilingual("this book is locked by its seller; give it without", "电子书有版权加密；请提供未加密的文件"),
    Bilingual(
        "this book cannot be read; give it whole, or as PDF or text",
        "无法读取此书；请提供完整的文件，或改用 PDF 或文本",
    ),
    Bilingual("this PDF cannot be read; give it whole, or as text", "无法读取此 PDF；请提供完整的文件，或改用文本"),
    Bilingual("this PDF has no pages; give it whole, or as text", "此 PDF 没有页面；请提供完整的文件，或改用文本"),
    Bilingual("this PDF has {count} pages, and {most} are read at most", "此 PDF 有 {count} 页，最多读取 {most} 页"),
    Bilingual("this PDF has more than {most} characters; split it", "此 PDF 的文字超过 {most} 个字符；请拆分"),
    Bilingual("this spreadsheet has more than {most} characters; split it", "此表格的文字超过 {most} 个字符；请拆分"),
    Bilingual(
        "this spreadsheet cannot be read; give it whole, or as CSV", "无法读取此表格；请提供完整的文件，或改用 CSV"
    ),
    Bilingual(
        "this file is packed and cannot be unpacked; give it whole", "文件是压缩格式且无法解压；请提供完整的文件"
    ),
    Bilingual(
        "this file would unpack to {size} bytes in {count} parts, which is too much; split it",
        "文件解压后有 {size} 字节、{count} 个部分，过大；请拆分",
    ),
    Bilingual(
        "this file is damaged and cannot be read; give it whole, or as text",
        "文件已损坏，无法读取；请提供完整的文件，或改用文本",
    ),
    Bilingual("reading this file takes more memory than a file may; split it", "读取此文件所需内存超出限制；请拆分"),
    Bilingual(
        "reading this file took too long; it may be damaged: save it anew, or split it",
        "读取此文件耗时过长，文件可能已损坏；请重新保存或拆分",
    ),
    Bilingual(
        "the reader of this type of file broke down over it; it may be damaged: save it anew",
        "读取此文件时程序出错，文件可能已损坏；请重新保存",
    ),
    Bilingual("{file} cannot be read: {error}; give a file that exists", "无法读取 {file}：{error}；请给出存在的文件"),
    Bilingual(
        "{folder} is empty, and all documents of it would be removed; "
        "connect the drive it lies on, or confirm with --force (remove='all')",
        "{folder} 是空的，其全部文档都会被移除；请连接它所在的磁盘，或用 --force（remove='all'）确认",
    ),
    Bilingual(
        "{folder} is a folder, and a name, media type, metadata, tags or date describe one document; "
        "leave them out, or add its files one by one",
        "{folder} 是文件夹，而名称、媒体类型、元数据、标签或日期只描述一份文档；请去掉它们，或逐个添加文件",
    ),
    Bilingual("{folder} is no folder; give one that exists", "{folder} 不是文件夹；请给出存在的文件夹"),
    Bilingual(
        "a document {name} was added by hand, and a folder never changes those; rename the file or remove it",
        "已有手工添加的文档 {name}，同步文件夹不会改动它；请将文件改名，或删除该文档",
    ),
    Bilingual("there is no document {name} in the collection {collection}", "集合 {collection} 中没有文档 {name}"),
    Bilingual("there was no document {name} then", "当时没有文档 {name}"),
    Bilingual("there is no chunk {chunk} here", "这里没有文本块 {chunk}"),
    Bilingual("there is no chunk {chunk} in {name}", "{name} 中没有文本块 {chunk}"),
    Bilingual("the text is empty; give what is to be checked", "文本为空；请给出要核对的内容"),
    Bilingual(
        "{count} sentences are more than the {most} checked at once; split it",
        "共 {count} 句，一次最多核对 {most} 句；请拆分",
    ),
    Bilingual("name: a document needs a name, by which it is found and replaced", "文档需要名称，以便查找和替换"),
    Bilingual("text: a chunk must say something", "文本块不能为空"),
    Bilingual(
        "text: a chunk must say something; switch it off with enabled=False",
        "文本块不能为空；如不需要，可用 enabled=False 停用",
    ),
    Bilingual(
        "the address answered with status {status}; nothing was added", "该地址返回状态 {status}；未添加任何内容"
    ),
    # ── of the server ──
    Bilingual("there is no such address; /docs lists them", "没有这个地址；全部地址见 /docs"),
    Bilingual("/v1/{path} takes another method", "/v1/{path} 不接受此方法"),
    Bilingual("the proxy does not offer this address; it has {addresses}", "代理不提供该地址；可用的有 {addresses}"),
    Bilingual("this address takes other methods", "该地址不接受此方法"),
    Bilingual("the request cannot be read", "无法读取请求"),
    Bilingual("the body is no JSON: {error}", "请求体不是 JSON：{error}"),
    Bilingual("{file} is no JSON: {error}", "{file} 不是 JSON：{error}"),
    Bilingual("the request ended before its body did", "请求体尚未发完，请求就结束了"),
    Bilingual("at most {limit} bytes are taken", "最多接受 {limit} 字节"),
    Bilingual(
        "{size} bytes of this file are here; send it from there on", "此文件已收到 {size} 字节；请从该处继续发送"
    ),
    Bilingual("nothing was sent under this digest; send the file first", "该摘要下没有收到任何内容；请先上传文件"),
    Bilingual(
        "what was sent does not have this digest; send the file again from its beginning",
        "收到的内容与摘要不符；请从头重新上传",
    ),
    Bilingual(
        "the file has more than {most} bytes, which are read at most; split it",
        "文件超过 {most} 字节的上限；请拆分后再添加",
    ),
    Bilingual("another one is sending this very file; wait for that", "同一文件正在被上传；请等待其完成"),
    Bilingual(
        "too much is sent and not finished yet; finish it, or wait until a day has passed",
        "未完成的上传过多；请先完成它们，或等待一天",
    ),
    Bilingual(
        "send one content type: application/json, or the one that /docs names for this address",
        "请只发送一个 Content-Type：application/json，或 /docs 为该地址写明的类型",
    ),
    Bilingual("send the key as Authorization: Bearer …", "请以 Authorization: Bearer … 发送密钥"),
    Bilingual("send {type}", "请发送 {type}"),
    Bilingual("too many requests are under way", "正在处理的请求过多"),
    Bilingual(
        "a key is needed: Authorization: Bearer …; if none is left, {how}",
        "需要密钥：Authorization: Bearer …；若已没有密钥，{how}",
    ),
    Bilingual("this key is unknown, expired or revoked; {how}", "密钥未知、已过期或已吊销；{how}"),
    Bilingual(
        "make a new key at the machine: remanent keys create NAME --permission admin",
        "请在本机新建：remanent keys create NAME --permission admin",
    ),
    Bilingual("this key does not allow to see the settings of the server", "该密钥无权查看服务器的设置"),
    Bilingual("this key does not allow to {permission} here", "该密钥不允许在此处 {permission}"),
    Bilingual(
        "without a key only callers on the machine itself are served, and through no proxy; {how}",
        "没有密钥时，只服务于本机且不经代理的调用者；{how}",
    ),
    Bilingual("{title}; the server's log says more", "{title}；详见服务器日志"),
    Bilingual(
        "{file} holds no messages: give a list of objects with `role` and `content`",
        "{file} 中没有消息：请给出由含 `role` 与 `content` 的对象组成的列表",
    ),
    Bilingual("{file} is none that `evaluate --save` wrote: {why}", "{file} 不是 `evaluate --save` 写出的文件：{why}"),
    Bilingual("no coding agent {name} is known here; there are {known}", "不认识编程智能体 {name}；可选：{known}"),
    Bilingual(
        "hooks in {file} are no object of lists; correct it, or paste what --dry-run shows",
        "{file} 中的 hooks 不是由列表组成的对象；请改正，或粘贴 --dry-run 显示的内容",
    ),
    Bilingual(
        "say with --file where the hooks of this tool stand, or paste what --dry-run shows",
        "请用 --file 指明此工具的 hooks 所在文件，或粘贴 --dry-run 显示的内容",
    ),
    Bilingual(
        "{file} cannot be written: {why}; paste what --dry-run shows",
        "无法写入 {file}：{why}；请粘贴 --dry-run 显示的内容",
    ),
    Bilingual("{file} cannot be changed: {why}", "无法修改 {file}：{why}"),
    Bilingual(
        "there is no model to examine: set model.provider and model.name, or model.base_url",
        "没有可检验的模型：请设置 model.provider 与 model.name，或 model.base_url",
    ),
    Bilingual(
        "a bank without a name lives only as long as its run; open it with a bank_id",
        "没有名字的记忆库只在运行期间存在；请用 bank_id 打开",
    ),
    Bilingual(
        "{url} is no address of a server; write it like http://127.0.0.1:8765",
        "{url} 不是服务器地址；请写成 http://127.0.0.1:8765 这样的形式",
    ),
    Bilingual("an address must not hold a password; give the key as key=…", "地址中不能含密码；请用 key=… 给出密钥"),
    Bilingual("the work was cancelled before it was done", "工作在完成之前被取消"),
    Bilingual("the connection to {server} was closed; connect again", "与 {server} 的连接已关闭；请重新连接"),
    Bilingual("{server} answers with what cannot be read", "{server} 的应答无法读取"),
    Bilingual("give exactly one of a path, a text, a url and data", "路径、文本、网址与数据只能给出其中一项"),
    Bilingual(
        "version {version} of memory {memory} is gone; edit the memory instead",
        "记忆 {memory} 的版本 {version} 已不存在；请直接修改这条记忆",
    ),
    Bilingual(
        "no conflict {conflict} here; `conflicts` names those that there are",
        "这里没有冲突 {conflict}；`conflicts` 可列出现有的冲突",
    ),
    Bilingual(
        "how: one of choose, merge, keep_both, undo, not {given}",
        "how：应为 choose、merge、keep_both、undo 之一，而不是 {given}",
    ),
    Bilingual("claim: a number from 0 to {most}, not {given}", "claim：应为 0 到 {most} 的数字，而不是 {given}"),
    Bilingual(
        "scopes: say where each of both claims holds, in their order, such as 'at work', 'at home'",
        "scopes：请按顺序说明两种说法各自在何处成立，例如“工作时”“在家时”",
    ),
    Bilingual("conflict {conflict} was not settled; there is nothing to undo", "冲突 {conflict} 尚未解决，无可撤销"),
    Bilingual("text: say what holds when both are merged", "text：请写明两者合并之后成立的是什么"),
    Bilingual(
        "content: empty, or a secret that must not be kept; leave passwords and card numbers out",
        "content：为空，或含不应保存的机密；请去掉密码与卡号",
    ),
    Bilingual("kind: a memory is one of {known}, not {given}", "kind：记忆的类型应为 {known} 之一，而不是 {given}"),
    Bilingual(
        "memory {memory} is forgotten already; `restore` brings it back", "记忆 {memory} 已被遗忘；可用 `restore` 恢复"
    ),
    Bilingual(
        "memory {memory} is no procedure but of kind {kind}; feedback is for procedures",
        "记忆 {memory} 不是流程，而是 {kind}；反馈只用于流程",
    ),
    Bilingual(
        "no memory {memory} here; `memories` names those that there are",
        "这里没有记忆 {memory}；`memories` 可列出现有的记忆",
    ),
    Bilingual(
        "memory {memory} is at version {found}, not {expected}; read it again",
        "记忆 {memory} 的版本是 {found}，不是 {expected}；请重新读取",
    ),
    Bilingual("role: one of {known}, not {given}", "role：应为 {known} 之一，而不是 {given}"),
    Bilingual(
        "memory {memory} is neither forgotten nor expired; there is nothing to restore",
        "记忆 {memory} 既未被遗忘也未过期，无需恢复",
    ),
    Bilingual(
        "content: empty, or a secret that must not be shared; leave passwords and keys out",
        "content：为空，或含不应共享的机密；请去掉密码与密钥",
    ),
    Bilingual("{entry} does not wait for approval; it is {state}", "{entry} 并不在等待批准，其状态是 {state}"),
    Bilingual(
        "what one proposes is approved by another: say which coordinator approves it in `by`",
        "提议须由他人批准：请在 `by` 中写明由哪位协调者批准",
    ),
    Bilingual("{entry} is {state}; there is nothing to take back", "{entry} 的状态是 {state}，无可撤回"),
    Bilingual(
        "only {author} or a coordinator may change {entry}; propose another entry",
        "只有 {author} 或协调者可以修改 {entry}；请另行提议",
    ),
    Bilingual(
        "nothing shared has the id {entry}; `shared` names what there is",
        "没有 id 为 {entry} 的共享内容；`shared` 可列出现有内容",
    ),
    Bilingual(
        "this cursor is of another listing; give the `next` of a page of this one",
        "此游标属于另一个列表；请使用本列表某页的 `next`",
    ),
    Bilingual("this is no cursor; give the `next` of a page", "这不是游标；请使用某页的 `next`"),
    Bilingual("limit: between 1 and 100 passages can be asked for", "limit：可要求 1 到 100 段"),
    Bilingual("collections is a list of names: wrap the name in a list", "collections 是名称列表：请把名称放进列表"),
    Bilingual(
        "name: a text or bytes need a name, by which the document is found and replaced",
        "name：文本或字节需要名称，文档凭它查找与替换",
    ),
    Bilingual(
        "nothing of {document} was kept: it could not be read, or is still being read",
        "{document} 没有保存任何内容：无法读取，或仍在读取",
    ),
    Bilingual("query: a question is a text, not {given}", "query：问题应为文本，而不是 {given}"),
    Bilingual("limit: a whole number was expected, not {given}", "limit：应为整数，而不是 {given}"),
    Bilingual(
        "this store keeps no files of its own to repair; use the tools of its database",
        "此存储没有自己的文件可修复；请使用其数据库的工具",
    ),
    Bilingual("this attachment lies outside; only its uri is known", "此附件存放在外部，只知道其 uri"),
    Bilingual("give either settings or single values, not both", "settings 与单个取值只能给出其中一种"),
    Bilingual("name the workspace", "请指明工作区"),
    Bilingual("name the agent", "请指明智能体"),
    Bilingual("a key cannot reach further than the key it is made with", "新密钥的权限不能超过用来创建它的密钥"),
    Bilingual("no run {run} here", "这里没有运行 {run}"),
    Bilingual(
        "{count} long operations of this organisation run already; wait for one or cancel it",
        "本组织已有 {count} 个长时间操作在运行；请等待其中一个结束或将其取消",
    ),
    Bilingual(
        "{count} long operations run already; wait for one to end",
        "已有 {count} 个长时间操作在运行；请等待其中一个结束",
    ),
    Bilingual(
        "this run belongs to another process of the server; ask that one",
        "此运行属于服务器的另一个进程；请向该进程查询",
    ),
    Bilingual("there is no such thing here", "这里没有这样的东西"),
    Bilingual("give between 1 and {most} questions, not {given}", "请给出 1 到 {most} 个问题，而不是 {given} 个"),
    Bilingual(
        "source_share must be above 0 and at most 1, not {given}", "source_share 应大于 0 且不超过 1，而不是 {given}"
    ),
    Bilingual("alpha must be between 0 and 1, not {given}", "alpha 应在 0 到 1 之间，而不是 {given}"),
    Bilingual(
        "memory.backend is {backend}, and {name} names none; give its address there: {setting}: {address}",
        "memory.backend 是 {backend}，但 {name} 没有给出地址；请在那里写上：{setting}: {address}",
    ),
    Bilingual(
        "{file} is being written by somebody else all the time; try again later", "{file} 一直有别人在写入；请稍后再试"
    ),
    Bilingual(
        "{file} leads out of the workspace; name a file within it", "{file} 指向工作区之外；请指定工作区内的文件"
    ),
    Bilingual(
        "{file} lies in a hidden folder; choose a name without a leading dot",
        "{file} 位于隐藏文件夹；请使用不以点开头的名称",
    ),
    Bilingual(
        "a file is named relative to the workspace, such as memory/2026-05-31.md",
        "文件名以工作区为起点，例如 memory/2026-05-31.md",
    ),
    Bilingual(
        "a name must not contain `..`; name a file within the workspace", "名称中不能含 `..`；请指定工作区内的文件"
    ),
    Bilingual(
        "hidden files and folders are not part of the workspace; choose another name",
        "隐藏文件与文件夹不属于工作区；请换一个名称",
    ),
    Bilingual("there is no file {file} in the workspace", "工作区中没有文件 {file}"),
    Bilingual(
        "{file} would have {size} characters, more than the {most} that memory.max_file_size allows; split it",
        "{file} 将有 {size} 个字符，超过 memory.max_file_size 允许的 {most}；请拆分",
    ),
    Bilingual(
        "no change {change} can be undone here; `changes` shows those that can",
        "这里没有可撤销的改动 {change}；`changes` 可列出能撤销的改动",
    ),
    Bilingual("{file} was changed since; undo it by hand: {diff}", "{file} 此后又有改动；请手动撤销：{diff}"),
    Bilingual("the workspace cannot be used: {why}", "工作区无法使用：{why}"),
    Bilingual("{file} is a folder; name a file", "{file} 是文件夹；请指定文件"),
    Bilingual("{file} is not UTF-8; convert it first", "{file} 不是 UTF-8 编码；请先转换"),
    Bilingual(
        "there is a file {file} already; choose another name, or delete it first",
        "已有文件 {file}；请换一个名称，或先将其删除",
    ),
    Bilingual("no room is left for the workspace; make room and try again", "工作区已没有空间；请腾出空间后再试"),
    Bilingual("ask for something, and for 1 to {most} passages", "请写明要找什么，并要求 1 到 {most} 段"),
    Bilingual("there is no mode {name}; it is one of {known}", "没有模式 {name}；可选：{known}"),
    Bilingual(
        "search by meaning needs an embedder; set `embedder` to other than none",
        "按含义搜索需要向量模型；请把 `embedder` 设为 none 以外的值",
    ),
    Bilingual(
        "a folder of the machine is chosen by whoever sits at it; run `remanent workspace init` there",
        "机器上的文件夹由使用该机器的人选定；请在那里运行 `remanent workspace init`",
    ),
    Bilingual(
        "there is no folder {folder}; make it first, or leave it out for a new workspace",
        "没有文件夹 {folder}；请先创建，或省略它以新建工作区",
    ),
    Bilingual(
        "{folder} is another agent's workspace; choose another folder or set memory.shared",
        "{folder} 是另一个智能体的工作区；请换一个文件夹，或设置 memory.shared",
    ),
    Bilingual("old_str is empty; give the text to replace", "old_str 为空；请给出要替换的文本"),
    Bilingual(
        "insert needs insert_line: the line after which the text goes, 0 for the beginning",
        "insert 需要 insert_line：文本插入在该行之后，0 表示开头",
    ),
    Bilingual("there is no file {file}; create it first", "没有文件 {file}；请先创建"),
    Bilingual(
        "there is a file {file} already; edit it with str_replace or insert, or delete it first",
        "已有文件 {file}；请用 str_replace 或 insert 修改，或先将其删除",
    ),
    Bilingual(
        "insert_line must be between 0 and {most}, not {given}", "insert_line 应在 0 到 {most} 之间，而不是 {given}"
    ),
    Bilingual(
        "old_str is not in {file} as it is given; view the file and copy it exactly",
        "{file} 中没有与 old_str 完全一致的文本；请查看文件并原样复制",
    ),
    Bilingual(
        "old_str is in {file} {count} times; give more of what stands around it",
        "old_str 在 {file} 中出现 {count} 次；请多给一些上下文",
    ),
    Bilingual(
        "there is no role {name}; did you mean {near}? The roles are: {known}",
        "没有角色 {name}；是否指 {near}？可选：{known}",
    ),
    Bilingual("there is no role {name}. The roles are: {known}", "没有角色 {name}。可选：{known}"),
    Bilingual("left alone for a while after it failed", "此前失败，暂不使用"),
    Bilingual("no answer within the time that was given", "在给定时间内没有结果"),
    Bilingual("still being loaded; ask again in a moment", "仍在加载；请稍后再问"),
    Bilingual("no answer within {seconds} s", "{seconds} 秒内没有结果"),
    Bilingual("there is no cross-encoder here; set recall.reranker", "这里没有交叉编码器；请设置 recall.reranker"),
    Bilingual("the cross-encoder does not know the question's language", "交叉编码器不懂问题所用的语言"),
    Bilingual("not in time", "未能及时完成"),
    Bilingual("{field}: Field required", "{field}：缺少该字段"),
    Bilingual("{field}: Extra inputs are not permitted", "{field}：没有这个字段"),
    Bilingual("a JSON object was expected", "应为一个 JSON 对象"),
    Bilingual("the body must be a JSON object", "请求体应为一个 JSON 对象"),
    Bilingual("{field}: this is not of the type that is asked for", "{field}：类型不符"),
    Bilingual("messages: give at least one message", "messages：请至少给出一条消息"),
    Bilingual(
        "give messages as a list of objects with `role` and `content`, oldest first",
        "消息应为由 `role` 和 `content` 组成的对象列表，最早的在前",
    ),
    Bilingual(
        "a budget is a whole number of tokens, at least 1, not {given}; leave it out for the default",
        "budget 应为不小于 1 的整数（token 数），而不是 {given}；不填则用默认值",
    ),
    Bilingual("{field}: give at least one", "{field}：请至少给出一项"),
    Bilingual("{field}: at most {most} are allowed, not {given}", "{field}：最多 {most} 项，而不是 {given} 项"),
    Bilingual("{field}: String should have at most {most} characters", "{field}：最多 {most} 个字符"),
    Bilingual(
        "content: a text or a list of parts was expected, not {given}", "content：应为文字或分段列表，而不是{given}"
    ),
    Bilingual(
        "content: a part is a text or an object with a type, not {given}",
        "content：分段应为文字或带有 type 的对象，而不是{given}",
    ),
    Bilingual("a text", "文字"),
    Bilingual("a number", "数字"),
    Bilingual("a truth value", "真假值"),
    Bilingual("a list", "列表"),
    Bilingual("an object", "对象"),
    Bilingual("a key of a scratchpad has 1 to {most} printable characters", "暂存区的键须为 1 到 {most} 个可打印字符"),
    Bilingual("a level is 0, 1, 2 or 3, not {given}", "级别为 0、1、2 或 3，而不是 {given}"),
    Bilingual(
        "a moment is a datetime or a text like 2026-05-31T18:30, not a {given}",
        "时间应为 datetime 或形如 2026-05-31T18:30 的文本，而不是 {given}",
    ),
    Bilingual(
        "a value of a scratchpad has at most {most} characters, not {given}; `remember` what is longer",
        "暂存区的值最多 {most} 个字符，而不是 {given}；更长的内容请用 `remember` 保存",
    ),
    Bilingual(
        "alpha must be between 0 (meaning only) and 1 (words only), not {given}",
        "alpha 应在 0（只看语义）到 1（只看词语）之间，而不是 {given}",
    ),
    Bilingual("another process holds the audit log; nothing was changed", "审计日志正被另一进程占用；未作任何更改"),
    Bilingual(
        "no room is left to note in the audit log what is done; nothing was changed",
        "磁盘已没有空间，无法在审计日志中记下所做的操作；未作任何更改",
    ),
    Bilingual(
        "asking a model needs {package}: pip install 'remanent[models]'",
        "使用语言模型需要 {package}：pip install 'remanent[models]'",
    ),
    Bilingual(
        "cannot listen on {host}:{port}: {reason}; choose another port",
        "无法监听 {host}:{port}：{reason}；请换一个端口",
    ),
    Bilingual(
        "conflict {conflict} is {state} already; `undo` opens it again",
        "矛盾 {conflict} 已是 {state}；`undo` 可重新打开",
    ),
    Bilingual("depth and limit must not be negative", "depth 与 limit 不能为负"),
    Bilingual(
        "every agent that may be open is in use; nothing was written, try again",
        "可同时打开的智能体都在使用中；未写入任何内容，请重试",
    ),
    Bilingual(
        "how far the audit log has come cannot be read: it was damaged, or the key is another",
        "无法读取审计日志的进度：它已损坏，或密钥不同",
    ),
    Bilingual("it belongs to another agent than the first line names", "它不属于首行所指的智能体"),
    Bilingual("its first line names no format", "首行没有注明格式"),
    Bilingual(
        "message {number} is no object with `role` and `content`",
        "第 {number} 条消息不是带有 `role` 与 `content` 的对象",
    ),
    Bilingual(
        "message {number} has no known role; give one of {known}", "第 {number} 条消息的角色无法识别；可选：{known}"
    ),
    Bilingual("metadata: an object was expected, not {given}", "metadata：应为对象，而不是{given}"),
    Bilingual(
        "model.roles.{role}: there is no such role{hint}. There are: {known}",
        "model.roles.{role}：没有这个角色{hint}。可选：{known}",
    ),
    Bilingual("must not be blank", "不能为空"),
    Bilingual("no client {name} is known here; there are {known}", "不认识客户端 {name}；可选：{known}"),
    Bilingual("no key can be made in the home folder: {reason}", "无法在数据目录中创建密钥：{reason}"),
    Bilingual(
        "no model is named for the role {role}: set model.name to one of {provider}'s models",
        "角色 {role} 没有指定模型：请将 model.name 设为 {provider} 的某个模型",
    ),
    Bilingual(
        "no model stands behind this proxy; set proxy.base_url (REMANENT_PROXY__BASE_URL)",
        "此代理背后没有模型；请设置 proxy.base_url（REMANENT_PROXY__BASE_URL）",
    ),
    Bilingual(
        "no node {node} here; `forgotten` lists those that were deleted",
        "这里没有节点 {node}；`forgotten` 会列出已删除的节点",
    ),
    Bilingual("no node {node} was forgotten here", "这里没有遗忘过节点 {node}"),
    Bilingual(
        "no provider of language models is named: set model.provider, or engine to offline",
        "没有指定语言模型的提供方：请设置 model.provider，或将 engine 设为 offline",
    ),
    Bilingual("no room left while {doing}; free some space and try again", "{doing}时空间不足；请腾出空间后重试"),
    Bilingual(
        "nobody works here, so that nothing would ever settle; set jobs.enabled, or start the worker",
        "这里没有后台工作进程，等待不会结束；请设置 jobs.enabled，或启动后台工作",
    ),
    Bilingual(
        "node {node} cannot be made again: the journal no longer has its words",
        "节点 {node} 无法重建：日志中已没有其原文",
    ),
    Bilingual("node {node} is not forgotten; there is nothing to restore", "节点 {node} 并未被遗忘，无需恢复"),
    Bilingual("nothing can be written to {place}: {reason}", "无法写入 {place}：{reason}"),
    Bilingual("nothing may follow the last line; the file was added to", "末行之后不应再有内容；该文件被追加过"),
    Bilingual("one of {known} was expected", "应为以下之一：{known}"),
    Bilingual(
        "reading slides needs python-pptx: pip install 'remanent[documents]'",
        "读取幻灯片需要 python-pptx：pip install 'remanent[documents]'",
    ),
    Bilingual(
        "reading pictures needs {package}: pip install 'remanent[ocr]'",
        "读取图片中的文字需要 {package}：pip install 'remanent[ocr]'",
    ),
    Bilingual(
        "recall by meaning needs an embedder; set `embedder` to other than none",
        "按语义回忆需要嵌入模型；请将 `embedder` 设为 none 以外的值",
    ),
    Bilingual("recipe is a name or a Recipe, not a {given}", "recipe 应为名称或 Recipe，而不是 {given}"),
    Bilingual("session must be text", "session 应为文本"),
    Bilingual("tags: a list of texts was expected, not {given}", "tags：应为文本列表，而不是{given}"),
    Bilingual(
        "the Model Context Protocol needs its SDK: pip install 'remanent[mcp]'",
        "使用 MCP 需要其 SDK：pip install 'remanent[mcp]'",
    ),
    Bilingual(
        "the database is at step {found}; this version knows {known}: upgrade it",
        "数据库的版本为第 {found} 步，而本程序只到第 {known} 步：请升级本程序",
    ),
    Bilingual(
        "the discipline {name} is not installed here; install a Remanent that has it",
        "此处未安装 {name}；请安装包含它的 Remanent",
    ),
    Bilingual(
        "the embedder http needs embedding.base_url, embedding.name and embedding.dimension; see docs/settings.md",
        "嵌入方式 http 需要 embedding.base_url、embedding.name 与 embedding.dimension；见 docs/settings.md",
    ),
    Bilingual(
        "the embedder sentence-transformers needs its package: pip install sentence-transformers",
        "嵌入方式 sentence-transformers 需要其软件包：pip install sentence-transformers",
    ),
    Bilingual("the export holds the same thing twice; nothing was loaded", "导出文件中有重复内容；未载入任何内容"),
    Bilingual(
        "the file has {size} bytes, and {most} are taken at most; make it smaller",
        "文件有 {size} 字节，最多接受 {most}；请缩小",
    ),
    Bilingual("the file is empty; upload one with content", "文件为空；请上传有内容的文件"),
    Bilingual(
        "the file {file} cannot be read: {reason}; give one that exists",
        "无法读取文件 {file}：{reason}；请给出存在的文件",
    ),
    Bilingual("the model behind the proxy did not answer in time", "代理背后的模型未能及时回答"),
    Bilingual("the model behind the proxy is out of reach: {reason}", "无法连接代理背后的模型：{reason}"),
    Bilingual("the picture is empty", "图片为空"),
    Bilingual(
        "the provider `local` needs an address: set model.base_url", "提供方 `local` 需要地址：请设置 model.base_url"
    ),
    Bilingual("the task has no goal; say what is to be found out or done", "任务没有目标；请说明要弄清或完成什么"),
    Bilingual("the text is empty; give one with content", "文本为空；请给出有内容的文本"),
    Bilingual(
        "the user's home directory is unknown; set HOME or memory.path",
        "无法确定用户主目录；请设置 HOME 或 memory.path",
    ),
    Bilingual(
        "there is a bank {bank} already; clear it or choose another name", "已有记忆库 {bank}；请清除它，或另取名称"
    ),
    Bilingual("there is no bank {bank} here", "这里没有记忆库 {bank}"),
    Bilingual("there is no command {name}; it is one of {known}", "没有命令 {name}；可选：{known}"),
    Bilingual("there is no conflict {conflict} in this bank", "此记忆库中没有矛盾 {conflict}"),
    Bilingual("there is no entry {entry} in this bank", "此记忆库中没有条目 {entry}"),
    Bilingual(
        "there is no session {session}; `remember` something in it, or begin it",
        "没有会话 {session}；请先在其中 `remember`，或开始它",
    ),
    Bilingual(
        "there is nothing to remember: None is no message; give a text or messages",
        "没有要记住的内容：None 不是消息；请给出文本或消息",
    ),
    Bilingual(
        "these bytes are no picture that can be read; give a whole PNG, JPEG or WebP",
        "这些字节不是可读取的图片；请给出完整的 PNG、JPEG 或 WebP",
    ),
    Bilingual("this bank is not empty; load an export into a new one", "此记忆库不为空；请将导出载入新的记忆库"),
    Bilingual("this is no JSON ({reason})", "这不是 JSON（{reason}）"),
    Bilingual("this is the memory of {agent}; each agent has its own", "这是 {agent} 的记忆；每个智能体各有自己的"),
    Bilingual("this memory is closed; open it again", "此记忆已关闭；请重新打开"),
    Bilingual(
        "this process has too many files open; try again, or raise its limit (ulimit -n)",
        "本进程打开的文件过多；请重试，或提高上限（ulimit -n）",
    ),
    Bilingual("two disciplines are called {name}; uninstall one of them", "有两个记忆方式都叫 {name}；请卸载其一"),
    Bilingual("valid_to lies before valid_from; swap them", "valid_to 早于 valid_from；请对调"),
    Bilingual("what was sent cannot be read: {reason}", "无法读取所发送的内容：{reason}"),
    Bilingual("where.{key}: name a comparison: {known}", "where.{key}：请指明比较方式：{known}"),
    Bilingual(
        "{place} holds no JSON object; correct it, or paste the entry yourself",
        "{place} 中不是 JSON 对象；请更正，或自行粘贴该条目",
    ),
    Bilingual(
        "{file} cannot be written: {reason}; paste the entry yourself", "无法写入 {file}：{reason}；请自行粘贴该条目"
    ),
    Bilingual(
        "{place} is no plain JSON (it may hold comments) and is left as it is; paste the entry yourself",
        "{place} 不是纯 JSON（可能含有注释），未作改动；请自行粘贴该条目",
    ),
    Bilingual(
        "something of {agent} was erased while it was exported; export it again",
        "导出 {agent} 期间有内容被抹除；请重新导出",
    ),
    Bilingual(
        "{agent} changed while it was exported; let its jobs finish, then export again",
        "{agent} 在导出期间有变化；请等后台任务完成后再导出",
    ),
    Bilingual("{name} has no text that can be read", "{name} 中没有可读取的文字"),
    Bilingual(
        "{provider} needs a key: set {variable} or model.api_key",
        "{provider} 需要密钥：请设置 {variable} 或 model.api_key",
    ),
    Bilingual(
        "{url} is no URL that can be read; give a plain http or https URL",
        "{url} 不是可读取的网址；请给出普通的 http 或 https 网址",
    ),
    Bilingual("{url} lies in a private or reserved network; it is not visited", "{url} 位于私有或保留网络，不予访问"),
    Bilingual("{url} is not a web page: only http and https are visited", "{url} 不是网页：只访问 http 与 https"),
    Bilingual("{url} did not answer in time", "{url} 未能及时回答"),
)
"""What errors say to people; the English is that of the place where they are raised."""
