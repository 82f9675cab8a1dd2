// For whoever runs the server: keys, the audit log, background work and what was given up, and the file's health.
import { useState } from "preact/hooks";
import { ask, may, place } from "./api.mjs";
import { Age, Dialog, Empty, html, Loaded, useApp, useLoad } from "./parts.mjs";
import { moment, number, say, size } from "./words.mjs";

export function Page() {
  const { here } = useApp();
  if (!may("admin")) return html`<${Empty}>${say("not_found")}</${Empty}>`;
  return html`<h1>${say("admin")}</h1>${here.agent && html`<${Jobs} /><${File} />`}<${Keys} /><${Audit} />`;
}

function Jobs() {
  const app = useApp();
  const { here } = app;
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad((signal) => ask("GET", `${at}/jobs`, { signal, query: { limit: 100 } }), [at]);
  const revive = (job) => ask("POST", `${at}/jobs/${encodeURIComponent(job.id)}/revive`, { body: {} }).then(() => { app.say(say("revived")); state.again(); }, app.fail);
  return html`<h2>${say("jobs")}</h2><${Loaded} state=${state}>${({ items }) => items.length ? html`<div class="panel scroll"><table><thead><tr><th>${say("what")}</th><th>${say("state")}</th><th>${say("attempts")}</th><th>${say("when")}</th><th>${say("error")}</th><td></td></tr></thead><tbody>
    ${items.map((job) => html`<tr><td>${job.kind}</td><td>${say(`job_${job.state}`)}</td><td>${job.attempts} / ${job.max_attempts}</td><td><${Age} at=${job.enqueued_at} /></td><td class="bad">${job.error}</td><td>${job.state === "dead" && html`<button onClick=${() => revive(job)}>${say("revive")}</button>`}</td></tr>`)}</tbody></table></div>` : html`<${Empty}>${say("nothing")}</${Empty}>`}</${Loaded}>`;
}

function File() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad((signal) => ask("GET", `${at}/health`, { signal }), [at]);
  return html`<h2>${say("engine")}</h2><${Loaded} state=${state}>${(file) => html`<div class="panel"><p>${file.engine} · ${size(file.bytes_on_disk)} · ${say("entries")} ${number(file.entries)} · ${say("total")} ${number(file.records)} · ${say("vectors")} ${number(file.vectors)}</p>${file.problems.map((problem) => html`<p class="bad">${problem}</p>`)}</div>`}</${Loaded}>`;
}

function Keys() {
  const app = useApp();
  const { here } = app;
  const [making, setMaking] = useState(false);
  const state = useLoad((signal) => ask("GET", `${place(here.org)}/keys`, { signal }), [here.org]);
  const revoke = (key) => ask("DELETE", `${place(here.org)}/keys/${encodeURIComponent(key.key_id)}`).then(() => { app.say(say("revoked")); state.again(); }, app.fail);
  return html`<h2>${say("keys")}</h2><${Loaded} state=${state}>${({ items }) => html`<div class="panel scroll"><table><thead><tr><th>${say("kb_name")}</th><th>${say("permissions")}</th><th>${say("workspace")}</th><th>${say("expires")}</th><td></td></tr></thead><tbody>
    ${items.map((key) => html`<tr><td>${key.name}</td><td>${key.permissions.join(", ")}</td><td>${[key.reach.workspace, key.reach.agent].filter(Boolean).join(" / ")}</td><td>${key.revoked_at ? say("revoked") : key.expires_at ? moment(key.expires_at) : "–"}</td><td>${!key.revoked_at && html`<button class="danger" onClick=${() => revoke(key)}>${say("revoke")}</button>`}</td></tr>`)}</tbody></table><p><button onClick=${() => setMaking(true)}>${say("new_key")}</button></p></div>`}</${Loaded}>
    ${making && html`<${NewKey} onClose=${() => { setMaking(false); state.again(); }} />`}`;
}

function NewKey({ onClose }) {
  const app = useApp();
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState(["read"]);
  const [token, setToken] = useState(null);
  const toggle = (one) => setPermissions(permissions.includes(one) ? permissions.filter((other) => other !== one) : [...permissions, one]);
  const make = (event) => { event.preventDefault(); ask("POST", `${place(app.here.org)}/keys`, { body: { name, permissions } }).then((made) => setToken(made.token), app.fail); };
  return html`<${Dialog} title=${say("new_key")} onClose=${onClose}>${token ? html`<p>${say("key_once")}</p><pre tabindex="0">${token}</pre><button onClick=${onClose}>${say("close")}</button>` : html`<form class="stack" onSubmit=${make}><label>${say("kb_name")} <input required value=${name} onInput=${(event) => setName(event.target.value)} /></label>
    <fieldset class="row"><legend>${say("permissions")}</legend>${["read", "write", "approve", "admin"].map((one) => html`<label><input type="checkbox" checked=${permissions.includes(one)} onChange=${() => toggle(one)} /> ${one}</label>`)}</fieldset><div class="row"><button class="main">${say("new_key")}</button><button type="button" onClick=${onClose}>${say("cancel")}</button></div></form>`}</${Dialog}>`;
}

function Audit() {
  const app = useApp();
  const { here } = app;
  const state = useLoad((signal) => ask("GET", `${place(here.org)}/audit`, { signal, query: { limit: 100, newest_first: true } }), [here.org]);
  const verify = () => ask("GET", `${place(here.org)}/audit/verify`).then((found) => app.say(found.intact ? say("verified", { n: found.lines }) : say("broken", { why: found.problem })), app.fail);
  return html`<h2>${say("audit")} <button onClick=${verify}>${say("verify")}</button></h2><${Loaded} state=${state}>${({ items }) => html`<div class="panel scroll"><table><thead><tr><th>${say("when")}</th><th>${say("who")}</th><th>${say("what")}</th><th>${say("agent")}</th><th>${say("outcome")}</th></tr></thead><tbody>
    ${items.map((line) => html`<tr><td title=${moment(line.at)}><${Age} at=${line.at} /></td><td>${line.deed.who}</td><td>${line.deed.what}</td><td>${[line.deed.workspace, line.deed.agent].filter(Boolean).join(" / ")}</td><td class=${line.deed.outcome === "ok" ? "" : "bad"}>${say(`outcome_${line.deed.outcome}`).replace(/^outcome_/, "")}</td></tr>`)}</tbody></table></div>`}</${Loaded}>`;
}
