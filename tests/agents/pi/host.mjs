// Loads an extension of Pi's and plays events to it, as Pi does: `node host.mjs EXTENSION SCRIPT`.
// A script is a list of steps: {"load": true}, {"stale": true}, {"ctx": {...}}, or {"event": NAME, ...fields}.
import { readFileSync } from "node:fs";

const [extension, script] = process.argv.slice(2);
const handlers = new Map();
const said = [];
const kept = { file: "/s/t_s1.jsonl", id: "s1", leaf: "a1", entries: [{ id: "a1" }], cwd: process.cwd(), model: "m" };
let isStale = false;
let isOld = false;

const sessionManager = {
  getSessionFile: () => kept.file ?? undefined,
  getSessionId: () => kept.id,
  getLeafId: () => kept.leaf,
  getEntries: () => kept.entries,
};
const ctx = new Proxy({}, {
  get(_target, name) {
    if (isStale) throw new Error("this ctx is stale");
    const known = { cwd: kept.cwd, model: { id: kept.model }, ui: { notify: (text, kind) => said.push(`${kind}: ${text}`) } };
    const more = isOld ? { sessionFile: kept.file } : { sessionManager };
    return { ...known, ...more }[name];
  },
});

async function load() {
  handlers.clear();
  for (const path of extension.split(",")) {
    const { default: factory } = await import(path);
    factory({ on: (name, handler) => handlers.set(name, [...(handlers.get(name) ?? []), handler]) });
  }
}

await load();
for (const { load: again, stale, old, ctx: change, event, ...fields } of JSON.parse(readFileSync(script))) {
  if (again) await load();
  isStale = stale ?? isStale;
  isOld = old ?? isOld;
  Object.assign(kept, change);
  for (const handler of (event && handlers.get(event)) ?? []) await handler({ type: event, ...fields }, ctx);
}
console.log(JSON.stringify(said));
