// What several pages are made of: cards, icons, dialogs, notices, and loading with its three ends.
import { h, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState, useCallback } from "preact/hooks";
import htm from "htm";
import { session } from "./api.mjs";
import { age, isChinese, knows, moment, number, role, say, size, span } from "./words.mjs";

// Signs that turn the direction of writing would have a stored text show other words than it holds.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const unturned = (child) => (typeof child === "string" ? child.replace(TURNS, "\ufffd") : Array.isArray(child) ? child.map(unturned) : child);
export const html = htm.bind((type, props, ...children) => h(type, props, ...children.map(unturned)));
export const App = createContext(null);
export const useApp = () => useContext(App);

const PATHS = {
  semantic: "M9.5 4a2.5 2.5 0 0 0-4 2 2.5 2.5 0 0 0-1 4.5A2.5 2.5 0 0 0 6 15a2.5 2.5 0 0 0 3.5 2.5V4zm5 0a2.5 2.5 0 0 1 4 2 2.5 2.5 0 0 1 1 4.5A2.5 2.5 0 0 1 18 15a2.5 2.5 0 0 1-3.5 2.5V4z",
  episodic: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 4v4l3 2",
  procedural: "M5 5h5v5H5zm9 9h5v5h-5zM7.500 10v4.500a2 2 0 0 0 2 2H14",
  shared: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-5 8c0-3 2-5 5-5s5 2 5 5m1-8a2.500 2.500 0 1 0 0-5m1 8c2.500 0 4 2 4 5",
  turn: "M5 6h14v9h-8l-4 4v-4H5z",
  knowledge: "M6 4h9l3 3v13H6zM9 10h6m-6 4h6",
  short_term: "M7 4h10M7 20h10M8 4c0 5 8 5 8 8s-8 3-8 8m8-16c0 5-8 5-8 8s8 3 8 8",
};
export const kindOf = (kind) => ({ chunk: "knowledge", document: "knowledge", section: "knowledge", instruction: "semantic", preference: "short_term", decision: "short_term", follow_up: "short_term", mood: "short_term" }[kind] ?? (kind in PATHS ? kind : "turn"));
export const Icon = ({ kind }) => html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[kindOf(kind)]} /></svg>`;
export const Badge = ({ kind }) => html`<span class="badge"><${Icon} kind=${kind} />${named("kind", kind)}</span>`;
export const Age = ({ at }) => (at ? html`<time datetime=${at} title=${moment(at)}>${age(at)}</time>` : null);

/** Load something, and again whenever `keys` change; an answer that was overtaken is dropped. */
export function useLoad(load, keys) {
  const [state, set] = useState({ loading: true });
  const run = useCallback(() => {
    const stop = new AbortController();
    set((before) => ({ ...before, loading: true, error: null }));
    load(stop.signal).then((value) => stop.signal.aborted || set({ value, loading: false }), (error) => stop.signal.aborted || error.name === "AbortError" || set({ error, loading: false }));
    return () => stop.abort();
  }, keys);
  // As soon as it stands in the document, not after it was painted: that takes up to a tenth of a second, for each step of a page.
  useLayoutEffect(run, [run]);
  return { ...state, again: run };
}

export const told = (error) => (error?.status === 0 ? say("offline") : error?.isDone ? error.message : say("failed", { why: error?.message ?? String(error) }));
export const Failed = ({ error, again }) => html`<div class="panel" role="alert"><p class="bad">${told(error)}</p><button onClick=${again}>${say("again")}</button></div>`;
export function Loaded({ state, children }) {
  if (state.error) return html`<${Failed} error=${state.error} again=${state.again} />`;
  if (state.value === undefined) return html`<p class="quiet" role="status">${say("loading")}</p>`;
  return html`<div aria-busy=${state.loading}>${children(state.value)}</div>`;
}
export const Empty = ({ children }) => html`<div class="panel quiet">${children}</div>`;

export function Dialog({ title, onClose, wide, children }) {
  const box = useRef(null);
  const { notice, hush } = useApp();
  useEffect(() => { hush(); box.current.showModal(); return hush; }, []);
  // Here, too: what lies behind an open dialog is dimmed, and not there for a screen reader.
  return html`<dialog ref=${box} class=${wide ? "wide" : ""} aria-label=${title} onClose=${onClose}><h2>${title}</h2>${notice?.bad && html`<p class="bad" role="alert">${notice.text}</p>`}${children}</dialog>`;
}

/** The word for a name that came from the server, or that name where there is none. */
export const named = (sort, name) => (knows(`${sort}_${name}`) ? say(`${sort}_${name}`) : name);

/** What an operation does, as its declaration says it; one of another version of the server by its name. */
export const deed = (name) => session.operations[name]?.[isChinese() ? 1 : 0] ?? name;

/** A text that begins with a term of a discipline ("The user: residence", 答案：48 米), with its terms in the language of the page. */
export function inWords(text) {
  const [, label, value] = text.match(/^([^:：]+)(?:: |：)(.*)$/s) ?? [];
  const word = (one) => { const pair = Object.entries(session.terms).find((terms) => terms.includes(one)); return pair && pair[isChinese() ? 1 : 0]; };
  return label && word(label) ? `${word(label)}${isChinese() ? "：" : ": "}${word(value) ?? value}` : text;
}

/** The way by which something was found, and the model or the wording that it was found by. */
export const pathName = (path) => { const [name, more] = path.split(":"); return `${named("path", name)}${more ? ` (${more})` : ""}`; };

/** Why an item stands where it does: each path's rank as a bar, and what moved it. */
export function Reasons({ item, open = false }) {
  return html`<details class="small" open=${open}><summary>${say("why")} · ${say("score")} ${item.score.toFixed(3)}</summary><div class="stack">
    ${item.ranks.map((one) => html`<div class="bar"><span>${pathName(one.path)}</span><meter min="0" max="1" value=${1 / one.rank} aria-label=${one.path}></meter><span>${say("rank", { n: one.rank })}</span></div>`)}
    ${item.boosts.map((one) => html`<div class="bar"><span>${named("boost", one.name)}</span><meter min="0" max="2" value=${Math.min(2, one.factor)} aria-label=${one.name}></meter><span>×${one.factor.toFixed(2)}</span></div>`)}</div></details>`;
}

/** The address of a memory; with the question by which one came to it, its page tells why it was recalled. */
export const recordAddress = (base, id, agent, question) => `${base}/record/${encodeURIComponent(id)}?${new URLSearchParams({ agent, ...(question ? { q: question } : {}) })}`;

/** A text in which backticks mark what is typed as it stands. */
export const Coded = ({ text }) => text.split("`").map((part, index) => (index % 2 ? html`<code>${part}</code>` : part));

/** A table that becomes a list on a phone, each value with the name of its column. A row is its cells, with a key. */
export const Table = ({ heads, rows, name }) => html`<div class="panel scroll"><table class=${name ?? ""}><thead><tr>${heads.map((head) => (head ? html`<th scope="col">${head}</th>` : html`<td></td>`))}</tr></thead>
  <tbody>${rows.map(({ key, cells }) => html`<tr key=${key}>${cells.map((cell, index) => html`<td class=${heads[index] ? "" : "deeds"} data-label=${heads[index] || undefined}><div>${cell || (heads[index] ? "–" : "")}</div></td>`)}</tr>`)}</tbody></table></div>`;

/** A number with its name, and a note where the number alone would mislead; one that opens what is behind it is a button. */
export function Figure({ label, value, note, onOpen, tone, wide }) {
  const inside = html`<span class="quiet small">${label}</span><b class=${tone ?? ""}>${value}${note && value !== "…" && html` <small>${note}</small>`}</b>`;
  return onOpen ? html`<button class="figure ${wide ? "full" : ""}" onClick=${onOpen}>${inside}</button>` : html`<div class="figure ${wide ? "full" : ""}">${inside}</div>`;
}

/** What a store says of itself. */
export const FileFigures = ({ file }) => html`<p>${file.engine} · ${size(file.bytes_on_disk)} · ${number(file.entries)} ${say("entries")} · ${number(file.records)} ${say("records")} · ${number(file.vectors)} ${say("vectors")}</p>${file.problems.map((problem) => html`<p class="bad">${problem}</p>`)}`;

/** One memory; in a feed with its place there: the how manieth `at` and `of` how many, −1 where that is not known. */
export function Card({ record, base, onForget, onEdit, agent, question, place }) {
  const sources = record.sources?.length ?? 0;
  const kind = kindOf(record.kind);
  return html`<article class="card k-${kind}" data-id=${record.id} ...${place && { tabindex: -1, "aria-posinset": place.at, "aria-setsize": place.of, "aria-label": record.content.slice(0, 80) }}>
    <header><${Badge} kind=${record.kind} />${record.status && record.status !== "active" && html`<span class="tag">${say(`status_${record.status}`)}</span>`}<span class="grow"></span>
      <span class="small quiet">${say("confidence", { n: Math.round((record.confidence ?? 1) * 100) })}</span><span class="small quiet"><${Age} at=${record.occurred_at ?? record.updated_at ?? record.created_at} /></span></header>
    <div class="body"><a href=${recordAddress(base, record.id, record.scope?.agent ?? agent, question)}>${record.content}</a></div>
    <footer class="small quiet"><span>${kind === "knowledge" ? say("source_document", { name: record.metadata?.name ?? record.data?.title ?? "" }) : sources === 1 ? say("source_one") : sources === 0 && record.made_by?.role === "caller" ? say("source_hand") : say("sources", { n: sources })}</span>${record.kind === "turn" && record.data?.role && html`<span>${[role(record.data.role), record.scope?.session].filter(Boolean).join(" · ")}</span>`}<span>${say("by_agent", { name: record.scope?.agent ?? agent })}</span>
      ${record.tags?.length > 0 && html`<span>${say("tagged", { tags: record.tags.join(", ") })}</span>`}
      ${record.expires_at && html`<span class="warn">${Date.parse(record.expires_at) > Date.now() ? say("left", { age: span(record.expires_at) }) : say("status_expired")}</span>`}
      <span class="deeds">${onEdit && html`<button class="plain" onClick=${() => onEdit(record)}>${say("edit")}</button>`}${onForget && html`<button class="plain" onClick=${() => onForget(record)}>${say("delete")}</button>`}</span></footer>
  </article>`;
}

/** Words of two texts that differ, marked; Chinese by character, other languages by word. */
export function Diff({ before, after }) {
  const cut = (text) => text.match(/[\u3400-\u9fff]|[^\s\u3400-\u9fff]+|\s+/g) ?? [];
  const [a, b] = [cut(before), cut(after)];
  if (a.length * b.length > 400000) return html`<div class="diff"><del>${before}</del> <ins>${after}</ins></div>`;
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const parts = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { parts.push(a[i]); i++; j++; }
    else if (j < b.length && (i === a.length || best[i][j + 1] > best[i + 1][j])) parts.push(html`<ins>${b[j++]}</ins>`);
    else parts.push(html`<del>${a[i++]}</del>`);
  }
  return html`<div class="diff">${parts}</div>`;
}

/** A value that follows what is typed, a moment later. */
export function useLate(value, milliseconds = 120) {
  const [late, set] = useState(value);
  useEffect(() => { const timer = setTimeout(() => set(value), milliseconds); return () => clearTimeout(timer); }, [value, milliseconds]);
  return late;
}

/** Keep a field's text while the page is open, so that a lost connection or a new session loses nothing. */
const typed = new Map();
export function useTyped(name, first = "") {
  const [value, set] = useState(typed.get(name) ?? first);
  return [value, (next) => { typed.set(name, next); set(next); }];
}
