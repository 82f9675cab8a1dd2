// When things were said: how many turns by the year, month, day or hour, whatever fits, down to the turns of one day.
import { useMemo, useState } from "preact/hooks";
import { ask, can, place } from "./api.mjs";
import { Age, Badge, Empty, html, Loaded, recordAddress, useApp, useLoad } from "./parts.mjs";
import { day, formatter, number, role, say } from "./words.mjs";

const MOST = 20000, STEP = 1000; // turns that are looked at, newest first, and asked for at a time
const FEW = 3, SESSIONS = 20, WHOLE = 200; // turns of a session before its day is opened, sessions of a list, turns of an opened session
const LONG = 600; // letters of a turn that are shown before it is opened
const BARS = 62; // more would be too thin to be hit with a finger
const UNITS = ["hour", "day", "month", "year"];

export function Page() {
  const { here } = useApp();
  const at = place(here.org, here.workspace, here.agent);
  const state = useLoad(async (signal) => {
    const all = [];
    const episodes = here.agent && can("cognition.list") ? (await ask("GET", `${at}/records`, { signal, query: { kinds: "episodic", limit: STEP } })).items.map((one) => ({ ...one, when: new Date(one.occurred_at) })) : [];
    let cursor;
    do {
      if (!here.agent) break;
      const page = await ask("GET", `${at}/entries`, { signal, query: { limit: STEP, newest_first: true, cursor } });
      for (const entry of page.items) if (!entry.erased && !entry.scope.task && entry.text) all.push({ ...entry, when: new Date(entry.occurred_at) });
      cursor = page.next;
    } while (cursor && all.length < MOST);
    return { entries: all, episodes, more: Boolean(cursor) };
  }, [at]);
  return html`<h1>${say("timeline")}</h1><${Loaded} state=${state}>${({ entries, episodes, more }) => entries.length ? html`${more && html`<p class="warn small">${say("newest_only", { n: number(entries.length) })}</p>`}<${Drawn} entries=${entries} episodes=${episodes} />` : html`<${Empty}>${say("nothing")}</${Empty}>`}</${Loaded}>`;
}

/** The beginning of the hour, day, month or year that a moment lies in, and of the `n`th after it. */
const begin = (at, unit, n = 0) => ({ hour: () => new Date(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours() + n), day: () => new Date(at.getFullYear(), at.getMonth(), at.getDate() + n), month: () => new Date(at.getFullYear(), at.getMonth() + n, 1), year: () => new Date(at.getFullYear() + n, 0, 1) })[unit]();
const LENGTHS = { hour: 3600e3, day: 864e5, month: 30.4 * 864e5, year: 365 * 864e5 };
const FORMATS = { hour: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }, day: { dateStyle: "medium" }, month: { year: "numeric", month: "long" }, year: { year: "numeric" } };
const title = (at, unit) => formatter(Intl.DateTimeFormat, FORMATS[unit]).format(at);

function Drawn({ entries, episodes }) {
  const { here, base } = useApp();
  const [path, setPath] = useState([]); // the periods that were opened one within another, as [unit, beginning]
  const [unit, from] = path.at(-1) ?? [];
  const within = (list) => (unit ? list.filter(({ when }) => when >= from && when < begin(from, unit, 1)) : list);
  const inside = useMemo(() => within(entries), [entries, unit, from]), told = useMemo(() => within(episodes), [episodes, unit, from]);
  const { bars, step } = useMemo(() => counted(inside, unit), [inside, unit]);
  const most = Math.max(...bars.map(([, count]) => count)), wide = 960 / bars.length;
  const open = (at) => step !== "hour" && setPath([...path, [step, at]]);
  const days = useMemo(() => { const found = new Map(); for (const entry of inside) { const key = begin(entry.when, "day").getTime(); if (!found.has(key)) found.set(key, []); found.get(key).push(entry); } return [...found].sort(([a], [b]) => b - a); }, [inside]);
  let left = SESSIONS;
  return html`<div class="panel"><div class="row"><span class="small quiet">${unit && html`<b>${title(from, unit)}</b> · `}${say(`per_${step}`)} · ${say("turn_count", { n: number(inside.length) })}${told.length > 0 && html` · ${say("episode_count", { n: number(told.length) })}`}</span><span class="grow"></span>${path.length > 0 && html`<button onClick=${() => setPath(path.slice(0, -1))}>${say("zoom_out")}</button>`}</div>
    <svg class="timeline" viewBox="0 0 1000 180" preserveAspectRatio="none" role="group" aria-label=${say("timeline")}><line x1="20" x2="980" y1="170" y2="170" />
    ${bars.map(([at, count], index) => { const tall = count && 6 + (140 * count) / most, ended = told.filter(({ when }) => when >= at && when < begin(at, step, 1)).length, label = say("day_title", { day: title(at, step), n: count }) + (ended ? say("comma") + say("episode_count", { n: ended }) : ""); return count > 0 && html`<g role="button" tabindex="0" aria-label=${label} onClick=${() => open(at)} onKeyDown=${(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), open(at))}><title>${label}</title><rect class="room" x=${20 + index * wide} y="0" width=${wide} height="170" /><rect class="hot" x=${20 + index * wide + wide * 0.1} y=${170 - tall} width=${Math.min(60, wide * 0.8)} height=${tall} />${ended > 0 && html`<rect class="episode" x=${20 + index * wide + wide * 0.1} y="2" width=${Math.min(60, wide * 0.8)} height="8" />`}</g>`; })}</svg>
    ${told.length > 0 && html`<p class="row small quiet legend"><span><i class="dot episode"></i>${say("episode_legend")}</span></p>`}
    <div class="row small quiet ends"><span>${title(bars[0][0], step)}</span><span class="grow"></span>${bars.length > 1 && html`<span>${title(bars.at(-1)[0], step)}</span>`}</div></div>
    <div class="stack">${days.map(([at, list]) => left > 0 && html`<section key=${at}><h2>${day(at)}</h2>${told.filter(({ when }) => begin(when, "day").getTime() === at).map((one) => html`<p key=${one.id} class="k-episodic"><${Badge} kind="episodic" /> <a class="calm" href=${recordAddress(base, one.id, here.agent)}>${one.content}</a></p>`)}${sessionsOf(list).map(([name, turns]) => left-- > 0 && html`<${Session} key=${name} name=${name} turns=${turns} whole=${unit === "day"} onAll=${() => setPath([...path, ["day", new Date(at)]])} />`)}</section>`)}</div>`;
}

/** How many turns fell into each period, and which: of the finest sort that is not too thin to see. */
function counted(entries, within) {
  let [first, last] = [entries[0].when, entries[0].when];
  for (const { when } of entries) { if (when < first) first = when; if (when > last) last = when; }
  const finest = within ? Math.max(0, UNITS.indexOf(within) - 1) : 0;
  const step = within ? UNITS[finest] : UNITS.find((one, index) => index === UNITS.length - 1 || (last - first) / LENGTHS[one] < BARS);
  const counts = new Map();
  for (const { when } of entries) { const key = begin(when, step).getTime(); counts.set(key, (counts.get(key) ?? 0) + 1); }
  const bars = [];
  for (let at = begin(first, step); at <= last; at = begin(at, step, 1)) bars.push([at, counts.get(at.getTime()) ?? 0]);
  return { bars, step };
}

function sessionsOf(entries) {
  const found = new Map();
  for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) { const name = entry.scope.session ?? ""; if (!found.has(name)) found.set(name, []); found.get(name).push(entry); }
  return [...found];
}

/** What was said; a long text is opened by who wants all of it. */
function Told({ text }) {
  const [open, setOpen] = useState(false);
  const letters = text.length > LONG ? [...text] : [];
  return letters.length <= LONG ? html`<p>${text}</p>` : html`<p>${open ? text : `${letters.slice(0, LONG).join("")}…`} <button class="plain" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? say("show_less") : say("show_all", { n: number(letters.length) })}</button></p>`;
}

function Session({ name, turns, whole, onAll }) {
  return html`<div class="panel"><p><b>${name || say("without_session")}</b> <span class="small quiet">${say("turn_count", { n: number(turns.length) })}</span></p>${turns.slice(0, whole ? WHOLE : FEW).map((entry) => html`<div class="turn"><span class="small quiet">${role(entry.role)} · <${Age} at=${entry.occurred_at} /></span><${Told} text=${entry.text} /></div>`)}${!whole && turns.length > FEW && html`<button class="plain" onClick=${onAll}>${say("more_turns", { n: number(turns.length - FEW) })}</button>`}</div>`;
}
