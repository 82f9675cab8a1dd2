// What an agent would get for a question: the items, the text as it is injected, and why; also at another time, or
// without a source.
import { useState } from "preact/hooks";
import { ask, place } from "./api.mjs";
import { Age, Badge, Empty, html, kindOf, Loaded, pathName, Reasons, recordAddress, useApp, useLoad, useTyped } from "./parts.mjs";
import { moment, say } from "./words.mjs";

const STEPS = 100;
const VERDICTS = { near: "gate_open", unsure: "gate_perhaps", far: "gate_shut" };

export function Page() {
  const app = useApp();
  const { here } = app;
  const at = place(here.org, here.workspace, here.agent);
  const [text, setText] = useTyped("question", here.query.get("q") ?? "");
  const [query, setQuery] = useState(text);
  const [step, setStep] = useState(STEPS);
  const [without, setWithout] = useState([]);
  const first = useLoad(async (signal) => (here.agent ? (await ask("GET", `${at}/entries`, { signal, query: { limit: 1 } })).items[0] : null), [at]);
  const begin = first.value ? new Date(first.value.recorded_at).getTime() : Date.now();
  const asOf = step === STEPS ? undefined : new Date(begin + ((Date.now() - begin) * step) / STEPS).toISOString();
  const state = useLoad(async (signal) => {
    if (!query.trim()) return null;
    const started = performance.now();
    const found = await ask("POST", `${at}/recall`, { signal, body: { query, limit: 10, as_of: asOf, ...(without.length ? { without } : {}) } });
    return { found, took: performance.now() - started };
  }, [at, query, asOf, without]);
  return html`<h1>${say("ask_title")}</h1><form class="row" role="search" onSubmit=${(event) => { event.preventDefault(); setQuery(text); }}><input class="grow" type="search" aria-label=${say("ask")} placeholder=${say("ask_hint")} value=${text} onInput=${(event) => setText(event.target.value)} /><button class="main">${say("ask")}</button></form>
    <div class="row small"><label class="row">${say("as_of")}<input type="range" min="0" max=${STEPS} value=${step} onChange=${(event) => setStep(Number(event.target.value))} /></label><span class="quiet">${asOf ? moment(asOf) : say("now")}</span>
    ${without.length > 0 && html`<span class="tag">${say("without_list", { n: without.length })}</span><button class="plain" onClick=${() => setWithout([])}>${say("take_back")}</button>`}</div>
    <${Loaded} state=${state}>${(answer) => !answer ? html`<p class="quiet">${say("ask_about")}</p>` : html`<${Answer} ...${answer} without=${without} onWithout=${(id) => setWithout([...without, id])} />`}</${Loaded}>`;
}

function Answer({ found, took, onWithout }) {
  const { base, here } = useApp();
  const { gate, injection } = found;
  return html`<div class="two"><section class="stack"><h2>${say("memory")} <span class="small quiet">${say("took", { ms: Math.round(took) })}</span></h2>
    ${gate && html`<p class=${gate.verdict === "far" ? "warn" : "quiet small"}>${say(VERDICTS[gate.verdict], { why: say(`gate_${gate.reason}`) })}</p>`}
    ${found.left_out.length > 0 && html`<p class="warn small">${say("left_out", { paths: found.left_out.map((one) => pathName(one.path ?? one.name)).join(say("comma")) })}</p>`}
    ${found.items.length === 0 && html`<${Empty}>${say("no_match")}</${Empty}>`}
    ${found.items.map((item) => html`<article class="card k-${kindOf(item.kind)}"><header><${Badge} kind=${item.kind} /><span class="grow"></span><span class="small quiet"><${Age} at=${item.occurred_at} /></span></header>
      <div class="body whole"><a href=${recordAddress(base, item.record_id, here.agent, found.query)}>${item.text}</a></div><${Reasons} item=${item} />
      <footer class="small">${item.sources.length > 0 && html`<button class="plain" onClick=${() => onWithout(item.sources[0].entry_id)}>${say("without")}</button>`}</footer></article>`)}</section>
    <section><h2>${say("injected", { n: injection.tokens ?? 0 })}</h2><div class="panel">${injection.text ? html`<pre tabindex="0">${injection.text}</pre>` : html`<p class="quiet">${say("injected_none")}</p>`}</div></section></div>`;
}
