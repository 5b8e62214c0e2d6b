// @ts-nocheck
// Entire's plugin for OpenCode, version 1. It reports what a session does, as with `entire hooks opencode turn-start`.
// `entire enable --agent opencode` wrote it and updates it; `entire disable --uninstall` removes it.
// It needs no package. Where there is no `entire` on PATH, it does nothing.

import { spawn } from "node:child_process"

const LONGEST = 60_000 // milliseconds that OpenCode waits for a report
const LATE = 2_000 // milliseconds in which a stopped turn is written down
const SESSION_VARIABLE = "OPENCODE_SESSION_ID" // tells commits that the agent makes whose they are

/** Runs `entire` with a report; returns its answer, an object, or undefined. It never fails. */
function ask(event, payload, folder) {
  return new Promise((resolve) => {
    const child = spawn("entire", ["hooks", "opencode", event], {
      cwd: folder, env: process.env, stdio: ["pipe", "pipe", "ignore"],
    })
    const timer = setTimeout(() => child.kill(), LONGEST)
    const done = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    let text = ""
    child.stdout.on("data", (data) => (text += data))
    child.stdin.on("error", () => {})
    child.on("error", () => done(undefined))
    child.on("close", () => {
      try {
        done(JSON.parse(text))
      } catch {
        done(undefined)
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Entire = async ({ client, directory }) => {
  // The user's plugins and the project's may both be this one: the first that is loaded for a folder reports.
  const loaded = (globalThis[Symbol.for("entire.opencode")] ??= new Set())
  if (loaded.has(directory)) return {}
  loaded.add(directory)

  const known = new Set() // sessions that were announced
  const roots = new Map() // a subagent's session -> the session that it works for
  const turns = new Map() // session -> its turn, while it lasts
  let queue = Promise.resolve() // OpenCode does not wait for events: each report waits for the one before

  const enqueue = (work) => (queue = queue.then(work).catch(() => {}))

  /** Reports an event, shows what `entire` has to say, and returns its answer. */
  const report = async (event, session, payload) => {
    const answer = await ask(event, { session_id: session, cwd: directory, ...payload }, directory)
    const message = answer?.systemMessage
    if (message) await client.tui.showToast({ body: { message, variant: "info" } }).catch(() => {})
    return answer
  }

  /** Returns the session that a person sees: a subagent has its own. */
  const rootOf = async (session) => {
    for (let count = 0; count < 20; count++) {
      if (!roots.has(session) && !known.has(session)) {
        const found = await client.session.get({ path: { id: session } }).catch(() => undefined)
        roots.set(session, found?.data?.parentID)
      }
      const parent = roots.get(session)
      if (!parent) break
      session = parent
    }
    return session
  }

  const start = async (session, source) => {
    if (known.has(session)) return
    known.add(session)
    await report("session-start", session, { source })
  }

  const end = async (session) => {
    const turn = turns.get(session)
    if (!turn) return
    turns.delete(session)
    clearTimeout(turn.timer)
    await report("turn-end", session, { turn_id: turn.id, reason: turn.error })
  }

  const finish = async (session, reason) => {
    await end(session)
    if (known.delete(session)) await report("session-end", session, { reason })
  }

  const events = {
    "session.created": ({ info }) => {
      roots.set(info.id, info.parentID)
      if (!info.parentID) enqueue(() => start(info.id, "startup"))
    },
    "session.error": ({ sessionID, error }) => {
      const turn = turns.get(sessionID)
      if (turn) turn.error = error?.name ?? "error"
    },
    "session.status": ({ sessionID, status }) => {
      const turn = turns.get(sessionID)
      if (!turn || status.type !== "idle") return
      // After an error, the session is idle twice: before the error is written down, and after that.
      if (turn.error && !turn.timer) turn.timer = setTimeout(() => enqueue(() => end(sessionID)), LATE)
      else enqueue(() => end(sessionID))
    },
    "session.compacted": ({ sessionID }) => {
      if (known.has(sessionID)) enqueue(() => report("compaction", sessionID, {}))
    },
    "session.deleted": ({ info }) => {
      if (known.has(info.id)) enqueue(() => finish(info.id, "deleted"))
    },
  }

  return {
    event: async ({ event }) => events[event.type]?.(event.properties),

    "chat.message": async ({ sessionID }, { message, parts }) => {
      if ((await rootOf(sessionID)) !== sessionID) return // a subagent's task
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      await enqueue(async () => {
        await start(sessionID, "resume")
        if (turns.get(sessionID)?.timer) await end(sessionID)
        turns.set(sessionID, { id: message.id })
        const model = message.model?.modelID
        await report("turn-start", sessionID, { turn_id: message.id, prompt: texts.join("\n"), model })
      })
    },

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (tool !== "task") return
      const payload = { tool_use_id: callID, tool_input: args }
      await enqueue(async () => report("subagent-start", await rootOf(sessionID), payload))
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, { metadata }) => {
      if (tool !== "task") return
      const payload = { tool_use_id: callID, tool_input: args, subagent_id: metadata?.sessionId }
      await enqueue(async () => report("subagent-end", await rootOf(sessionID), payload))
    },

    "shell.env": async ({ sessionID }, { env }) => {
      if (sessionID) env[SESSION_VARIABLE] = await rootOf(sessionID)
    },

    dispose: async () => {
      await enqueue(async () => {
        for (const session of known) await finish(session, "exit")
      })
      loaded.delete(directory)
    },
  }
}
