// Two claims that cannot both hold, side by side with their evidence: choose, merge, keep both, and take it back.
import { useState } from "preact/hooks";
import { ask, can, may, place } from "./api.mjs";
import { Age, Empty, html, inWords, Loaded, useApp, useLoad } from "./parts.mjs";
import { number, role, say, whoName } from "./words.mjs";

// Letters beside the words that a claim rests on: without them the same words in two turns would look like one told twice.
const AROUND = 80;
const SOME = 20; // resolved ones that are shown at first: an agent may have hundreds

export function Page() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad(async (signal) => {
    if (!here.agent) return [];
    const { items } = await ask("GET", `${at}/conflicts`, { signal, query: { limit: 1000 } });
    return items.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  }, [at]);
  const [shown, setShown] = useState(SOME);
  const list = (items) => html`<div class="stack">${items.map((one) => html`<${One} key=${one.id} conflict=${one} at=${at} again=${state.again} />`)}</div>`;
  return html`<h1>${say("conflicts")}</h1><${Loaded} state=${state}>${(items) => {
    const [open, past] = [items.filter(isOpen), items.filter((one) => !isOpen(one))];
    return html`${open.length ? html`<h2>${say("conflict_now", { n: number(open.length) })}</h2>${list(open)}` : html`<${Empty}>${say("conflict_none")}</${Empty}>`}
      ${past.length > 0 && html`<h2>${say("conflict_past", { n: number(past.length) })}</h2>${list(past.slice(0, shown))}${past.length > shown && html`<p><button onClick=${() => setShown(shown + SOME)}>${say("more")}</button></p>`}`}`;
  }}</${Loaded}>`;
}

const isOpen = (conflict) => conflict.state === "open" || conflict.state === "unresolved";

function One({ conflict, at, again }) {
  const app = useApp();
  const { base, here } = app;
  const [text, setText] = useState("");
  const [scopes, setScopes] = useState(conflict.claims.map(() => ""));
  const send = (body) => ask("POST", `${at}/memories/conflicts/${encodeURIComponent(conflict.id)}/resolve`, { body }).then(() => { again(); app.say(say("resolved"), () => undo()); }, app.fail);
  const undo = () => ask("POST", `${at}/memories/conflicts/${encodeURIComponent(conflict.id)}/resolve`, { body: { how: "undo" } }).then(() => { again(); app.say(say("undone")); }, app.fail);
  const verdict = conflict.state === "resolved" ? conflict.verdict : null;
  // Two versions of one memory have one id: then the words tell which of them was kept.
  const ids = new Set(conflict.claims.map((claim) => claim.record_id)), same = ids.size < conflict.claims.length;
  const kept = (claim) => verdict.upheld.length >= conflict.claims.length || (same ? claim.text === verdict.text : verdict.upheld.includes(claim.record_id));
  const merged = verdict && !conflict.claims.some(kept);
  const task = conflict.scope.task; // a contradiction in a task is settled in its bank
  const open = isOpen(conflict) && !task && may("write") && can("cognition.resolve");
  return html`<section class="panel" aria-label=${inWords(conflict.description)}><div class="row"><h3>${inWords(conflict.description)}</h3><span class="grow"></span>${!["open", "resolved"].includes(conflict.state) && html`<span class="tag">${say(`conflict_${conflict.state}`)}</span>`}<span class="small quiet"><${Age} at=${conflict.updated_at} /></span></div>
    <div class="two gap">${conflict.claims.map((claim, index) => html`<div class="panel stack ${verdict && !kept(claim) ? "quiet" : ""}">${verdict && !merged && html`<p><span class="tag">${say(kept(claim) ? "kept" : "not_kept")}</span></p>`}<p><a class="calm" href="${base}/record/${encodeURIComponent(claim.record_id)}?agent=${encodeURIComponent(here.agent)}">${claim.text}</a></p>
      ${claim.evidence.length > 0 && html`<${EvidenceList} at=${at} sources=${claim.evidence} />`}
      ${open && html`<div class="row"><button class="main" onClick=${() => send({ how: "choose", claim: index })}>${say("keep_this")}</button><input class="grow" aria-label=${`${say("holds_where")}: ${claim.text}`} placeholder=${say(index ? "holds_there" : "holds_here")} value=${scopes[index]} onInput=${(event) => setScopes(scopes.map((one, place) => (place === index ? event.target.value : one)))} /></div>`}</div>`)}</div>
    ${verdict && html`<p class="small quiet gap">${merged && html`${say("merged", { text: verdict.text })} · `}${verdict.decided_by === "cognition" ? say("by_rule") : say("by_who", { name: whoName(verdict.decided_by) })}</p>`}
    ${open && html`<div class="row gap"><input class="grow" aria-label=${say("merge")} placeholder=${say("merge_hint")} value=${text} onInput=${(event) => setText(event.target.value)} /><button disabled=${scopes.some((one) => !one.trim())} title=${say("both_hint")} onClick=${() => send({ how: "keep_both", scopes })}>${say("keep_both")}</button><button disabled=${!text.trim()} onClick=${() => send({ how: "merge", text })}>${say("merge")}</button></div>`}
    ${task && html`<p class="small"><a href="${base}/runs?agent=${encodeURIComponent(here.agent)}&bank=${encodeURIComponent(task)}">${say("bank")}: ${task}</a></p>`}
    ${!isOpen(conflict) && !task && conflict.state === "resolved" && may("write") && can("cognition.resolve") && html`<button class="gap" onClick=${undo}>${say("undo")}</button>`}</section>`;
}

/** The words that a claim rests on; what two memories took from one place is told once. */
function EvidenceList({ at, sources }) {
  const places = new Map(sources.map((one) => [`${one.entry_id} ${one.start ?? 0}`, one]));
  return html`<details class="small" open><summary>${say("evidence")} (${places.size})</summary><ul>${[...places].map(([key, one]) => html`<${Evidence} key=${key} at=${at} source=${one} />`)}</ul></details>`;
}

function Evidence({ at, source }) {
  const state = useLoad((signal) => ask("GET", `${at}/records/${encodeURIComponent(source.entry_id)}`, { signal }).catch(() => null), [source.entry_id]);
  const turn = state.value;
  if (!turn) return html`<li class="quiet">${state.loading ? say("loading") : say("evidence_gone")}</li>`;
  const letters = Array.from(turn.content), from = source.start ?? 0, to = source.end ?? letters.length;
  const words = letters.slice(from, to).join("");
  const [before, after] = [letters.slice(Math.max(0, from - AROUND), from).join(""), letters.slice(to, to + AROUND).join("")];
  const said = before || after ? html`${from > AROUND && "…"}${before}<mark>${words}</mark>${after}${to + AROUND < letters.length && "…"}` : words;
  return html`<li>“${said}” <span class="quiet">${[turn.data?.role && role(turn.data.role), turn.scope.session].filter(Boolean).join(" · ")} · <${Age} at=${turn.occurred_at} /> · ${say(`trust_${turn.trust}`)}</span></li>`;
}
