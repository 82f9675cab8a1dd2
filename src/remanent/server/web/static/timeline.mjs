// When things were said: turns a day, by session, and the turns of one day.
import { useMemo, useState } from "preact/hooks";
import { ask, place } from "./api.mjs";
import { Age, Empty, html, Loaded, useApp, useLoad } from "./parts.mjs";
import { day, number, role, say } from "./words.mjs";

const MOST = 20000, STEP = 1000, FEW = 3; // turns of a session that are shown before its day is opened

export function Page() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad(async (signal) => {
    const all = [];
    for (let cursor; here.agent && all.length < MOST; ) {
      const page = await ask("GET", `${at}/entries`, { signal, query: { limit: STEP, newest_first: true, cursor } });
      all.push(...page.items.filter((entry) => !entry.erased && !entry.scope.task && entry.text));
      if (!page.next) break;
      cursor = page.next;
    }
    return all;
  }, [at]);
  return html`<h1>${say("timeline")}</h1><${Loaded} state=${state}>${(entries) => entries.length ? html`<${Drawn} entries=${entries} />` : html`<${Empty}>${say("nothing")}</${Empty}>`}</${Loaded}>`;
}

const dayOf = (entry) => new Date(entry.occurred_at).toLocaleDateString("sv");

function Drawn({ entries }) {
  const [chosen, setChosen] = useState(null);
  const days = useMemo(() => { const found = new Map(); for (const entry of entries) found.set(dayOf(entry), [...(found.get(dayOf(entry)) ?? []), entry]); return new Map([...found].sort()); }, [entries]);
  const names = [...days.keys()], first = Date.parse(names[0]), span = Math.max(1, (Date.parse(names.at(-1)) - first) / 86400000);
  const most = Math.max(...[...days.values()].map((list) => list.length)), wide = Math.max(1.5, Math.min(18, 900 / (span + 1)));
  const left = (name) => 20 + (((Date.parse(name) - first) / 86400000) / span) * (960 - wide);
  const open = (name) => setChosen(chosen === name ? null : name);
  return html`<div class="panel"><p class="small quiet">${say("days")} · ${number(entries.length)}</p><svg class="timeline" viewBox="0 0 1000 190" role="group" aria-label=${say("timeline")}><line x1="20" x2="980" y1="150" y2="150" />
    ${names.map((name) => { const count = days.get(name).length, tall = 8 + (130 * count) / most; return html`<g role="button" tabindex="0" aria-label=${say("day_title", { day: day(name), n: count })} onClick=${() => open(name)} onKeyDown=${(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), open(name))}><title>${say("day_title", { day: day(name), n: count })}</title><rect class="hot" x=${left(name)} y=${150 - tall} width=${wide} height=${tall} rx="2" opacity=${chosen && chosen !== name ? 0.35 : 1} /></g>`; })}
    <text x="20" y="172">${day(names[0])}</text>${names.length > 1 && html`<text x="980" y="172" text-anchor="end">${day(names.at(-1))}</text>`}</svg></div>
    ${chosen && html`<button onClick=${() => setChosen(null)}>${say("zoom_out")}</button>`}
    <div class="stack">${(chosen ? [chosen] : names.slice(-30).reverse()).map((name) => html`<section key=${name}><h2>${day(name)}</h2><${Day} entries=${days.get(name)} whole=${Boolean(chosen)} onAll=${() => open(name)} /></section>`)}</div>`;
}

function Day({ entries, whole, onAll }) {
  const sessions = new Map();
  for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) sessions.set(entry.scope.session ?? "", [...(sessions.get(entry.scope.session ?? "") ?? []), entry]);
  return html`${[...sessions].map(([name, list]) => html`<div class="panel"><p><b>${name || say("session")}</b> <span class="small quiet">${number(list.length)}</span></p>${list.slice(0, whole ? 200 : FEW).map((entry) => html`<div class="turn"><span class="small quiet">${role(entry.role)} · <${Age} at=${entry.occurred_at} /></span><p>${entry.text}</p></div>`)}${!whole && list.length > FEW && html`<button class="plain" onClick=${onAll}>${say("more_turns", { n: list.length - FEW })}</button>`}</div>`)}`;
}
