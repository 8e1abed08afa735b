"use strict";
// The page to search in a browser. Everything from documents is put in as text, never as markup.

const TEXTS = {
  en: {
    ask: "Question or words", filters: "Filters", collection: "Collection", type: "Type",
    after: "Changed after", before: "Changed before", token: "Token (lectern serve prints it)",
    open: "Open", close: "Close", earlier: "Page before", later: "Next page", all: "All",
    searching: "Searching…", nothing: "Nothing found.", none: "No good match; the closest passages follow.",
    perhaps: "Perhaps not what you asked for.", closest: "Closest passages; whether they answer it cannot be told here.", found: (n) => `${n} passages`, page: (n) => `page ${n}`,
    wrong: "The token is wrong.", failed: (why) => `It failed: ${why}`,
    changed: "The file has changed since it was read.", missing: "The file is not there.",
  },
  de: {
    ask: "Frage oder Wörter", filters: "Filter", collection: "Sammlung", type: "Art",
    after: "Geändert nach", before: "Geändert vor", token: "Schlüssel (lectern serve zeigt ihn an)",
    open: "Öffnen", close: "Schließen", earlier: "Seite davor", later: "Nächste Seite", all: "Alle",
    searching: "Suche läuft …", nothing: "Nichts gefunden.", none: "Kein guter Treffer; die ähnlichsten Stellen folgen.",
    perhaps: "Vielleicht nicht das, wonach Sie gefragt haben.", closest: "Nächstliegende Stellen; ob sie antworten, lässt sich hier nicht sagen.", found: (n) => `${n} Stellen`, page: (n) => `Seite ${n}`,
    wrong: "Der Schlüssel stimmt nicht.", failed: (why) => `Es ist fehlgeschlagen: ${why}`,
    changed: "Die Datei wurde seit dem Lesen geändert.", missing: "Die Datei ist nicht da.",
  },
};
const language = navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
const say = TEXTS[language];
const $ = (id) => document.getElementById(id);
const KEPT = "lectern-token";
let hits = [], chosen = -1, running = null, timer = 0, reading = null;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function ask(path, values, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== "" && value !== undefined) query.append(name, value);
  const token = sessionStorage.getItem(KEPT) || "";
  const answer = await fetch(`${path}?${query}`, { headers: { Authorization: `Bearer ${token}` }, signal });
  if (answer.status === 401) { lock(token !== ""); throw new DOMException("no token", "AbortError"); }
  if (!answer.ok) {
    const told = (await answer.json()).error;
    throw new Error(told.message || told.code);
  }
  return answer;
}

function lock(wrong) {
  $("unlock").hidden = false;
  $("state").textContent = wrong ? say.wrong : "";
  $("token").value = "";
  $("token").focus();
}

async function search() {
  if (running) running.abort();
  const query = $("query").value.trim();
  if (!query) { show([]); $("state").textContent = ""; return; }
  const mine = running = new AbortController();
  $("state").textContent = say.searching;
  try {
    const values = { q: query, collection: $("collection").value, type: $("type").value.trim(),
                     after: $("after").value, before: $("before").value, limit: 20 };
    const found = await (await ask("/api/search", values, mine.signal)).json();
    if (mine !== running) return;
    const failed = found.collections.filter((one) => one.error).map((one) => one.message);
    const best = found.collections.filter((one) => one.passages.length);
    show(best.flatMap((one) => one.passages).sort((a, b) => b.score - a.score));
    const verdict = best.length === 1 ? { none: say.none, perhaps: say.perhaps, closest: say.closest }[best[0].match] : "";
    $("state").textContent = [verdict || (hits.length ? say.found(hits.length) : say.nothing), ...failed].join(" ");
  } catch (error) {
    if (error.name !== "AbortError") $("state").textContent = say.failed(error.message);
  }
}

function show(found) {
  hits = found; chosen = -1;
  $("hits").replaceChildren(...found.map((hit, index) => {
    const row = element("li");
    row.tabIndex = -1;
    row.addEventListener("click", () => { choose(index); read(hit, hit.page); });
    row.append(element("h2", hit.title), element("p", [hit.heading_path.join(" › "), say.page(hit.page)].filter(Boolean).join(" · "), "quiet"));
    const text = element("p"), at = hit.text.indexOf(hit.best);
    const from = at < 0 ? 0 : Math.max(0, at - 160);
    if (at < 0) text.textContent = hit.text.slice(0, 400);
    else text.append((from ? "…" : "") + hit.text.slice(from, at), element("mark", hit.best), hit.text.slice(at + hit.best.length, at + hit.best.length + 160));
    row.append(text, element("p", hit.path, "quiet"));
    if (say[hit.file_state]) row.append(element("p", say[hit.file_state], "quiet"));
    return row;
  }));
}

function choose(index) {
  if (!hits.length) return;
  chosen = Math.min(Math.max(index, 0), hits.length - 1);
  [...$("hits").children].forEach((row, at) => {
    if (at === chosen) { row.setAttribute("aria-current", "true"); row.focus(); row.scrollIntoView({ block: "nearest" }); }
    else row.removeAttribute("aria-current");
  });
}

async function read(hit, page) {
  const mine = reading = { hit, page };
  try {
    const place = await (await ask("/api/page", { document: hit.document, page, start: hit.start, end: hit.end })).json();
    const parts = place.count ? await sheet(hit, place) : await text(hit);
    if (mine !== reading) return;
    mine.page = place.page; mine.count = place.count;
    $("title").textContent = hit.title;
    $("place").textContent = place.count ? say.page(place.page) : "";
    $("earlier").hidden = $("later").hidden = place.count < 2;
    $("sheet").replaceChildren(...parts);
    $("reading").hidden = false;
    const mark = $("sheet").querySelector("span, mark");
    if (mark) mark.scrollIntoView({ block: "center" });
  } catch (error) {
    if (error.name !== "AbortError") $("state").textContent = say.failed(error.message);
  }
}

async function sheet(hit, place) {
  const width = Math.min(2400, Math.round(Math.max(360, window.innerWidth / 2) * window.devicePixelRatio));
  const image = await ask("/api/page.png", { document: hit.document, page: place.page, width });
  const picture = new Image();
  picture.alt = say.page(place.page);
  picture.src = URL.createObjectURL(await image.blob());
  await picture.decode();
  URL.revokeObjectURL(picture.src);
  const boxes = place.boxes.filter((box) => box.page === place.page).map((box) => {
    const outline = element("span");
    for (const side of ["left", "top", "width", "height"]) outline.style[side] = `${100 * box[side]}%`;
    return outline;
  });
  return [picture, ...boxes];
}

async function text(hit) {
  const values = { document: hit.document, start: hit.start, end: hit.end, around: 4000 };
  const found = await (await ask("/api/read", values)).json();
  const whole = element("pre");
  for (const part of found.parts) whole.append(part.start === hit.start ? element("mark", part.text) : part.text, "\n");
  return [whole];
}

function close() {
  reading = null;
  $("reading").hidden = true;
  if (chosen >= 0) choose(chosen); else $("query").focus();
}

function turn(by) {
  if (reading && reading.count) read(reading.hit, Math.min(Math.max(reading.page + by, 1), reading.count));
}

function pressed(event) {
  const typing = event.target.matches("input, select") && event.target !== $("query");
  const keys = {
    ArrowDown: () => choose(chosen + 1),
    ArrowUp: () => { if (chosen > 0) choose(chosen - 1); else { chosen = -1; $("query").focus(); } },
    Enter: () => { if (chosen >= 0 && document.activeElement !== $("query")) read(hits[chosen], hits[chosen].page); else { clearTimeout(timer); search(); } },
    Escape: close,
    PageDown: () => turn(1),
    PageUp: () => turn(-1),
    "/": event.target.matches("input") ? null : () => { $("query").focus(); $("query").select(); },
  };
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("button, summary") || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

function soon() { clearTimeout(timer); timer = setTimeout(search, 150); }

async function begin() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) { sessionStorage.setItem(KEPT, given); history.replaceState(null, "", location.pathname + location.search); }
  try {
    const status = await (await ask("/api/status", {})).json();
    $("unlock").hidden = true;
    const names = status.collections.filter((one) => !one.error).map((one) => one.collection);
    const options = names.length > 1 ? ["", ...names] : names;
    $("collection").replaceChildren(...options.map((name) => { const one = element("option", name === "" || name === "*" ? say.all : name); one.value = name; return one; }));
    $("query").focus();
    const asked = new URLSearchParams(location.search).get("q");
    if (asked && !$("query").value) $("query").value = asked;
    search();
  } catch (error) {
    if (error.name !== "AbortError") $("state").textContent = say.failed(error.message);
  }
}

document.documentElement.lang = language;
for (const one of document.querySelectorAll("[data-text]")) one.textContent = say[one.dataset.text];
$("query").placeholder = say.ask;
$("form").addEventListener("submit", (event) => event.preventDefault());
$("unlock").addEventListener("submit", (event) => { event.preventDefault(); sessionStorage.setItem(KEPT, $("token").value.trim()); begin(); });
for (const id of ["query", "type"]) $(id).addEventListener("input", soon);
for (const id of ["collection", "after", "before"]) $(id).addEventListener("change", search);
$("close").addEventListener("click", close);
$("earlier").addEventListener("click", () => turn(-1));
$("later").addEventListener("click", () => turn(1));
document.addEventListener("keydown", pressed);
begin();
