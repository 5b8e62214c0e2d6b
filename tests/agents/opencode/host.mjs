// Stands for OpenCode: loads plugins, calls their hooks as OpenCode does, and does not wait for events.
// Usage: node host.mjs PLUGIN... < steps. Prints what hooks left in their outputs, and the toasts.
import { readFileSync } from "node:fs"

const { parents, directory, steps } = JSON.parse(readFileSync(0, "utf8"))
const told = { outputs: [], toasts: [] }
const client = {
  session: { get: async ({ path }) => ({ data: { id: path.id, parentID: parents[path.id] } }) },
  tui: { showToast: async ({ body }) => told.toasts.push(body) },
}
const loaded = []
for (const path of process.argv.slice(2)) {
  for (const [name, plugin] of Object.entries(await import(path))) {
    if (typeof plugin !== "function") throw new Error(`Plugin export is not a function: ${name}`)
    loaded.push(await plugin({ client, directory, worktree: directory }))
  }
}
for (const { hook, input, output } of steps) {
  for (const hooks of loaded) {
    if (hook === "event") hooks.event?.({ event: input })
    else await hooks[hook]?.(input, output)
  }
  if (output) told.outputs.push(output)
}
console.log(JSON.stringify(told))
