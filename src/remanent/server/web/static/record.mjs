// One memory: the words it came from in their conversation, its versions, its links, and what can be done with it.
import { useState } from "preact/hooks";
import { ask, can, may, place } from "./api.mjs";
import { Age, Badge, Dialog, Diff, Empty, html, kindOf, Loaded, named, Reasons, recordAddress, useApp, useLoad } from "./parts.mjs";
import { Edit } from "./memory.mjs";
import { moment, number, role, say, whoName } from "./words.mjs";

const LONG = 160; // letters from which on a memory is read as a text and not as a heading
const maker = ({ role: by, engine }) => [named("maker", by), engine && engine !== "code" && named("maker", engine)].filter(Boolean).join(" · ");
const AROUND = 3; // turns shown before and after the words that a memory came from

export function Page() {
  const app = useApp();
  const { here, base, go } = app;
  const at = place(here.org, here.workspace, here.agent);
  const mine = `${at}/records/${encodeURIComponent(here.rest ?? "")}`;
  const state = useLoad(async (signal) => {
    const record = await ask("GET", mine, { signal });
    const [versions, links, why] = await Promise.all([
      ask("GET", `${mine}/history`, { signal }), ask("GET", `${mine}/links`, { signal }),
      can("cognition.why") && !["turn", "chunk"].includes(record.kind) ? ask("GET", `${at}/memories/${encodeURIComponent(here.rest)}/why`, { signal }).catch(() => null) : null]);
    return { record, versions: versions.items, links: links.items, why };
  }, [mine]);
  return html`<p><a href="${base}/memory?agent=${encodeURIComponent(here.agent)}">← ${say("memory")}</a></p><${Loaded} state=${state}>${(all) => html`<${Shown} ...${all} at=${at} mine=${mine} again=${state.again} />`}</${Loaded}>`;
}

function Shown({ record, versions, links, why, at, mine, again }) {
  const app = useApp();
  const { base, here } = app;
  const [open, setOpen] = useState(null);
  // What a person wrote rests on no turn; the words that it was made of before are those of an earlier version.
  const edited = record.sources.length === 0 && [...versions].reverse().map((one) => one.record ?? one).find((one) => one.sources.length > 0);
  const sources = edited ? edited.sources : record.sources;
  const learned = !["turn", "chunk", "document", "section"].includes(record.kind);
  const act = (path, body, done) => ask("POST", path, { body }).then(() => { app.say(say(done)); again(); }, app.fail);
  const own = learned && can("cognition.forget") ? `${at}/memories/${record.id}` : mine; // a memory goes with the words that state it
  const facts = [["id", record.id], ["status", say(`status_${record.status}`)], ["confidence_plain", `${Math.round(record.confidence * 100)}%`], ["trust", record.made_by.role === "caller" ? maker(record.made_by) : say(`trust_${record.trust}`)], ["occurred", record.occurred_at && moment(record.occurred_at)], ["recorded", moment(record.created_at)], ["session", record.scope.session], ["made_by", maker(record.made_by)]];
  return html`<article class="panel card k-${kindOf(record.kind)}"><header class="row"><${Badge} kind=${record.kind} /><span class="grow"></span><span class="small quiet"><${Age} at=${record.occurred_at ?? record.created_at} /></span></header>
    <h1 class=${record.content.length > LONG ? "long" : ""}>${record.content}</h1>${record.summary && html`<p class="quiet">${record.summary}</p>`}<p>${[...record.tags, ...record.keywords].map((tag) => html`<span class="tag">${tag}</span> `)}</p>
    ${may("write") && html`<div class="row">${record.status === "active" ? html`${can("cognition.edit") && learned && html`<button onClick=${() => setOpen("edit")}>${say("edit")}</button>`}${can("cognition.confirm") && learned && html`<button onClick=${() => act(`${at}/memories/${record.id}/confirm`, {}, "confirmed")}>${say("confirm")}</button><button onClick=${() => act(`${at}/memories/${record.id}/pin`, { pinned: !record.data?.pinned }, "saved_plain")}>${say(record.data?.pinned ? "unpin" : "pin")}</button>`}<button onClick=${() => act(`${own}/forget`, {}, "deleted")}>${say("delete")}</button>` : html`<button onClick=${() => act(`${own}/restore`, {}, "restored")}>${say("restore")}</button>`}
      <button class="danger" onClick=${() => setOpen("erase")}>${say("erase")}</button></div>`}</article>
    <div class="two"><section><h2>${say("sources_title")}</h2>${edited && html`<p class="small quiet">${say("made_of_before")}</p>`}${sources.length ? sources.map((source) => html`<${Source} at=${at} source=${source} />`) : html`<${Empty}>${say("nothing")}</${Empty}>`}</section>
    <section><h2>${say("details")}</h2><div class="panel"><dl class="small">${facts.filter(([, value]) => value).map(([name, value]) => html`<div><dt class="quiet">${say(name)}</dt><dd>${value}</dd></div>`)}</dl></div>
      ${here.query.get("q") && html`<${Recalled} at=${at} record=${record} question=${here.query.get("q")} />`}
      ${why && html`<h2>${say("why")}</h2><div class="panel"><${Why} why=${why} /></div>`}
      <h2>${say("versions")}</h2><div class="panel stack">${[...versions].reverse().map((one, index, all) => html`<${Version} key=${one.version ?? index} one=${one} before=${all[index + 1]} />`)}</div>
      ${links.length > 0 && html`<h2>${say("links")}</h2><ul class="panel">${links.map((link) => { const other = link.from_id === record.id ? link.to_id : link.from_id; return html`<li><a href=${recordAddress(base, other, here.agent)}>${link.relation || other}</a> <span class="small quiet">${say("strength")} ${link.strength.toFixed(2)}</span></li>`; })}</ul>`}</section></div>
    ${open === "edit" && html`<${Edit} record=${record} at=${at} onClose=${() => setOpen(null)} onSaved=${() => { setOpen(null); again(); app.say(say("saved")); }} />`}
    ${open === "erase" && html`<${Erase} record=${record} at=${at} onClose=${() => setOpen(null)} />`}`;
}

function Why({ why }) {
  const { base, here } = useApp();
  const link = (record) => html`<li><a href=${recordAddress(base, record.id, here.agent)}>${record.content}</a>${record.valid_to && html` <span class="small quiet">${say("status_superseded")} · <${Age} at=${record.valid_to} /></span>`}</li>`;
  return html`${why.rotten && html`<p class="warn">${say("is_rotten")}</p>`}
    ${why.by_hand_at && html`<p>${say("maker_caller")} <span class="small quiet">${why.by_hand_of && `${actor({ changed_by: why.by_hand_of })} · `}<${Age} at=${why.by_hand_at} /></span></p>`}
    <ul>${why.quotes.map((quote) => html`<li>“${quote.text}” <span class="small quiet">${role(quote.role)} · <${Age} at=${quote.occurred_at} /></span></li>`)}</ul>
    ${why.premises.length > 0 && html`<h3>${say("premises")}</h3><ul>${why.premises.map(link)}</ul>`}${why.dependants.length > 0 && html`<h3>${say("dependants")}</h3><ul>${why.dependants.map(link)}</ul>`}`;
}

const DEEP = 50; // answers among which a memory is looked for to tell why it was recalled

/** Why a question brought this memory: asked again, since nobody notes what was recalled for whom. */
function Recalled({ at, record, question }) {
  const state = useLoad(async (signal) => (await ask("POST", `${at}/recall`, { signal, body: { query: question, limit: DEEP, gate: false } })).items.find((item) => item.record_id === record.id || item.memory_ids?.includes(record.id)) ?? null, [at, record.id, question]);
  return html`<h2>${say("why_recalled")}</h2><div class="panel"><p class="quiet">“${question}”</p><${Loaded} state=${state}>${(item) => (item ? html`<${Reasons} item=${item} open=${true} />` : html`<p>${say("not_recalled")}</p>`)}</${Loaded}></div>`;
}

const CHANGES = { content: (one) => one.content, status: (one) => one.status, kind: (one) => one.kind, confidence_plain: (one) => one.confidence, tags: (one) => one.tags.join(), pinned: (one) => Boolean(one.data?.pinned), stale: (one) => Boolean(one.data?.stale), expires: (one) => one.expires_at };
const actor = (record) => (record.changed_by ? say("by_name", { name: whoName(record.changed_by) }) : maker(record.made_by));

/** What a memory said at a time, who had it say so, and what was changed. */
function Version({ one, before }) {
  const [record, older] = [one.record ?? one, before?.record ?? before];
  const changed = older ? Object.keys(CHANGES).filter((name) => CHANGES[name](record) !== CHANGES[name](older)) : [];
  return html`<div><p class="small quiet">${say("version", { n: record.version })} · ${actor(record)} · <${Age} at=${record.updated_at} />${changed.length > 0 && html` · ${say("changes", { what: changed.map((name) => say(name)).join(say("comma")) })}`}</p>${older && older.version < record.version ? html`<${Diff} before=${older.content} after=${record.content} />` : html`<p>${record.content}</p>`}</div>`;
}

/** The turn that a memory quotes, in its conversation, with the quoted words marked. */
function Source({ at, source }) {
  const state = useLoad(async (signal) => {
    const found = await ask("GET", `${at}/records/${encodeURIComponent(source.entry_id)}`, { signal }).catch(() => null);
    const session = found?.scope.session;
    if (!session) return { turns: found ? [{ id: found.id, text: found.content, role: found.data?.role, occurred_at: found.occurred_at }] : [] };
    const all = [];
    for (let cursor; all.length < 2000; ) {
      const part = await ask("GET", `${at}/entries`, { signal, query: { session, limit: 200, cursor } });
      all.push(...part.items);
      const index = all.findIndex((entry) => entry.id === source.entry_id);
      if (!part.next || (index >= 0 && all.length > index + AROUND)) return { turns: all.slice(Math.max(0, index - AROUND), index + AROUND + 1), session };
      cursor = part.next;
    }
    return { turns: [], session };
  }, [source.entry_id]);
  return html`<${Loaded} state=${state}>${({ turns, session }) => html`<div class="panel stack">${session && html`<p class="small quiet">${say("session")}: ${session}</p>`}
    ${turns.length === 0 && html`<p class="quiet">${say("evidence_gone")}</p>`}
    ${turns.map((turn) => html`<div class="turn ${turn.id === source.entry_id ? "here" : ""}"><span class="small quiet">${role(turn.role)} · <${Age} at=${turn.occurred_at} /></span><p>${turn.id === source.entry_id ? html`<${Marked} text=${turn.text} start=${source.start} end=${source.end} />` : turn.text}</p></div>`)}</div>`}</${Loaded}>`;
}

function Marked({ text, start, end }) {
  // Places count characters as Python does; a JavaScript string counts some of them twice.
  const letters = Array.from(text);
  if (start === undefined || end === undefined || end <= start) return text;
  return html`${letters.slice(0, start).join("")}<mark>${letters.slice(start, end).join("")}</mark>${letters.slice(end).join("")}`;
}

function Erase({ record, at, onClose }) {
  const app = useApp();
  const [word, setWord] = useState("");
  const reach = useLoad((signal) => ask("POST", `${at}/erase/preview`, { signal, body: { record_ids: [record.id] } }), [record.id]);
  const erase = async (event) => {
    event.preventDefault();
    try { const done = await ask("POST", `${at}/erase`, { body: { record_ids: [record.id] } }); app.say(say("erased", { entries: number(done.entry_ids.length), records: number(done.record_ids.length) })); app.go(`${app.base}/memory?agent=${encodeURIComponent(app.here.agent)}`); } catch (error) { app.fail(error); }
  };
  return html`<${Dialog} title=${say("erase")} onClose=${onClose}><form class="stack" onSubmit=${erase}><p>${say("erase_ask")}</p><blockquote>${record.content}</blockquote><${Loaded} state=${reach}>${({ entry_ids, record_ids }) => html`<p class="warn">${say("erase_reach", { entries: number(entry_ids.length), records: number(record_ids.length) })}</p>`}</${Loaded}><label>${say("erase_again", { word: say("erase_word") })} <input value=${word} onInput=${(event) => setWord(event.target.value)} autocomplete="off" /></label>
    <div class="row"><button class="danger" disabled=${!["ERASE", say("erase_word")].includes(word.trim())}>${say("erase")}</button><button type="button" onClick=${onClose}>${say("cancel")}</button></div></form></${Dialog}>`;
}
