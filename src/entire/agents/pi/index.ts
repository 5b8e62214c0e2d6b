// Entire for Pi, version 1: records this agent's sessions with the repository's history.
// `entire enable` writes this file, and writes it anew when it is updated; `entire disable --uninstall` removes it.
// It is plain JavaScript, and does nothing while it is loaded that can fail: Pi does not start with a broken extension.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { basename } from "node:path";

const CLAIM = Symbol.for("entire.pi");
const TIMEOUT = 60_000; // milliseconds

export default function (pi) {
  // A project's file and the user's own may both be loaded. The first one that Pi loads reports, the other is silent.
  const own = import.meta.url;
  if ((globalThis[CLAIM] ?? own) !== own) return;
  globalThis[CLAIM] = own;

  let session; // what was known last of the running session; undefined for one without a file, as of a subagent
  let started; // the session whose start was reported: in RPC mode, Pi tells it twice
  let turn; // the id of the running turn

  function look(ctx) {
    try {
      const kept = ctx.sessionManager; // Pi before 0.35 has none
      const file = kept ? kept.getSessionFile() : ctx.sessionFile;
      session = file ? { session_id: kept?.getSessionId() ?? idOf(file), transcript_path: file, cwd: ctx.cwd } : undefined;
      if (!session || !kept) return;
      session.model = ctx.model?.id;
      session.leaf = kept.getLeafId();
      session.last = kept.getEntries().at(-1)?.id ?? null;
    } catch {
      // In print mode, a turn's end may be told after the session's: then ctx throws, and the branch is not known.
      if (session) session = { ...session, leaf: undefined, last: undefined };
    }
  }

  // Runs a hook and waits for it: in print mode, Pi does not wait for what a handler does later. Shows what it has to
  // say to the user, and returns its answer.
  function report(ctx, command, about) {
    look(ctx);
    return session && run(ctx, command, about);
  }

  function run(ctx, command, about) {
    const [program, ...words] = command.split(" ");
    const told = { ...session, turn_id: turn, pid: process.pid, timestamp: Date.now(), ...about };
    try {
      const options = { cwd: session.cwd, input: JSON.stringify(told), encoding: "utf8", timeout: TIMEOUT };
      const answer = JSON.parse(spawnSync(program, words, options).stdout);
      if (answer?.systemMessage) ctx.ui.notify(answer.systemMessage, "info");
      return answer;
    } catch {
      return undefined; // there is no `entire` on the PATH, or it has nothing to say
    }
  }

  // Of a session, `clear` is what other agents call it where Pi says `new`.
  const word = (reason) => (reason === "new" ? "clear" : reason);

  function start(ctx, reason) {
    look(ctx);
    if (!session || started === session.transcript_path) return;
    started = session.transcript_path;
    run(ctx, "entire hooks pi session-start", { source: word(reason) });
  }

  function end(ctx, reason) {
    started = undefined;
    if (session) run(ctx, "entire hooks pi session-end", { reason: word(reason) });
  }

  function begin(ctx, about) {
    turn = randomUUID();
    report(ctx, "entire hooks pi turn-start", about);
  }

  pi.on("session_start", (event, ctx) => { start(ctx, event.reason); });
  pi.on("before_agent_start", (event, ctx) => { begin(ctx, { prompt: event.prompt }); });
  pi.on("agent_start", (_event, ctx) => {
    // Pi goes on by itself after an error or an overflow. Before 0.35, it tells the start of every turn so.
    if (turn) return;
    look(ctx);
    begin(ctx, { automatic: session?.leaf !== undefined });
  });
  pi.on("agent_end", (_event, ctx) => {
    report(ctx, "entire hooks pi turn-end");
    turn = undefined;
  });
  pi.on("turn_end", (event, ctx) => {
    for (const { toolCallId, details } of event.toolResults) {
      const runs = details?.results; // of subagents, as the extension that comes with Pi as an example tells them
      if (!Array.isArray(runs) || !runs.some((run) => run?.messages)) continue;
      const about = { tool_use_id: toolCallId, agent: runs[0]?.agent, task: runs[0]?.task };
      report(ctx, "entire hooks pi subagent-end", about);
    }
  });
  pi.on("session_compact", (_event, ctx) => { report(ctx, "entire hooks pi compaction"); });
  pi.on("session_tree", (_event, ctx) => { report(ctx, "entire hooks pi tree"); });
  pi.on("session_shutdown", (event, ctx) => {
    delete globalThis[CLAIM];
    look(ctx);
    if (event.reason !== "reload") end(ctx, event.reason);
  });

  // Pi before 0.35 has one event for all that happens to a session.
  pi.on("session", (event, ctx) => {
    if (event.reason === "compact") {
      report(ctx, "entire hooks pi compaction");
    } else if (event.reason === "shutdown") {
      end(ctx, "quit");
    } else if (event.reason === "start") {
      start(ctx, "startup");
    } else if (["switch", "clear", "branch"].includes(event.reason)) {
      const reason = { switch: "resume", clear: "new", branch: "fork" }[event.reason];
      end(ctx, reason);
      start(ctx, reason);
    }
  });
}

// Files are called <time>_<id>.jsonl.
function idOf(file) {
  return basename(file, ".jsonl").replace(/^.*_/, "");
}
