// Long work as it goes on, and what a task bank found out: its Insight Doc, its Query Graph, its Interaction Tree.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask, can, may, place } from "./api.mjs";
import { Explored } from "./graph.mjs";
import { Banks } from "./memory.mjs";
import { Age, deed, Empty, html, inWords, Loaded, Table, useApp, useLoad } from "./parts.mjs";
import { number, say } from "./words.mjs";

const SHOWN = 20; // runs that are listed, newest first
const STREAMS = 3; // followed at once: a browser has six connections to a server, and the pages need some themselves
const AGAIN = 5000; // milliseconds after which the list is asked for again while the page is in sight: others begin work, too
const ENDED = ["done", "failed", "cancelled", "interrupted"];

export function Page() {
  const app = useApp();
  const { here } = app;
  const runsAt = `${place(here.org)}/runs`;
  const state = useLoad((signal) => ask("GET", runsAt, { signal }), [here.org]);
  const [steps, setSteps] = useState({}); // by run, as the streams tell
  const [open, setOpen] = useState("");
  const wanted = here.query.get("bank") ?? "";
  useEffect(() => { if (wanted) setOpen(wanted); }, [wanted]);
  const items = (state.value?.items ?? []).map((run) => steps[run.run_id] ?? run).reverse();
  const followed = items.filter((run) => run.state === "running").slice(0, STREAMS).map((run) => run.run_id);
  useEffect(() => {
    const streams = followed.map((id) => follow(`${runsAt}/${encodeURIComponent(id)}/events`, (run) => { setSteps((now) => ({ ...now, [id]: run })); if (ENDED.includes(run.state)) state.again(); }));
    return () => streams.forEach((stream) => stream.close());
  }, [followed.join()]);
  useEffect(() => { const timer = setInterval(() => document.visibilityState === "visible" && state.again(), AGAIN); return () => clearInterval(timer); }, [state.again]);
  // Of an earlier process only a run itself tells its answer, not the list.
  const show = (run, { quiet = false } = {}) => (run.response?.bank_id ? Promise.resolve(run) : ask("GET", `${runsAt}/${encodeURIComponent(run.run_id)}`)).then(({ response }) => { if (response?.bank_id) { setOpen(response.bank_id); } else if (!quiet) app.say(say("run_no_bank")); }, quiet ? () => {} : app.fail);
  const stop = (run) => ask("DELETE", `${runsAt}/${encodeURIComponent(run.run_id)}`).then(state.again, app.fail);
  // The list is of the whole organisation, a bank is one agent's: others' are opened where they are.
  const isHere = (run) => run.workspace === here.workspace && run.agent === here.agent;
  const isBank = (run) => run.operation.startsWith("bank.") && run.state === "done";
  // The last task is what most come for.
  const last = items.find((run) => isBank(run) && isHere(run));
  useEffect(() => { if (last && !open && !wanted) show(last, { quiet: true }); }, [last?.run_id]);
  return html`<h1>${say("runs")}</h1><${Loaded} state=${state}>${() => items.length ? html`<${Table} heads=${[say("what"), say("state"), say("begun"), say("details"), ""]} rows=${items.slice(0, SHOWN).map((run) => ({ key: run.run_id, cells: [html`${deed(run.operation)}${run.agent && !isHere(run) && html` <span class="quiet small">${run.workspace === here.workspace ? run.agent : `${run.workspace} / ${run.agent}`}</span>`}`, html`<span class="nowrap"><span class="light ${{ running: "busy", done: "on" }[run.state] ?? "off"}"></span> ${say(`run_${run.state}`)}</span>`, html`<span class="nowrap"><${Age} at=${run.started_at} /></span>`, html`<span aria-live=${run.state === "running" ? "polite" : undefined}>${[run.step?.note && inWords(run.step.note), run.step?.total && `${number(run.step.done)} / ${number(run.step.total)}`, run.message].filter(Boolean).join(" · ") || "–"}</span>`,
      html`${run.state === "running" && may("write") && html`<button onClick=${() => stop(run)}>${say("stop")}</button>`}${isBank(run) && isHere(run) && html`<button onClick=${() => show(run)}>${say("open")}</button>`}${isBank(run) && run.agent && !isHere(run) && run.workspace === here.workspace && html`<a href="${app.base}/runs?agent=${encodeURIComponent(run.agent)}">${say("open")}</a>`}`] }))} />` : html`<${Empty}>${say("runs_none")}</${Empty}>`}</${Loaded}>
    ${can("bank.list") && here.agent && html`<h2>${say("banks")}</h2><${Banks} onOpen=${setOpen} />`}
    ${open && here.agent && html`<${Bank} key=${open} id=${open} />`}`;
}

/** Follow a run by its events until it ends; a stream that breaks is taken up again by the browser. */
function follow(address, onRun) {
  const stream = new EventSource(address);
  const read = (event) => { const run = JSON.parse(event.data); if (ENDED.includes(run.state)) stream.close(); onRun(run); };
  for (const name of ["progress", ...ENDED]) stream.addEventListener(name, read);
  return stream;
}

function Bank({ id }) {
  const { here } = useApp();
  const at = `${place(here.org, here.workspace, here.agent)}/banks/${encodeURIComponent(id)}`;
  const state = useLoad((signal) => ask("GET", at, { signal }), [at]);
  return html`<${Loaded} state=${state}>${({ insight, nodes, edges, conflicts }) => html`<h2>${say("insight")}</h2><div class="panel stack"><p><b>${say("goal")}:</b> ${insight.goal}</p>
    <ol>${insight.completed.map((task) => html`<li>${task.description} <span class="tag">${say(`step_${task.type}`)}</span> <span class="tag">${say(`step_${task.status}`)}</span><p class="quiet lines">${task.context}</p></li>`)}</ol>
    ${insight.current ? html`<p><b>${say("next_step")}:</b> ${insight.current.description}</p>` : html`<p class="quiet">${say("next_none")}</p>`}</div>
    <${QueryGraph} at=${at} nodes=${nodes} edges=${edges} conflicts=${conflicts} />`}</${Loaded}>`;
}

/** The topics of a task as a picture and as a list; choosing one opens the raw words behind it. */
function QueryGraph({ at, nodes, edges, conflicts }) {
  const [chosen, setChosen] = useState(null);
  const graph = useMemo(() => {
    const index = new Map(nodes.map((node, place) => [node.node_id, place])), degree = new Map();
    const lines = edges.filter(([a, b]) => index.has(a) && index.has(b)).map(([a, b]) => { for (const one of [a, b]) degree.set(one, (degree.get(one) ?? 0) + 1); return { a: index.get(a), b: index.get(b), strength: 0.5, relation: "" }; });
    const disputed = new Set(conflicts.filter((one) => one.state !== "resolved").flatMap((one) => one.claims.map((claim) => claim.record_id)));
    const points = nodes.map((node) => ({ id: node.node_id, label: node.context || node.summary, content: node.summary, at: Date.parse(node.timestamp), focus: !node.provisional && !node.unresolved && !disputed.has(node.node_id), warn: node.provisional || node.unresolved || disputed.has(node.node_id), weight: degree.get(node.node_id) ?? 0 }));
    const times = points.map((point) => point.at).filter(Boolean);
    return { points, edges: lines, from: Math.min(...times), to: Math.max(...times) };
  }, [nodes, edges, conflicts]);
  return html`<h2>${say("query_graph")}</h2><p class="small quiet">${say("nodes")}: ${number(nodes.length)} · ${say("links")}: ${number(edges.length)} · ${say("conflicts")}: ${number(conflicts.length)}</p>
    ${nodes.length === 0 ? html`<${Empty}>${say("nothing")}</${Empty}>` : html`<${Explored} ...${graph} label=${say("query_graph")} chosen=${chosen} onChoose=${setChosen} small=${true} />
    <div class="stack">${nodes.map((node, place) => html`<${Node} key=${node.node_id} at=${at} node=${node} open=${chosen === place} onOpen=${() => setChosen(chosen === place ? null : place)} />`)}</div>`}
    ${conflicts.length > 0 && html`<h2>${say("conflicts")}</h2><div class="stack">${conflicts.map((one) => html`<div class="panel"><p><span class="tag">${say(`conflict_${one.state}`)}</span> ${one.description}</p>${one.verdict && html`<p class="quiet">${one.verdict.text}</p>`}</div>`)}</div>`}`;
}

function Node({ at, node, open, onOpen }) {
  const state = useLoad(async (signal) => (open ? ask("GET", `${at}/nodes/${encodeURIComponent(node.node_id)}`, { signal }) : null), [open]);
  return html`<article class="card k-semantic"><h3>${node.context}</h3>${node.summary !== node.context && html`<p class="lines">${node.summary}</p>`}<p>${node.unresolved && html`<span class="tag warn">${say("unresolved")}</span> `}${node.provisional && html`<span class="tag warn">${say("status_pending")}</span> `}${node.keywords.map((word) => html`<span class="tag">${word}</span> `)}</p>
    <button class="plain" aria-expanded=${open} onClick=${onOpen}>${say("tree")}</button>${open && html`<${Loaded} state=${state}>${(tree) => tree && html`<div class="stack">${tree.entries.map((entry) => html`<div class="turn"><span class="small quiet"><${Age} at=${entry.timestamp} /></span><pre>${entry.text}</pre></div>`)}</div>`}</${Loaded}>`}</article>`;
}
