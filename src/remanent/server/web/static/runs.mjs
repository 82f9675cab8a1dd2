// Long work and task banks: how it stands, and what a bank found out.
import { useEffect, useState } from "preact/hooks";
import { ask, can, place } from "./api.mjs";
import { Age, Empty, html, Loaded, useApp, useLoad } from "./parts.mjs";
import { say } from "./words.mjs";

export function Page() {
  const { here } = useApp();
  const [tick, setTick] = useState(0);
  const state = useLoad((signal) => ask("GET", `${place(here.org)}/runs`, { signal }), [here.org, tick]);
  const [bank, setBank] = useState(here.query.get("bank") ?? "");
  const [open, setOpen] = useState(bank);
  const live = state.value?.items.some((run) => run.state === "running");
  useEffect(() => { if (!live) return; const timer = setInterval(() => setTick((n) => n + 1), 1500); return () => clearInterval(timer); }, [live]);
  return html`<h1>${say("runs")}</h1><${Loaded} state=${state}>${({ items }) => items.length ? html`<div class="panel scroll"><table><thead><tr><th>${say("what")}</th><th>${say("state")}</th><th>${say("begun")}</th><th>${say("details")}</th></tr></thead><tbody>
    ${items.map((run) => html`<tr><td>${run.operation}</td><td>${run.state}</td><td><${Age} at=${run.started_at} /></td><td>${run.step?.note ?? ""} ${run.step?.total ? `${run.step.done} / ${run.step.total}` : ""} ${run.message}${run.response?.bank_id && html` <button class="plain" onClick=${() => { setBank(run.response.bank_id); setOpen(run.response.bank_id); }}>${say("open")}</button>`}</td></tr>`)}</tbody></table></div>` : html`<${Empty}>${say("nothing")}</${Empty}>`}</${Loaded}>
    ${can("bank.get") && html`<form class="row" onSubmit=${(event) => { event.preventDefault(); setOpen(bank.trim()); }}><label class="row">${say("id")}<input value=${bank} onInput=${(event) => setBank(event.target.value)} /></label><button>${say("open")}</button></form>`}
    ${open && html`<${Bank} id=${open} />`}`;
}

function Bank({ id }) {
  const { here } = useApp();
  const at = `${place(here.org, here.workspace, here.agent)}/banks/${encodeURIComponent(id)}`;
  const state = useLoad((signal) => ask("GET", at, { signal }), [at]);
  return html`<${Loaded} state=${state}>${({ insight, nodes, edges, conflicts }) => html`<h2>${say("goal")}</h2><div class="panel stack"><p>${insight.goal ?? insight.task_goal ?? insight.question ?? ""}</p>
    <ol>${(insight.completed ?? insight.completed_tasks ?? []).map((task) => html`<li><b>${task.type}</b> ${task.description} <span class="tag">${task.status}</span><p class="small quiet">${task.context}</p></li>`)}</ol></div>
    <h2>${say("nodes")} (${nodes.length}) · ${say("links")} (${edges.length}) · ${say("conflicts")} (${conflicts.length})</h2><div class="stack">${nodes.map((node) => html`<${Node} at=${at} node=${node} />`)}</div>`}</${Loaded}>`;
}

function Node({ at, node }) {
  const [open, setOpen] = useState(false);
  const state = useLoad(async (signal) => (open ? ask("GET", `${at}/nodes/${encodeURIComponent(node.id)}`, { signal }) : null), [open]);
  return html`<article class="card k-semantic"><h3>${node.context || node.summary?.slice?.(0, 80)}</h3><p>${typeof node.summary === "string" ? node.summary : JSON.stringify(node.summary)}</p><p>${(node.keywords ?? []).map((word) => html`<span class="tag">${word}</span> `)}</p>
    <button class="plain" aria-expanded=${open} onClick=${() => setOpen(!open)}>${say("tree")}</button>${open && state.value && html`<div class="stack">${state.value.entries.map((entry) => html`<div class="turn"><span class="small quiet"><${Age} at=${entry.timestamp} /></span><pre>${entry.text}</pre></div>`)}</div>`}</article>`;
}
