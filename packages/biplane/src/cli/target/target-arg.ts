import { argument } from "../command/define.ts";

/** What a target can be, for help and errors. */
export const targetForms =
  "a URL, a module (./server.ts), a config file (mcp.json, or mcp.json#name for one of its servers), a recording (sessions.jsonl), a built-in environment (frozen-lake), a pack (workspace=./notes), or a command after --";

/** The positional argument of every command that takes a target. */
export const targetArg = argument(`What to connect to: ${targetForms}`, { takes: { kind: "targets" }, required: true });
