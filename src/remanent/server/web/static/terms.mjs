// Names that come from the server in one language, put into that of the page; what is not known here stays as it came.
import { isChinese } from "./words.mjs";

const pairs = (text) => text.split(";").map((one) => one.trim().split("="));
const AREAS = Object.fromEntries(pairs("associative=联想;audit=审计日志;bank=任务库;cognition=认知记忆;keys=密钥;knowledge=知识库;scratchpad=草稿板;session=会话;workspace=工作区"));
const DEEDS = Object.fromEntries(pairs(`add=添加;add_chunk=添加文段;add_upload=添加已上传的文件;agents=列出智能体;amend=修改共享内容;approve=批准;ask=提问;attach=保存附件;attachment=读取附件;begin=开始;brief=查看要点;changes=列出改动;check=检查存储;clean=清理;clear=清空;compact=去重;compress=压缩;
  configure=配置;confirm=确认;conflict=查看冲突;conflicts=列出冲突;context=压缩对话;create=新建;deep_retrieval=读取原文;edit=编辑;edit_chunk=编辑文段;end=结束;entries=读取原话;erase=彻底销毁;erase_preview=预览销毁范围;evaluate=评测召回;export=导出;feedback=反馈;fetch=抓取网页;focus=查看焦点;
  forget=遗忘;forgotten=查看已遗忘的;get=查看;grant=授权阅读;graph=绘图;health=检查状况;history=查看历史;import=导入;importance=查看重要程度;index=更新索引;init=初始化;jobs=列出后台任务;layers=查看层次;link=建立关联;links=查看关联;list=列出;load_triples=导入三元组;log=查看当日记录;memory=读写文件;
  node=查看节点;nodes=列出节点;observe=读入文本;original=下载原件;pin=置顶;places=列出可及范围;preview=预览;prompt=查看提示;propose=提议;queue=查看任务队列;read=读取;recall=召回;recalled=查看召回内容;records=列出记忆;refuse=拒绝;reindex=重建索引;remember=记住;remove=移除;repair=修复;
  resolve=解决冲突;restore=恢复;resume=继续任务;revive=重试任务;revoke=撤回;role=查看角色;roles=查看模型分工;rotate=更换令牌;run=运行任务;search=检索;send_part=上传分段;set_role=设定角色;settings=查看设置;settle=等待后台任务;shared=列出共享内容;shared_history=查看共享历史;show=查看;state=查看状态;
  stats=统计;tombstones=查看墓碑;triples=导出三元组;try=试运行;undo=撤销;update=更新;upload_state=查看上传进度;verify=校验;why=查看缘由;write=写入`));

/** What was done, as the audit log names it: an area and a deed. */
export function deed(name) {
  const [area, what] = name.includes(".") ? name.split(".") : ["", name];
  return isChinese() && DEEDS[what] && (!area || AREAS[area]) ? [AREAS[area], DEEDS[what]].filter(Boolean).join(" · ") : name;
}

const MATTERS = pairs("name=姓名;phone=电话;email=邮箱;residence=住址;employer=工作单位;job=职业;education=学历;home=家乡;birthday=生日;age=年龄;workplace=工作地;time=时间;place=地点;deadline=截止日期;name to call=称呼;habit=习惯;practice=做法;diet=饮食;allergy=过敏;health=健康;marital status=婚姻状况;family=家人;birthplace=出生地;field=专业;weight=体重;manager=上级;likes=喜好;dislikes=厌恶;owns=拥有;uses=使用;favourite colour=最喜欢的颜色;favourite restaurant=最喜欢的餐厅;favourite food=最喜欢的食物");
const other = (list, name) => { const found = list.find((pair) => pair.includes(name)); return found ? found[isChinese() ? 1 : 0] : name; };

/** What a conflict is about: “The user: residence”, 用户：住址. */
export function matter(description) {
  const [, attribute] = description.match(/^(?:The user|用户)(?:: |：)(.+)$/) ?? [];
  if (attribute === undefined) return description;
  return isChinese() ? `用户：${other(MATTERS, attribute.replaceAll("_", " "))}` : `The user: ${other(MATTERS, attribute)}`;
}

const EVENTS = pairs("chunk=分块;node=节点;edge=关联;conflict=矛盾;merge=合并;verdict=裁定;unresolved=未解决;undone=撤销;plan=计划;round=步骤;tool=工具;retry=重试;failed=失败;limit=上限;answer=答案;cleared=已清除");
/** How far a run is: its note begins with the name of an event. */
export const noted = (note) => note.replace(/^([a-z]+|[\u4e00-\u9fff]+)(?:: |：)/, (head, name) => (EVENTS.some((pair) => pair.includes(name)) ? `${other(EVENTS, name)}${isChinese() ? "：" : ": "}` : head));
