// Everything that the pages say, in English and Chinese. The names of tabs and figures in Chinese are the design's own.

const WORDS = {
  home: ["Home", "首页"], memory: ["Memory", "记忆"], ask: ["Ask", "提问"], conflicts: ["Conflicts", "冲突"], graph: ["Graph", "图谱"],
  timeline: ["Timeline", "时间线"], knowledge: ["Knowledge", "知识库"], shared: ["Shared", "共享"], runs: ["Runs", "任务运行"], admin: ["Administration", "管理"],
  skip: ["Skip to the content", "跳到正文"], language: ["中文", "English"], theme: ["Light or dark", "浅色或深色"], sign_out: ["Sign out", "退出"],
  agent: ["Agent", "智能体"], all_agents: ["All agents", "全部智能体"], workspace: ["Workspace", "工作区"],
  tab_all: ["All", "全部记忆"], tab_semantic: ["Semantic", "语义记忆"], tab_episodic: ["Episodic", "情景记忆"], tab_procedural: ["Procedural", "程序记忆"],
  tab_shared: ["Shared", "共享记忆"], tab_knowledge: ["Knowledge", "知识库"], tab_short_term: ["Short-term", "短期记忆"], tab_turn: ["Turns", "原始对话"], tab_bank: ["Task banks", "任务库"],
  kind_semantic: ["Semantic", "语义"], kind_episodic: ["Episodic", "情景"], kind_procedural: ["Procedural", "程序"], kind_shared: ["Shared", "共享"], kind_turn: ["Turn", "对话"],
  kind_knowledge: ["Knowledge", "知识"], kind_chunk: ["Passage", "文段"], kind_document: ["Document", "文档"], kind_trace: ["Association", "联想"], kind_query_node: ["Task node", "任务节点"], kind_note: ["Note", "笔记"], kind_section: ["Section", "章节"], kind_preference: ["Preference", "偏好"], kind_decision: ["Decision", "决定"], kind_follow_up: ["Follow-up", "待跟进"], kind_mood: ["Mood", "情绪"], kind_short_term: ["Short-term", "短期"],
  search: ["Search", "搜索"], search_hint: ["Ask in your own words…", "用自己的话提问…"], tags: ["Tags", "标签"], tags_hint: ["Tags, with commas", "标签，用逗号分隔"], since: ["From", "从"], until: ["To", "到"], status: ["Status", "状态"],
  status_active: ["Active", "有效"], status_forgotten: ["Forgotten", "已遗忘"], status_superseded: ["Superseded", "已被取代"], status_expired: ["Expired", "已过期"], status_any: ["Any", "不限"], status_pending: ["Waiting", "待定"],
  confidence: ["Confidence: {n}%", "置信度: {n}%"], sources: ["Source: {n} turns", "来源: {n}次对话"], source_one: ["Source: 1 turn", "来源: 1次对话"], source_document: ["Source: {name}", "来源: {name}"], source_hand: ["Source: written by hand", "来源: 人工写入"], by_agent: ["Agent: {name}", "Agent: {name}"], tagged: ["Tags: {tags}", "标签: {tags}"],
  edit: ["Edit", "编辑"], delete: ["Delete", "删除"], undo: ["Undo", "撤销"], deleted: ["Forgotten. It can be brought back.", "已遗忘，可以恢复。"], restored: ["Brought back.", "已恢复。"], saved: ["Saved as a new version.", "已存为新版本。"],
  overtaken: ["Someone else has changed this memory in the meantime. It now says:", "这条记忆在此期间已被他人修改，现在的内容是："], overtaken_diff: ["Saving your text would make these changes; theirs is kept among the versions:", "保存你的文字会作如下改动；对方的内容仍保留在版本记录中："], overtaken_save: ["Save mine all the same", "仍保存我的内容"],
  save: ["Save", "保存"], cancel: ["Cancel", "取消"], close: ["Close", "关闭"], confirm: ["Confirm", "确认"], confirmed: ["Confirmed.", "已确认。"], restore: ["Bring back", "恢复"], erase: ["Erase for good", "彻底销毁"],
  erase_ask: ["Erase this memory and the words it came from? Not a byte remains, and nothing can bring it back.", "彻底销毁这条记忆以及它所依据的原话？不留一个字节，无法恢复。"], erase_again: ["Type {word} to continue", "输入“{word}”以继续"], erase_word: ["ERASE", "销毁"], erased: ["Erased: {entries} entries, {records} records.", "已销毁：{entries} 条原始记录，{records} 条记忆。"],
  more: ["More", "更多"], loading: ["Loading…", "加载中…"], nothing: ["Nothing here yet.", "这里还没有内容。"], no_match: ["Nothing matches.", "没有匹配的内容。"],
  offline: ["The server cannot be reached. What you typed is kept; try again.", "无法连接服务器。已输入的内容仍在，请重试。"], again: ["Try again", "重试"],
  total: ["Memories", "总记忆条数"], mean_confidence: ["Mean confidence", "平均置信度"], expired: ["Expired", "过期记忆"], to_clean: ["(to clean up)", "(待清理)"], conflict_count: ["Conflicts", "冲突记忆"], to_solve: ["(to resolve)", "(待解决)"],
  stale: ["Outdated premise", "前提失效"], duplicates: ["Duplicates", "重复记忆"], rotten: ["Unsupported", "失去依据"], junk: ["Junk", "无内容"], among: ["of the newest {n}", "最新 {n} 条中"], given_up: ["{n} given up", "{n} 项已放弃"], is_rotten: ["Today's rules would no longer make this memory from these words.", "以今天的规则，这些原话不再产生这条记忆。"], saved_plain: ["Saved.", "已保存。"], kind_instruction: ["Instruction", "长期要求"], queue: ["Waiting jobs", "排队任务"], dead: ["Given up", "已放弃"], disk: ["On disk", "占用磁盘"], engine: ["Storage engine", "存储引擎"], entries: ["journal entries", "条原始记录"], records: ["records", "条记忆与索引"], vectors: ["vectors", "个向量"],
  clean_title: ["Clean up expired memories", "清理过期记忆"], clean_ask: ["These have expired. Cleaning up removes them for good.", "以下记忆已过期。清理后将无法恢复。"], clean: ["Clean up", "清理"], cleaned: ["Cleaned up: {n}", "已清理：{n}"],
  sources_title: ["Where it comes from", "来源"], versions: ["Versions", "版本"], links: ["Links", "关联"], why: ["Why", "缘由"], details: ["Details", "详情"], history: ["History", "历史"], premises: ["Premises", "前提"], dependants: ["What depends on it", "依赖它的记忆"],
  version: ["Version {n}", "版本 {n}"], now: ["now", "现在"], just_now: ["just now", "刚刚"], comma: [", ", "、"], trust: ["Trust", "信任"], made_by: ["Made by", "生成方式"], occurred: ["Happened", "发生于"], recorded: ["Recorded", "记录于"], session: ["Session", "会话"], id: ["Id", "编号"],
  ask_title: ["What an agent would get", "智能体会得到什么"], ask_about: ["Ask about anything this agent may have been told, such as “Where do I live?” or “What did we decide last week?”. You see what would be recalled and why, and the text that a model would be given.", "可以问此智能体听到过的任何事，例如“我住在哪里？”或“上周我们决定了什么？”。这里会显示召回的内容、理由，以及将交给模型的文字。"], ask_hint: ["A question as your agent would ask it", "像智能体那样提问"], as_of: ["As of", "截至时间"], without: ["Without this source", "去掉此来源"], without_list: ["Left out: {n}", "已排除：{n}"], take_back: ["Take back", "取消排除"],
  injected: ["As it is injected ({n} tokens)", "注入内容（{n} 个 token）"], injected_none: ["Nothing would be injected.", "不会注入任何内容。"], gate_open: ["Worth answering from memory: {why}", "值得引用记忆：{why}"], gate_shut: ["Held back: nothing here answers this ({why}).", "未注入：这里没有能回答的内容（{why}）。"],
  left_out: ["Left out: {paths}", "未参与：{paths}"], score: ["Score", "得分"], paths: ["Paths", "召回路径"], boosts: ["Adjusted by", "调整因素"], rank: ["rank {n}", "第 {n} 名"], took: ["{ms} ms", "{ms} 毫秒"],
  conflict_none: ["No open conflicts.", "没有待解决的冲突。"], conflict_past: ["Resolved ({n})", "已解决 ({n})"], conflict_now: ["To resolve ({n})", "待解决 ({n})"], kept: ["Kept", "已保留"], not_kept: ["Set aside", "未采用"], merged: ["Merged into: {text}", "合并为：{text}"], by_rule: ["Resolved automatically: the later statement holds.", "自动解决：以较新的说法为准。"], by_who: ["Resolved by {name}", "解决者：{name}"], keep_this: ["Keep this one", "保留这个版本"], keep_both: ["Keep both", "两者都保留"], merge: ["Merge", "合并"], merge_hint: ["One sentence to merge them into", "合并成的一句话"], holds_where: ["Where it holds", "适用的场合"], holds_here: ["where it holds: at work", "适用的场合：工作时"], holds_there: ["where it holds: at home", "适用的场合：在家时"], both_hint: ["Say where each of them holds", "请先写明各自适用的场合"], resolved: ["Resolved. It can be undone.", "已解决，可以撤销。"], undone: ["Undone: it is open again.", "已撤销：重新变为待解决。"], evidence: ["Evidence", "依据"], state: ["State", "状态"],
  graph_none: ["This agent has no associative graph yet.", "此智能体还没有联想图。"], nodes: ["Nodes", "节点"], focuses: ["In focus", "焦点"], forgotten: ["Forgotten", "已遗忘"], dangling: ["Dangling links", "悬空链接"], strength: ["Strength", "强度"], fit: ["Fit", "适应窗口"], find_node: ["Find a node", "查找节点"], node_limit: ["Only the newest {n} nodes are drawn.", "只绘制了最新的 {n} 个节点。"], up_to: ["Up to", "截至"],
  per_hour: ["Turns by the hour", "每小时对话数"], per_day: ["Turns by the day", "每日对话数"], per_month: ["Turns by the month", "每月对话数"], per_year: ["Turns by the year", "每年对话数"], day_title: ["{day}: {n}", "{day}：{n} 条"], zoom_out: ["Zoom out", "返回上一级"], turn_count: ["{n} turns", "{n} 条"], newest_only: ["Only the newest {n} turns are shown.", "只显示最新的 {n} 条。"], without_session: ["No session", "未分会话"],
  kb_drop: ["Drop files or folders here, or", "把文件或文件夹拖到这里，或"], kb_choose: ["choose files", "选择文件"], kb_none: ["No documents yet.", "还没有文档。"], kb_name: ["Name", "名称"], kb_owner: ["For", "归属"], kb_of_workspace: ["the workspace", "工作区共享"], kb_of_agent: ["{name} alone", "仅 {name}"], kb_size: ["Size", "大小"], kb_unreadable: ["The browser could not read this file.", "浏览器无法读取此文件。"], kb_bench_hint: ["A question to the documents", "向文档提一个问题"], kb_type: ["Type", "类型"], kb_chunks: ["Passages", "文段"], kb_added_at: ["Added", "添加于"], kb_added: ["Added", "已添加"], kb_changed: ["Updated", "已更新"], kb_unchanged: ["Unchanged", "无变化"], kb_waiting: ["Waiting", "等待中"], kb_sending: ["Sending…", "上传中…"], kb_unread: ["{n} pages are pictures that were not read", "{n} 页是图片，未能读取"], kb_twins: ["Near-duplicates", "近似重复"], kb_bench: ["Try a search", "检索测试"], searching: ["Searching…", "正在搜索…"], kb_missing: ["This server has no knowledge base.", "此服务器没有知识库。"], kb_removed: ["Removed, with everything derived from it.", "已移除，连同由它产生的一切。"],
  kb_status: ["Status", "状态"], kb_ready: ["Ready", "就绪"], kb_indexing: ["{n} of {of} passages indexed", "已索引 {n}/{of} 个文段"], kb_tech: ["Techniques", "检索技术"], kb_rewrite: ["Rewriting", "查询改写"], kb_hyde: ["HyDE", "HyDE 假设文档"], kb_parents: ["Parent documents", "父文档"], kb_summaries: ["Summary index", "总结索引"], kb_hybrid: ["Keywords and meaning", "关键词与语义"], preview: ["Preview", "预览"], page: ["page {n}", "第 {n} 页"], line: ["line {n}", "第 {n} 行"],
  shared_inbox: ["Waiting for approval", "待审批"], approve: ["Approve", "批准"], refuse: ["Refuse", "拒绝"], reason: ["Reason", "理由"], propose: ["Propose", "提议"], propose_hint: ["What everybody in the workspace should know", "希望工作区所有人都知道的内容"], proposed: ["Proposed: it is waiting for approval.", "已提议，等待审批。"], proposer: ["Proposed by {name}", "由 {name} 提议"], approved: ["Approved: everyone in the workspace can see it now.", "已批准：工作区内所有人现在可见。"], refused: ["Refused.", "已拒绝。"], shared_missing: ["This server has no shared memory with approval.", "此服务器没有带审批的共享记忆。"], shared_in_force: ["In force", "已生效"],
  sort_project_context: ["Project context", "项目背景"], sort_decision_record: ["Decision (ADR)", "架构决策 (ADR)"], sort_convention: ["Convention", "约定"], sort_known_issue: ["Known issue", "已知问题"], sort_preference: ["Preference", "偏好"],
  keys: ["Keys", "密钥"], jobs_none: ["Nothing is waiting.", "没有等待中的任务。"], reach: ["Reaches", "可访问范围"], reach_all: ["the whole organisation", "整个组织"], never: ["never", "永不"], is_revoked: ["revoked", "已吊销"], revoke_ask: ["Whoever uses the key “{name}” will be refused from now on. This cannot be undone.", "使用密钥“{name}”的程序将立即被拒绝，且无法撤销。"], may_read: ["read", "读取"], may_write: ["write", "写入"], may_approve: ["approve", "审批"], may_admin: ["administer", "管理"], keys_none: ["No key has been created yet: only programs on this machine are served.", "尚未创建密钥：只服务本机上的程序。"], audit: ["Audit log", "审计日志"], jobs: ["Background work", "后台任务"], settings: ["Settings", "设置"], revive: ["Try again", "重试"], revived: ["Taken up again.", "已重新排队。"], revoke: ["Revoke", "吊销"], revoked: ["Revoked.", "已吊销。"], new_key: ["New key", "新建密钥"], key_first: ["This is the first key. From now on every request needs one, including this page: sign in with a key that has the admin permission.", "这是第一个密钥。从现在起，没有密钥的请求一律拒绝，包括本页面：请用具有管理权限的密钥登录。"], key_once: ["Copy it now: it is shown only once.", "请立即复制：只显示一次。"], permissions: ["Permissions", "权限"], expires: ["Expires", "到期"], verify: ["Verify", "校验"], verified: ["{n} lines, unbroken.", "{n} 行，完整无缺。"], broken: ["Broken: {why}", "已损坏：{why}"],
  first_title: ["Nothing is remembered yet", "还没有任何记忆"], first_text: ["Connect an agent in any of these ways, or try it here.", "用以下任一方式接入智能体，或在此直接试用。"], try_it: ["Try it", "试一试"], try_text: ["My sister Clara visits from the 12th to the 15th of June.", "我姐姐 Clara 六月 12 日到 15 日来看我。"], try_question: ["When does Clara visit?", "Clara 什么时候来？"], try_say: ["Something to remember", "要记住的话"], try_ask: ["A question about it", "就此提问"], try_done: ["Remembered, and asked “{question}”:", "已记住，并提问“{question}”："], tries: ["Try: remember a sentence, then ask for it", "试用：记住一句话，再问它"],
  key_title: ["Enter a key to continue", "输入密钥以继续"], key_text: ["Someone with access to the server's machine can create one: remanent keys create NAME", "能登录服务器所在机器的人可以新建：remanent keys create 名称"], key_again: ["Your session has ended. Type your key again: what you have typed is still there.", "会话已结束。请重新输入密钥：已填写的内容都还在。"], key: ["Key", "密钥"], sign_in: ["Sign in", "登录"], key_wrong: ["This key is not valid here.", "此密钥在此无效。"],
  last: ["Last: {age}", "最近：{age}"], pinned: ["Pinned", "已置顶"], pin: ["Pin", "置顶"], unpin: ["Unpin", "取消置顶"], left: ["{age} left", "剩余 {age}"], copy: ["Copy", "复制"], copied: ["Copied.", "已复制。"], connect: ["Connect an agent", "接入智能体"],
  run_running: ["Running", "进行中"], run_done: ["Done", "已完成"], run_failed: ["Failed", "失败"], run_cancelled: ["Stopped", "已停止"], run_interrupted: ["Interrupted", "被中断"],
  bank_none: ["This agent has no task banks. A bank that is run under a name appears here.", "此智能体没有保留任务库。运行时起了名字的任务库会显示在这里。"], bank_steps: ["Steps", "步骤"], bank_done: ["Finished", "已完成"], bank_open: ["Unfinished", "未完成"], run_no_bank: ["This run kept no bank.", "此次运行没有保留任务库。"], runs_none: ["Nothing has run yet. Task banks, exports and imports appear here once started, and are updated live.", "还没有运行记录。启动任务库、导出或导入后会显示在这里，并实时更新。"], stop: ["Stop", "停止"], bank: ["Task bank", "任务库"], banks: ["Task banks", "任务库"], insight: ["Insight Doc", "洞察文档"], query_graph: ["Query Graph", "查询图"], next_step: ["Next step", "下一步"], next_none: ["Nothing is left to do.", "没有待办的步骤。"], unresolved: ["Not settled", "未定论"],
  step_NORMAL: ["Step", "步骤"], step_CROSS_VALIDATE: ["Cross-validation", "交叉验证"], step_success: ["Succeeded", "成功"], step_failed: ["Failed", "失败"], conflict_open: ["Open", "待解决"], conflict_resolved: ["Resolved", "已解决"], conflict_unresolved: ["Not settled", "未定论"], conflict_validating: ["Being checked", "核对中"],
  zoom_in: ["Zoom in", "放大"], zoom_away: ["Zoom out", "缩小"], legend_focus: ["In focus", "焦点"], legend_node: ["Remembered; larger with more links", "记得的；关联越多越大"], legend_ghost: ["Forgotten; links still point to it", "已遗忘；关联仍指向它"], legend_line: ["Thicker lines are stronger.", "线越粗，关联越强。"],
  settings_text: ["The settings that the server was started with. They are changed there, not here: by a flag, the environment or a file. Secrets are never shown.", "服务器启动时的设置。只能在启动处更改（命令行、环境变量或文件），此处不能修改。机密从不显示。"], settings_hint: ["Name or meaning", "名称或含义"], settings_changed: ["Only what was changed", "只看已更改的"], settings_set: ["changed", "已更改"], secret_set: ["set, not shown", "已设置，不显示"], secret_unset: ["not set", "未设置"], value: ["Value", "值"], meaning: ["Meaning", "含义"],
  made_of_before: ["Edited by hand. Before that, it was based on these words:", "已人工修改。修改前依据的原话："], evidence_gone: ["The words are no longer there.", "原话已不存在。"], trust_user: ["said by the user", "用户所说"], trust_agent: ["said by the agent", "智能体所说"], trust_untrusted: ["not trusted", "未受信任"], trust_tool: ["from a tool", "来自工具"], trust_web: ["from the web", "来自网络"], trust_import: ["imported", "导入"],
  light_on: ["Up to date", "已是最新"], light_busy: ["Processing new content", "正在处理新内容"], light_off: ["Needs attention", "需要处理"], shared_place: ["shared (the workspace)", "shared（工作区共享）"], last_used: ["last used {age}", "{age}使用过"], job_turns: ["Index what was said", "索引对话"], job_embed: ["Embed", "计算向量"], job_reembed: ["Embed again", "重算向量"], job_gate: ["Measure when to answer", "校准门控"], job_sessions: ["Close idle sessions", "结束闲置会话"], "job_cognition.learn": ["Learn from what was said", "从对话中学习"], "job_cognition.episode": ["Summarise a session", "总结会话"], "job_workspace.facts": ["Write to the workspace", "写入工作区"], "job_associative.remember": ["Associate", "联想"], "job_associative.compress": ["Compress the graph", "压缩联想图"], "job_associative.rewrite": ["Rewrite nodes of the graph", "改写联想节点"], maker_extraction: ["learned from what was said", "从对话中学到"], maker_caller: ["written by hand", "人工写入"], maker_shared: ["proposed", "由智能体提议"], maker_journal: ["as it was said", "原话"], maker_import: ["imported", "导入"], maker_annotation: ["an association", "联想"], maker_offline: ["by rules, without a model", "规则，未用模型"], job_pending: ["Waiting", "等待中"], job_running: ["Running", "进行中"], job_dead: ["Given up", "已放弃"], outcome_ok: ["ok", "成功"], outcome_cancelled: ["stopped", "已停止"],
  changes: ["changed: {what}", "改动：{what}"], by_name: ["by {name}", "操作者：{name}"], who_local: ["whoever is at this machine", "本机用户"], content: ["Text", "内容"], kind: ["Kind", "类型"], expires: ["Expiry", "有效期"], confidence_plain: ["Confidence", "置信度"], why_recalled: ["Why it was recalled", "为何被召回"], not_recalled: ["This question does not bring it up today.", "现在提这个问题不会召回它。"],
  erase_reach: ["This takes {entries} journal entries and {records} memories with it.", "将一并销毁 {entries} 条原始记录和 {records} 条记忆。"], unsure: ["Less certain than most", "置信度偏低"], about_unsure: ["Memories less certain than average, the least certain first.", "置信度低于平均值的记忆，最低的在前。"],
  episode_count: ["{n} episodes", "{n} 段情景"], episode_legend: ["An episode: a session in brief", "情景：一次会话的概要"], nodes_found: ["{n} found", "找到 {n} 个"], key_paste: ["Paste your key to fill it in below (it is not stored)", "粘贴密钥即可填入下方示例（不会保存）"],
  shared_amends: ["It would change what was approved:", "将修改已批准的内容："], shared_replaces: ["It would replace what is shared now:", "将取代现有的共享内容："], shared_disputes: ["It is less certain than what is shared now; approving it opens a conflict:", "置信度低于现有共享内容，批准后会产生冲突："],
  kb_original: ["Original file", "原始文件"], kb_off: ["Not searched", "不参与检索"], kb_switch_off: ["Leave out of searches", "不参与检索"], kb_switch_on: ["Search it again", "恢复检索"], kb_add_below: ["Add a passage below", "在下方添加文段"], kb_by_hand_edited: ["Edited", "已编辑"], kb_by_hand_added: ["Added by hand", "手工添加"], kb_by_hand_outdated: ["Edited; the document has changed since", "已编辑，文档随后有变动"], kb_in_place: ["Show in the document", "在文档中查看"],
  kb_came: ["brought {n} of these passages", "带来其中 {n} 个文段"], kb_went: ["without it there would be {texts}", "不用则会出现{texts}"], kb_around: ["gave {n} passages their surroundings", "为 {n} 个文段补充了前后文"], kb_nothing_more: ["brought nothing more", "没有带来更多内容"], kb_brought: ["by {name}", "来自{name}"], path_query: ["Other wording", "改写"],
  show_all: ["Show all {n} characters", "展开全部（{n} 字）"], show_less: ["Show less", "收起"],
  more_turns: ["{n} more", "还有 {n} 条"],
  gate_near: ["something here is close to it", "有相近的内容"], gate_strange: ["nothing like its words occurs here", "这里没有出现过这样的内容"], gate_vague: ["it asks for nothing in particular", "问题过于笼统"], gate_wordless: ["it has no words to search by", "没有可检索的词"], gate_unmeasured: ["too little is remembered to judge by", "记忆太少，无从衡量"],
  path_keyword: ["Words", "关键词"], path_vector: ["Meaning", "语义"], path_time: ["Time", "时间"], path_recency: ["Recency", "近期"], path_graph: ["Links", "关联"], path_cognition: ["Learned memories", "已学记忆"], path_associative: ["Associations", "联想"], path_reranker: ["Reranking", "重排"], boost_recency: ["Recency", "新近"], boost_kind: ["Kind", "类型"], boost_confidence: ["Confidence", "置信度"], boost_usage: ["Use", "使用频次"], boost_trust: ["Trust", "信任"], boost_brevity: ["Brevity", "简短"],
  about_stale: ["What these follow from has changed since. Confirm, correct or delete them.", "这些记忆所依据的前提已经改变。请确认、更正或删除。"], about_duplicates: ["These say the same as others.", "这些与其他记忆内容相同。"], about_junk: ["These say nothing useful.", "这些没有实际内容。"], about_rotten: ["The words behind these no longer say so.", "这些记忆所依据的原话已不支持它们。"],
  role_user: ["user", "用户"], role_assistant: ["assistant", "助手"], role_system: ["system", "系统"], role_tool: ["tool", "工具"], role_document: ["document", "文档"],
  who: ["Who", "谁"], what: ["What", "操作"], when: ["When", "时间"], outcome: ["Outcome", "结果"], not_found: ["There is no such page.", "没有这个页面。"], not_allowed: ["Your key may not administer this server. Ask someone whose key may to open this page.", "你的密钥没有管理权限。请由有权限的人打开此页。"], failed: ["This did not work: {why}", "操作失败：{why}"], attempts: ["Attempts", "尝试次数"], error: ["Error", "错误"], begun: ["Begun", "开始于"], ended: ["Ended", "结束于"], goal: ["Goal", "目标"], open: ["Open", "打开"], tree: ["Interaction tree", "交互树"],
};

let language = document.documentElement.lang.startsWith("zh") ? 1 : 0;
try { const kept = localStorage.getItem("language"); if (kept !== null) language = Number(kept); } catch { /* a browser without storage forgets the choice */ }

export const isChinese = () => language === 1;
export function setLanguage(chinese) {
  language = chinese ? 1 : 0;
  document.documentElement.lang = chinese ? "zh-CN" : "en";
  try { localStorage.setItem("language", String(language)); } catch { /* as above */ }
}
setLanguage(language === 1);

export function say(name, values = {}) {
  const said = WORDS[name];
  if (said === undefined) return name;
  return said[language].replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}
export const knows = (name) => name in WORDS;
/** Who spoke; a name of their own stays as it is. */
export const role = (name) => (knows(`role_${name}`) ? say(`role_${name}`) : name);
/** Who did something; whoever sits at the machine has no name. */
export const whoName = (name) => (name === "local" ? say("who_local") : name);

const formats = new Map();
/** A formatter of the browser's, in the language of the page: each is made once, since making one takes some milliseconds. */
export function formatter(Sort, options) {
  const language = isChinese() ? "zh-CN" : "en", key = `${Sort.name} ${language} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, new Sort(language, options));
  return formats.get(key);
}

const UNITS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];
/** How long ago (or ahead) a moment is, as people say it. */
export function age(moment, now = Date.now()) {
  const seconds = (new Date(moment).getTime() - now) / 1000;
  const format = formatter(Intl.RelativeTimeFormat, { numeric: "auto" });
  const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    // People count days by nights: 40 hours ago may be the day before yesterday.
    return format.format(unit === "day" ? Math.round((midnight(moment) - midnight(now)) / 86400000) : Math.trunc(seconds / length), unit);
  }
  return say("just_now"); // "this minute", as the browser would put it, is what nobody says
}
/** How long it is until a moment: "6 days". */
export function span(moment, now = Date.now()) {
  const seconds = Math.max(0, (new Date(moment).getTime() - now) / 1000);
  const [unit, length] = UNITS.find(([, least]) => seconds >= least) ?? UNITS.at(-1);
  return formatter(Intl.NumberFormat, { style: "unit", unit, unitDisplay: "long" }).format(Math.floor(seconds / length));
}
export const moment = (at) => formatter(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
export const day = (at) => formatter(Intl.DateTimeFormat, { dateStyle: "medium" }).format(new Date(at));
export const number = (value) => formatter(Intl.NumberFormat, {}).format(value);
export function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = Math.min(3, bytes > 0 ? Math.floor(Math.log(bytes) / Math.log(1000)) : 0);
  // Short forms have no plural in English: "400 byte".
  return formatter(Intl.NumberFormat, { style: "unit", unit: units[step], unitDisplay: step ? "short" : "long", maximumFractionDigits: 1 }).format(bytes / 1000 ** step);
}
