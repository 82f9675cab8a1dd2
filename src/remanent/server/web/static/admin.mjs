// For whoever runs the server: keys, the audit log, background work and what was given up, and the file's health.
import { useState } from "preact/hooks";
import { ask, may, place, storageHealth } from "./api.mjs";
import { Age, deed, Dialog, Empty, FileFigures, html, Loaded, named, Table, useApp, useLoad } from "./parts.mjs";
import { isChinese, moment, say } from "./words.mjs";

export function Page() {
  const { here } = useApp();
  if (!may("admin")) return html`<${Empty}>${say("not_allowed")}</${Empty}>`;
  return html`<h1>${say("admin")}</h1>${here.agent && html`<${Jobs} /><${File} />`}<${Keys} /><${Audit} />`;
}

function Jobs() {
  const app = useApp();
  const { here } = app;
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad((signal) => ask("GET", `${at}/jobs`, { signal, query: { limit: 100 } }), [at]);
  const revive = (job) => ask("POST", `${at}/jobs/${encodeURIComponent(job.id)}/revive`, { body: {} }).then(() => { app.say(say("revived")); state.again(); }, app.fail);
  return html`<h2>${say("jobs")}</h2><${Loaded} state=${state}>${({ items }) => items.length ? html`<${Table} heads=${[say("what"), say("state"), say("attempts"), say("when"), say("error"), ""]} rows=${items.map((job) => ({ key: job.id, cells: [html`<span title=${job.kind}>${named("job", job.kind)}</span>`, say(`job_${job.state}`), `${job.attempts} / ${job.max_attempts}`, html`<${Age} at=${job.enqueued_at} />`, job.error ? html`<span class="bad">${job.error}</span>` : "–", job.state === "dead" && html`<button onClick=${() => revive(job)}>${say("revive")}</button>`] }))} />` : html`<${Empty}>${say("jobs_none")}</${Empty}>`}</${Loaded}>`;
}

function File() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad((signal) => storageHealth(at, { signal }), [at]);
  return html`<h2>${say("engine")}</h2><${Loaded} state=${state}>${(file) => file === null ? html`<${Empty}>${say("nothing")}</${Empty}>` : html`<div class="panel"><${FileFigures} file=${file} /></div>`}</${Loaded}>`;
}

function Keys() {
  const app = useApp();
  const { here } = app;
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState(null);
  const state = useLoad((signal) => ask("GET", `${place(here.org)}/keys`, { signal }), [here.org]);
  const revoke = (key) => ask("DELETE", `${place(here.org)}/keys/${encodeURIComponent(key.key_id)}`).then(() => { app.say(say("revoked")); state.again(); }, app.fail);
  return html`<h2>${say("keys")}</h2><${Loaded} state=${state}>${({ items }) => html`${items.length ? html`<${Table} heads=${[say("kb_name"), say("permissions"), say("reach"), say("expires"), ""]} rows=${items.map((key) => ({ key: key.key_id, cells: [key.name, key.permissions.map((one) => say(`may_${one}`)).join(say("comma")), [key.reach.workspace, key.reach.agent].filter(Boolean).join(" / ") || say("reach_all"), key.revoked_at ? say("is_revoked") : key.expires_at ? html`${moment(key.expires_at)}${Date.parse(key.expires_at) <= Date.now() && html` <span class="tag">${say("status_expired")}</span>`}` : say("never"), !key.revoked_at && html`<button class="danger" onClick=${() => setEnding(key)}>${say("revoke")}</button>`] }))} />` : html`<${Empty}>${say("keys_none")}</${Empty}>`}<p><button onClick=${() => setMaking(true)}>${say("new_key")}</button></p>`}</${Loaded}>
    ${ending && html`<${Dialog} title=${say("revoke")} onClose=${() => setEnding(null)}><p>${say("revoke_ask", { name: ending.name })}</p><div class="row"><button class="danger" onClick=${() => { revoke(ending); setEnding(null); }}>${say("revoke")}</button><button onClick=${() => setEnding(null)}>${say("cancel")}</button></div></${Dialog}>`}
    ${making && html`<${NewKey} onClose=${() => { setMaking(false); state.again(); }} />`}`;
}

function NewKey({ onClose }) {
  const app = useApp();
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState(["read"]);
  const [made, setMade] = useState(null);
  const toggle = (one) => setPermissions(permissions.includes(one) ? permissions.filter((other) => other !== one) : [...permissions, one]);
  const make = (event) => { event.preventDefault(); ask("POST", `${place(app.here.org)}/keys`, { body: { name, permissions } }).then(setMade, app.fail); };
  return html`<${Dialog} title=${say("new_key")} onClose=${onClose}>${made ? html`${made.is_first && html`<p class="warn">${say("key_first")}</p>`}<p>${say("key_once")}</p><pre tabindex="0">${made.token}</pre><button onClick=${onClose}>${say("close")}</button>` : html`<form class="stack" onSubmit=${make}><label>${say("kb_name")} <input required value=${name} onInput=${(event) => setName(event.target.value)} /></label>
    <fieldset class="row"><legend>${say("permissions")}</legend>${["read", "write", "approve", "admin"].map((one) => html`<label><input type="checkbox" checked=${permissions.includes(one)} onChange=${() => toggle(one)} /> ${say(`may_${one}`)}</label>`)}</fieldset><div class="row"><button class="main" disabled=${!permissions.length}>${say("new_key")}</button><button type="button" onClick=${onClose}>${say("cancel")}</button></div></form>`}</${Dialog}>`;
}

function Audit() {
  const app = useApp();
  const { here } = app;
  const state = useLoad((signal) => ask("GET", `${place(here.org)}/audit`, { signal, query: { limit: 100, newest_first: true } }), [here.org]);
  const verify = () => ask("GET", `${place(here.org)}/audit/verify`).then((found) => (found.intact ? app.say(say("verified", { n: found.lines })) : app.warn(say("broken", { why: found.problem }))), app.fail);
  return html`<div class="row headed"><h2>${say("audit")}</h2><button onClick=${verify}>${say("verify")}</button></div><${Loaded} state=${state}>${({ items }) => html`<${Table} heads=${[say("when"), say("who"), say("what"), say("agent"), say("outcome")]} rows=${items.map((line, index) => ({ key: index, cells: [html`<${Age} at=${line.at} />`, named("who", line.deed.who), isChinese() ? html`<span title=${line.deed.what}>${deed(line.deed.what)}</span>` : html`<code>${line.deed.what}</code>`, [line.deed.workspace, line.deed.agent].filter(Boolean).join(" / ") || "–", html`<span class=${line.deed.outcome === "ok" ? "" : "bad"}>${named("outcome", line.deed.outcome)}</span>`] }))} />`}</${Loaded}>`;
}
