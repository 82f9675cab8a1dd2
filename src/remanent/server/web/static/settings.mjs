// The settings in force, to look at: they are changed where the server is started. A secret is never shown.
import { useState } from "preact/hooks";
import { ask } from "./api.mjs";
import { Coded, Empty, html, Loaded, Table, useLoad } from "./parts.mjs";
import { isChinese, say } from "./words.mjs";

export function Page() {
  const state = useLoad((signal) => ask("GET", "/v1/settings", { signal }), []);
  const [wanted, setWanted] = useState("");
  const [changed, setChanged] = useState(false);
  const words = wanted.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one) => (!changed || !one.is_default) && words.every((word) => `${one.name} ${one.english} ${one.chinese}`.toLowerCase().includes(word));
  return html`<h1>${say("settings")}</h1><p class="quiet">${say("settings_text")}</p><form class="row" role="search" onSubmit=${(event) => event.preventDefault()}><input class="grow" type="search" aria-label=${say("search")} placeholder=${say("settings_hint")} value=${wanted} onInput=${(event) => setWanted(event.target.value)} /><label class="row small"><input type="checkbox" checked=${changed} onChange=${(event) => setChanged(event.target.checked)} />${say("settings_changed")}</label></form>
    <${Loaded} state=${state}>${({ items }) => { const shown = items.filter(fits); return shown.length ? html`<${Table} name="settings" heads=${[say("kb_name"), say("value"), say("meaning")]} rows=${shown.map((one) => ({ key: one.name, cells: [html`<code>${one.name}</code>`, html`${one.is_secret ? html`<span class="quiet">${say(one.is_default ? "secret_unset" : "secret_set")}</span>` : html`<code>${one.value || "–"}</code>`}${!one.is_default && html` <span class="tag">${say("settings_set")}</span>`}`, html`<span class="quiet"><${Coded} text=${isChinese() ? one.chinese : one.english} /></span>`] }))} />` : html`<${Empty}>${say("no_match")}</${Empty}>`; }}</${Loaded}>`;
}
