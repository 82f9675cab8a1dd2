// What is remembered: tabs by kind, search as one types, and the health of it all above.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, can, may, place, storageHealth } from "./api.mjs";
import { Age, Card, Dialog, Diff, Empty, Figure, FileFigures, html, Loaded, recordAddress, Table, useApp, useLate, useLoad, useTyped } from "./parts.mjs";
import { isChinese, number, say, size } from "./words.mjs";

const TABS = ["all", "semantic", "episodic", "procedural", "shared", "knowledge", "short_term", "turn", "bank"];
// What only serves another page (nodes of graphs, the frame of documents) is not shown among memories.
const KINDS = { all: ["instruction", "semantic", "episodic", "procedural", "shared", "preference", "decision", "follow_up", "mood", "note", "chunk", "turn"], semantic: ["semantic", "instruction"], knowledge: ["chunk"], short_term: ["preference", "decision", "follow_up", "mood"] };
const STEP = 50, MOST = 1000;
// Cards come into the document and leave it in groups of GROUP, NEAR pixels before they are seen; one takes about ROOM.
const GROUP = 5, NEAR = 900, ROOM = 138;
const NOTHING = new Set();
// While one types, few answers found by words alone come at once; after a pause (in milliseconds), the full search.
const FEW = 20, PAUSE = 350;

export function Page() {
  const app = useApp();
  const { here, base } = app;
  const tabs = TABS.filter((name) => name !== "bank" || can("bank.list"));
  const [tab, setTab] = useState(tabs.includes(here.query.get("tab")) ? here.query.get("tab") : "all");
  const [query, setQuery] = useTyped("memory query", here.query.get("q") ?? "");
  const [filters, setFilters] = useState(() => Object.fromEntries(Object.entries({ tags: "", since: "", until: "", status: "active" }).map(([name, usual]) => [name, here.query.get(name) ?? usual])));
  const [ready, setReady] = useState(false); // the list is there: what counts all of the memory may be asked for
  // What was chosen stands in the address: who opens a memory and goes back, or sends the address on, finds it again.
  useEffect(() => {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries({ tab: tab === "all" ? "" : tab, ...filters, status: filters.status === "active" ? "" : filters.status })) if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    if (here.agent && url.href !== location.href) history.replaceState(null, "", url);
  }, [tab, filters]);
  if (!here.agent) return html`<h1>${say("memory")}</h1><${Empty}>${say("nothing")}</${Empty}>`;
  const agent = ["shared", "knowledge"].includes(tab) ? "shared" : here.agent; // documents, too, are the workspace's
  const move = (event, index) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (index + step + tabs.length) % tabs.length;
    setTab(tabs[next]); event.currentTarget.parentElement.children[next].focus();
  };
  return html`<h1>${say("memory")}</h1><${Health} ready=${ready} onStatus=${(status) => setFilters({ ...filters, status })} />
    <div role="tablist" aria-label=${say("memory")}>${tabs.map((name, index) => html`<button role="tab" id="tab-${name}" aria-controls="list" aria-selected=${tab === name} tabindex=${tab === name ? 0 : -1} onKeyDown=${(event) => move(event, index)} onClick=${() => setTab(name)}>${say(`tab_${name}`)}</button>`)}</div>
    ${tab !== "bank" && html`<form class="row filters" role="search" onSubmit=${(event) => event.preventDefault()}>
      <input class="grow" type="search" aria-label=${say("search")} placeholder=${say("search_hint")} value=${query} onInput=${(event) => setQuery(event.target.value)} />
      <input aria-label=${say("tags")} placeholder=${say("tags_hint")} value=${filters.tags} onInput=${(event) => setFilters({ ...filters, tags: event.target.value })} />
      <label class="row small">${say("since")}<input type="date" value=${filters.since} onInput=${(event) => setFilters({ ...filters, since: event.target.value })} /></label>
      <label class="row small">${say("until")}<input type="date" value=${filters.until} onInput=${(event) => setFilters({ ...filters, until: event.target.value })} /></label>
      <label class="row small">${say("status")}<select value=${filters.status} onChange=${(event) => setFilters({ ...filters, status: event.target.value })}>${["active", "expired", "superseded", "forgotten"].map((one) => html`<option value=${one}>${say(`status_${one}`)}</option>`)}</select></label></form>`}
    <div id="list" role="tabpanel" aria-labelledby="tab-${tab}" tabindex="0">${tab === "bank" ? html`<${Banks} onReady=${() => setReady(true)} />` : html`<${List} key=${`${tab} ${agent}`} tab=${tab} agent=${agent} query=${query} filters=${filters} base=${base} onReady=${() => setReady(true)} />`}</div>`;
}

/** The tasks whose memory was kept; each opens with its Insight Doc and its graph. */
export function Banks({ onReady, onOpen }) {
  const { here, base } = useApp();
  const state = useLoad((signal) => ask("GET", `${place(here.org, here.workspace, here.agent)}/banks`, { signal }), [here.org, here.workspace, here.agent]);
  useEffect(() => { if (state.value) onReady?.(); }, [state.value]);
  const address = (one) => `${base}/runs?agent=${encodeURIComponent(here.agent)}&bank=${encodeURIComponent(one.bank_id)}`;
  return html`<${Loaded} state=${state}>${({ items }) => items.length ? html`<${Table} heads=${[say("goal"), say("bank"), say("bank_steps"), say("state"), say("when")]} rows=${items.map((one) => ({ key: one.bank_id, cells: [html`<a href=${address(one)} onClick=${() => onOpen?.(one.bank_id)}>${one.goal}</a>`, html`<code>${one.bank_id}</code>`, number(one.steps), say(one.is_done ? "bank_done" : "bank_open"), html`<${Age} at=${one.updated_at} />`] }))} />` : html`<${Empty}>${say("bank_none")}</${Empty}>`}</${Loaded}>`;
}

// The last day is meant to its end: what happened before the next one begins.
const asDay = (text, end) => { if (!text) return undefined; const at = new Date(`${text}T00:00:00`); if (end) at.setDate(at.getDate() + 1); return at.toISOString(); };
const asTags = (text) => text.split(/[,，]/).map((one) => one.trim()).filter(Boolean);

function List({ tab, agent, query, filters, base, onReady }) {
  const app = useApp();
  const { here } = app;
  const at = place(here.org, here.workspace, agent);
  const late = useLate(query.trim(), 40);
  const lateFilters = useLate(filters);
  const [gone, setGone] = useState(new Set());
  const [editing, setEditing] = useState(null);
  const [pages, setPages] = useState([]);
  const kinds = (KINDS[tab] ?? [tab]).filter((kind) => kind !== "instruction" || can("cognition.list"));
  const tags = asTags(lateFilters.tags);
  const bounds = { since: asDay(lateFilters.since), until: asDay(lateFilters.until, true) };
  const find = async (signal, how) => {
    const body = { query: late, kinds, tags: tags.length ? tags : undefined, ...bounds, gate: false, ...how };
    const found = await ask("POST", `${at}/recall`, { signal, body });
    return { items: found.items.filter((item) => !item.metadata?.bank).map((item) => ({ ...item, id: item.record_id, content: item.text, scope: { agent } })), next: null };
  };
  // What is no longer in force is not recalled: of these, those that hold the words.
  const past = late && lateFilters.status !== "active";
  const holding = async (signal) => {
    const { items } = await ask("GET", `${at}/records`, { signal, query: { kinds, tags, ...bounds, statuses: lateFilters.status, limit: MOST } });
    const wanted = late.toLowerCase().split(/\s+/);
    return { items: items.filter((item) => wanted.every((word) => item.content.toLowerCase().includes(word))), next: null };
  };
  const quick = useLoad(async (signal) => {
    setPages([]);
    if (past) return holding(signal);
    if (late) return find(signal, { recipe: "words", limit: FEW });
    return ask("GET", `${at}/records`, { signal, query: { kinds, tags, ...bounds, statuses: lateFilters.status, limit: STEP } });
  }, [at, tab, late, lateFilters]);
  useEffect(() => { if (quick.value && !quick.loading) onReady(); }, [quick.value]);
  const [full, setFull] = useState(null);
  useEffect(() => {
    setFull(null);
    if (!late || past) return undefined;
    const stop = new AbortController();
    // What was found while typing stays where the full search fails.
    const timer = setTimeout(() => find(stop.signal, { limit: STEP }).then((value) => stop.signal.aborted || setFull(value), () => {}), PAUSE);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [at, tab, late, lateFilters]);
  const state = full && late ? { ...quick, value: full, loading: false, error: null } : quick;
  const hidden = lateFilters.status === "active" ? gone : NOTHING; // what was just deleted is among the forgotten
  // What a task bank wrote down for itself is shown with its task, not among memories.
  const batches = useMemo(() => [state.value?.items ?? [], ...pages.map((page) => page.items)].map((batch) => batch.filter((item) => !hidden.has(item.id) && !(item.kind === "turn" && item.scope?.task))), [state.value, pages, hidden]);
  let total = 0;
  const begins = batches.map((batch) => (total += batch.length) - batch.length);
  const next = pages.length ? pages.at(-1).next : state.value?.next;
  const more = async () => {
    if (!next || more.busy) return;
    more.busy = true;
    try { setPages([...pages, await ask("GET", `${at}/records`, { query: { kinds, tags, ...bounds, statuses: lateFilters.status, limit: STEP, cursor: next } })]); } catch (error) { app.fail(error); }
  };
  const forget = async (record) => {
    try {
      await ask("POST", `${at}/records/${encodeURIComponent(record.id)}/forget`, { body: {} });
      setGone(new Set([...gone, record.id]));
      app.say(say("deleted"), async () => { await ask("POST", `${at}/records/${encodeURIComponent(record.id)}/restore`, { body: {} }).then(() => { app.say(say("restored")); setGone((now) => new Set([...now].filter((id) => id !== record.id))); }, app.fail); });
    } catch (error) { app.fail(error); }
  };
  return html`<${Loaded} state=${state}>${() => html`<div class="stack">${total === 0 && html`<${Empty}>${late || tags.length || bounds.since || bounds.until ? say("no_match") : say("nothing")}</${Empty}>`}
    ${total > 0 && html`<div role="feed" class="stack" aria-label=${say("memory")} aria-busy=${state.loading} data-loaded=${total} onKeyDown=${stepThrough}>${batches.map((items, index) => html`<${Batch} key=${index} items=${items} from=${begins[index]} size=${next ? -1 : total} base=${base} agent=${agent} question=${past ? "" : late} onForget=${may("write") && lateFilters.status === "active" ? forget : null} onEdit=${may("write") && can("cognition.edit") ? setEditing : null} />`)}</div>`}
    ${next && html`<${More} onSeen=${more} key=${next} />`}</div>
    ${editing && html`<${Edit} record=${editing} at=${at} onClose=${() => setEditing(null)} onSaved=${() => { setEditing(null); state.again(); app.say(say("saved")); }} />`}`}</${Loaded}>`;
}

// As in every feed, these keys go from card to card; they take the view along, and so what comes next is there.
function stepThrough(event) {
  const step = { PageDown: 1, PageUp: -1 }[event.key];
  const cards = step ? [...event.currentTarget.querySelectorAll("article")] : [];
  const next = cards[cards.indexOf(event.target.closest("article")) + step];
  if (next) { event.preventDefault(); next.focus(); }
}

/** The cards of one page. They are made once: of a list of thousands only what is new is looked at when more comes. */
function Batch({ items, from, size, base, agent, question, onForget, onEdit }) {
  const act = useRef({});
  act.current = { onForget, onEdit };
  const groups = Array.from({ length: Math.ceil(items.length / GROUP) }, (_, index) => index * GROUP);
  return useMemo(() => groups.map((start) => html`<${Group} key=${start} now=${from + start < FEW} count=${Math.min(GROUP, items.length - start)} cards=${() => items.slice(start, start + GROUP).map((record, index) => html`<${Card} key=${record.id} record=${record} place=${{ at: from + start + index + 1, of: size }} base=${base} agent=${agent} question=${question} onForget=${onForget && ((one) => act.current.onForget(one))} onEdit=${onEdit && !["turn", "chunk"].includes(record.kind) ? (one) => act.current.onEdit(one) : null} />`)} />`), [items, from, size, agent, question, Boolean(onForget), Boolean(onEdit), isChinese()]);
}

const groups = new WeakMap(); // what is told when a group of cards comes near the view or leaves it
const nearby = new IntersectionObserver((seen) => { for (const one of seen) groups.get(one.target)?.(one); }, { rootMargin: `${NEAR}px 0px` });

/** Some cards that are in the document only while they are near the view, or hold the focus; else their room is kept. */
function Group({ cards, count, now }) {
  const box = useRef(null);
  const seen = useRef({ near: now, height: count * ROOM });
  const [there, setThere] = useState(now);
  useEffect(() => {
    const node = box.current;
    groups.set(node, ({ isIntersecting, boundingClientRect, target }) => {
      if (!isIntersecting && target.firstChild) seen.current.height = boundingClientRect.height;
      seen.current.near = isIntersecting;
      setThere(isIntersecting || target.contains(document.activeElement));
    });
    nearby.observe(node);
    return () => nearby.unobserve(node);
  }, []);
  const left = (event) => { if (!event.currentTarget.contains(event.relatedTarget)) setThere(seen.current.near); };
  return html`<div ref=${box} class="stack" style=${{ minHeight: there ? "" : `${seen.current.height}px` }} onFocusOut=${left}>${there && cards()}</div>`;
}

/** Asks for more when it comes into sight, and can be pressed. */
function More({ onSeen }) {
  const mark = useRef(null);
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && onSeen(), { rootMargin: "600px" });
    watch.observe(mark.current);
    return () => watch.disconnect();
  }, []);
  return html`<button ref=${mark} onClick=${onSeen}>${say("more")}</button>`;
}

/** Correct a memory as it was shown; who was overtaken by somebody sees both texts before theirs is saved. */
export function Edit({ record, at, onClose, onSaved }) {
  const app = useApp();
  const mine = `${at}/memories/${encodeURIComponent(record.id)}`;
  const [text, setText] = useState(record.content);
  const [shown, setShown] = useState(record);
  useEffect(() => { if (!record.version) ask("GET", mine).then((now) => { setShown(now); setText((typed) => (typed === record.content ? now.content : typed)); }, app.fail); }, [record.id]); // what a search found has no version
  const save = async (event) => {
    event.preventDefault();
    try { await ask("PUT", mine, { body: { content: text }, version: shown.version }); onSaved(); } catch (error) {
      const now = error.status === 412 ? await ask("GET", mine).catch(() => shown) : shown;
      if (now.version === shown.version) app.fail(error); else setShown({ ...now, overtook: true });
    }
  };
  return html`<${Dialog} title=${say("edit")} onClose=${onClose}><form class="stack" onSubmit=${save}>${shown.overtook && html`<div class="stack" role="alert"><p class="warn">${say("overtaken")}</p><blockquote>${shown.content}</blockquote><p class="small quiet">${say("overtaken_diff")}</p><${Diff} before=${shown.content} after=${text} /></div>`}<textarea aria-label=${say("edit")} value=${text} onInput=${(event) => setText(event.target.value)}></textarea>
    <div class="row"><button class="main">${say(shown.overtook ? "overtaken_save" : "save")}</button><button type="button" onClick=${onClose}>${say("cancel")}</button></div></form></${Dialog}>`;
}

/** What a number counts where not all memories were looked at for it. */
function among(health, name) {
  const seen = { duplicates: health?.compared, junk: health?.compared, rotten: health?.reread }[name];
  return seen !== undefined && seen < health.total ? say("among", { n: number(seen) }) : null;
}

function Health({ ready, onStatus }) {
  const app = useApp();
  const { here, base, go } = app;
  const at = place(here.org, here.workspace, here.agent);
  const [cleaning, setCleaning] = useState(false);
  const [listed, setListed] = useState(null); // the name of a figure whose memories are shown
  const state = useLoad(async (signal) => {
    if (!ready) return {};
    const [queue, conflicts, cognition, file] = await Promise.all([
      ask("GET", `${at}/queue`, { signal }), ask("GET", `${at}/conflicts`, { signal, query: { states: ["open", "unresolved"], limit: 1000 } }),
      can("cognition.health") ? ask("GET", `${at}/memories/health`, { signal }) : null,
      storageHealth(at, { signal, query: { quick: true } })]);
    return { queue, conflicts: conflicts.items.length, cognition, file };
  }, [at, ready]);
  const link = (page) => () => go(`${base}/${page}?agent=${encodeURIComponent(here.agent)}`);
  const is = can("cognition.health");
  // Each figure has its place from the start, so that nothing moves when it comes.
  return html`<${Loaded} state=${state}>${({ queue, conflicts, cognition, file }) => file !== null && html`<div class="figures">
    <${Figure} label=${say("total")} value=${file ? number(cognition?.total ?? file.records) : "…"} onOpen=${() => onStatus("active")} />
    ${is && html`<${Figure} label=${say("mean_confidence")} value=${cognition ? `${Math.round(100 * (cognition.mean_confidence ?? 0))}%` : "…"} onOpen=${cognition?.total ? () => setListed("unsure") : null} />
      <${Figure} label=${say("expired")} value=${cognition ? number(cognition.expired) : "…"} note=${say("to_clean")} tone=${cognition?.expired ? "warn" : ""} onOpen=${() => setCleaning(true)} />`}
    <${Figure} label=${say("conflict_count")} value=${queue ? number(conflicts) : "…"} note=${say("to_solve")} tone=${conflicts ? "warn" : ""} onOpen=${link("conflicts")} />
    ${is && ["stale", "duplicates", "rotten", "junk"].map((name) => html`<${Figure} label=${say(name)} value=${!cognition ? "…" : name === "junk" ? `${Math.round(100 * cognition.junk)}%` : number(cognition[name])} note=${among(cognition, name)} tone=${name === "stale" && cognition?.stale ? "warn" : ""} onOpen=${cognition?.[name] ? () => setListed(name) : null} />`)}
    <${Figure} label=${say("queue")} value=${queue ? number(queue.pending + queue.running) : "…"} note=${queue?.dead ? say("given_up", { n: number(queue.dead) }) : null} tone=${queue?.dead ? "bad" : ""} onOpen=${may("admin") ? link("admin") : null} />
    <${Figure} wide label=${say("engine")} value=${file ? file.engine : "…"} onOpen=${file ? () => setListed("file") : null} />
    <${Figure} label=${say("disk")} value=${file ? size(file.bytes_on_disk) : "…"} onOpen=${file ? () => setListed("file") : null} /></div>
    ${listed === "file" && html`<${Dialog} title=${say("engine")} onClose=${() => setListed(null)}><${FileFigures} file=${file} /><p><button onClick=${() => setListed(null)}>${say("close")}</button></p></${Dialog}>`}
    ${listed && listed !== "file" && html`<${Flawed} at=${at} flaw=${listed} onClose=${() => setListed(null)} />`}
    ${cleaning && html`<${CleanUp} at=${at} onClose=${() => setCleaning(false)} onDone=${(n) => { setCleaning(false); state.again(); app.say(say("cleaned", { n })); }} />`}`}</${Loaded}>`;
}

/** The memories that a figure counts, each of which opens. */
function Flawed({ at, flaw, onClose }) {
  const { base, here } = useApp();
  const state = useLoad((signal) => ask("GET", `${at}/memories`, { signal, query: { flaw, limit: MOST } }), [at, flaw]);
  return html`<${Dialog} title=${say(flaw)} onClose=${onClose}><p class="quiet">${say(`about_${flaw}`)}</p><${Loaded} state=${state}>${({ items }) => items.length ? html`<ul>${items.map((one) => html`<li key=${one.id}><a href=${recordAddress(base, one.id, here.agent)}>${one.content}</a> <span class="small quiet">${say("confidence", { n: Math.round(one.confidence * 100) })} · <${Age} at=${one.updated_at} /></span></li>`)}</ul>` : html`<${Empty}>${say("no_match")}</${Empty}>`}</${Loaded}><p><button onClick=${onClose}>${say("close")}</button></p></${Dialog}>`;
}

function CleanUp({ at, onClose, onDone }) {
  const app = useApp();
  const state = useLoad(async (signal) => {
    // The preview is what cleaning itself says it would do; the words are looked up for it.
    const plan = await ask("POST", `${at}/memories/clean`, { signal, body: { dry_run: true } });
    return { plan, items: await Promise.all(plan.removed.slice(0, 100).map((id) => ask("GET", `${at}/records/${encodeURIComponent(id)}`, { signal }))) };
  }, [at]);
  const clean = async () => { try { const done = await ask("POST", `${at}/memories/clean`, { body: { dry_run: false } }); onDone(done.removed.length); } catch (error) { app.fail(error); } };
  return html`<${Dialog} title=${say("clean_title")} onClose=${onClose}><${Loaded} state=${state}>${({ items }) => html`<p>${say("clean_ask")}</p><ul>${items.map((one) => html`<li>${one.content}</li>`)}</ul>
    <div class="row"><button class="main danger" disabled=${!items.length} onClick=${clean}>${say("clean")}</button><button onClick=${onClose}>${say("cancel")}</button></div>`}</${Loaded}></${Dialog}>`;
}
