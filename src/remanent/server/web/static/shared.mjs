// What a workspace shares: proposals that wait for a coordinator, and what is in force.
import { useState } from "preact/hooks";
import { ask, can, may, place } from "./api.mjs";
import { Age, Badge, Dialog, Diff, Empty, html, Loaded, useApp, useLoad, useTyped } from "./parts.mjs";
import { say } from "./words.mjs";

const SORTS = ["project_context", "decision_record", "convention", "known_issue", "preference"];

export function Page() {
  const app = useApp();
  const { here } = app;
  const at = place(here.org, here.workspace, here.agent || "shared");
  const state = useLoad(async (signal) => {
    if (!can("cognition.shared")) return null;
    const [waiting, inForce] = await Promise.all([ask("GET", `${at}/shared`, { signal, query: { pending: true } }), ask("GET", `${at}/shared`, { signal })]);
    return { waiting: waiting.items, inForce: inForce.items };
  }, [at]);
  return html`<h1>${say("tab_shared")}</h1><${Loaded} state=${state}>${(all) => all === null ? html`<${Empty}>${say("shared_missing")}</${Empty}>` : html`
    <h2>${say("shared_inbox")} (${all.waiting.length})</h2><div class="stack">${all.waiting.length === 0 && html`<${Empty}>${say("nothing")}</${Empty}>`}${all.waiting.map((one) => html`<${Proposal} key=${one.id} record=${one} inForce=${all.inForce} at=${at} again=${state.again} />`)}</div>
    <h2>${say("shared_in_force")} (${all.inForce.length})</h2><div class="stack">${all.inForce.length === 0 && html`<${Empty}>${say("nothing")}</${Empty}>`}${all.inForce.map((one) => html`<${Entry} key=${one.id} record=${one} at=${at} again=${state.again} />`)}</div>
    ${may("write") && can("cognition.propose") && html`<${Propose} at=${at} again=${state.again} />`}`}</${Loaded}>`;
}

const Head = ({ record }) => html`<header><${Badge} kind="shared" /><span class="tag">${say(`sort_${record.data?.sort ?? "project_context"}`)}</span>${record.data?.number && html`<span class="tag">${record.data.number}</span>`}<span class="grow"></span><span class="small quiet">${say("confidence", { n: Math.round(record.confidence * 100) })}</span><span class="small quiet"><${Age} at=${record.updated_at} /></span></header>`;

/** What approving a proposal would change: the version that was approved last, or what is shared of the same thing. */
function useReplaced(at, record, inForce) {
  const past = useLoad(async (signal) => (record.version > 1 ? (await ask("GET", `${at}/shared/${encodeURIComponent(record.id)}/history`, { signal })).items : []), [record.id, record.version]);
  const approved = (past.value ?? []).map((one) => one.record).filter((one) => one.status === "active").at(-1);
  if (approved) return { before: approved, how: "amends" };
  const about = record.data?.attribute, other = about && inForce.find((one) => one.data?.attribute === about && one.id !== record.id && one.content !== record.content);
  return other ? { before: other, how: record.confidence >= other.confidence ? "replaces" : "disputes" } : null;
}

function Proposal({ record, inForce, at, again }) {
  const app = useApp();
  const replaced = useReplaced(at, record, inForce);
  const [refusing, setRefusing] = useState(false);
  const send = (what, body, done) => ask("POST", `${at}/shared/${encodeURIComponent(record.id)}/${what}`, { body }).then(() => { app.say(say(done)); again(); }, app.fail);
  return html`<article class="card k-shared"><${Head} record=${record} />${replaced ? html`<p class="small quiet">${say(`shared_${replaced.how}`)}</p><${Diff} before=${replaced.before.content} after=${record.content} />` : html`<p>${record.content}</p>`}<footer class="small quiet"><span>${say("proposer", { name: record.data?.created_by ?? "" })}</span><span class="grow"></span>
    ${may("approve") && html`<button class="main" onClick=${() => send("approve", {}, "approved")}>${say("approve")}</button><button onClick=${() => setRefusing(true)}>${say("refuse")}</button>`}</footer>
    ${refusing && html`<${Reason} title=${say("refuse")} onClose=${() => setRefusing(false)} onDone=${(reason) => { setRefusing(false); send("refuse", { reason }, "refused"); }} />`}</article>`;
}

function Entry({ record, at, again }) {
  const app = useApp();
  const [asking, setAsking] = useState(false);
  const revoke = (reason) => ask("POST", `${at}/shared/${encodeURIComponent(record.id)}/revoke`, { body: { reason } }).then(() => { app.say(say("revoked")); again(); }, app.fail);
  return html`<article class="card k-shared"><${Head} record=${record} /><p>${record.content}</p><footer class="small quiet"><span>${say("proposer", { name: record.data?.created_by ?? "" })}</span><span class="grow"></span>${may("approve") && html`<button class="plain" onClick=${() => setAsking(true)}>${say("revoke")}</button>`}</footer>
    ${asking && html`<${Reason} title=${say("revoke")} onClose=${() => setAsking(false)} onDone=${(reason) => { setAsking(false); revoke(reason); }} />`}</article>`;
}

function Reason({ title, onClose, onDone }) {
  const [reason, setReason] = useState("");
  return html`<${Dialog} title=${title} onClose=${onClose}><form class="stack" onSubmit=${(event) => { event.preventDefault(); onDone(reason); }}><label>${say("reason")}<textarea value=${reason} onInput=${(event) => setReason(event.target.value)}></textarea></label><div class="row"><button class="main">${title}</button><button type="button" onClick=${onClose}>${say("cancel")}</button></div></form></${Dialog}>`;
}

function Propose({ at, again }) {
  const app = useApp();
  const [content, setContent] = useTyped("proposal");
  const [sort, setSort] = useState(SORTS[0]);
  const send = (event) => { event.preventDefault(); ask("POST", `${at}/shared`, { body: { content, sort } }).then(() => { setContent(""); app.say(say("proposed")); again(); }, app.fail); };
  return html`<h2>${say("propose")}</h2><form class="panel stack" onSubmit=${send}><textarea aria-label=${say("propose")} placeholder=${say("propose_hint")} required value=${content} onInput=${(event) => setContent(event.target.value)}></textarea><div class="row"><select aria-label=${say("kb_type")} value=${sort} onChange=${(event) => setSort(event.target.value)}>${SORTS.map((one) => html`<option value=${one}>${say(`sort_${one}`)}</option>`)}</select><button class="main">${say("propose")}</button></div></form>`;
}
