import { principalKinds, routes } from "../../call/rules/conditions.ts";

/** What the value of an option, or a word, may be. `isOpen` only suggests; `isList` takes several, with commas. */
export type Value =
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly isOpen?: true; readonly isList?: true }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly least?: number }
  | { readonly kind: "file" | "folder" | "runs" | "recordings" | "environments" | "packs" | "text" };

/** What `--name` of a command takes, or its word of that name. */
export function valueOf(path: readonly string[], name: string): Value {
  const own = values[`${path.join(" ")} ${name}`];
  return own ?? values[name] ?? { kind: "text" };
}

const file: Value = { kind: "file" };
const runs: Value = { kind: "runs" };
const count: Value = { kind: "number", isWhole: true, least: 0 };
const countFromOne: Value = { kind: "number", isWhole: true, least: 1 };
const number: Value = { kind: "number", isWhole: false };
const oneOf = (...of: string[]): Value => ({ kind: "choice", of });
const servers: Value = { kind: "environments" };
const kinds = oneOf("eval-protocol", "openenv", "mcp");

/** By an option's name, and by a command's and an option's where a command means something else by it. */
export const values: Readonly<Record<string, Value>> = {
  agent: { kind: "choice", of: ["random", "greedy", "person", "model", "playback:"], isOpen: true },
  concurrency: countFromOne,
  config: file,
  days: number,
  env: { kind: "environments" },
  expect: oneOf("allow", "deny", "ask"),
  export: { kind: "folder" },
  file,
  folder: { kind: "folder" },
  gym: file,
  language: oneOf("javascript", "python", "starlark"),
  limit: count,
  lines: count,
  "log-format": oneOf("pretty", "json"),
  "log-level": oneOf("debug", "info", "warn", "error"),
  "max-standard-error": number,
  "max-tokens": countFromOne,
  mode: oneOf("simulation", "production"),
  number: count,
  "openai-log": file,
  pack: { kind: "packs" },
  prefix: oneOf("always", "collision", "never"),
  principal: { kind: "choice", of: principalKinds.map((kind) => `${kind}:`), isOpen: true },
  record: file,
  repetition: count,
  repetitions: countFromOne,
  resume: runs,
  reward: file,
  route: oneOf(...routes),
  rows: file,
  scorer: file,
  seed: count,
  servers: file,
  steps: countFromOne,
  store: file,
  style: oneOf("json", "python"),
  temperature: number,
  threshold: number,
  timeout: number,
  times: countFromOne,
  "tool-style": oneOf("tools", "code"),
  "trace-file": file,
  "app dev module": file,
  "audit show n": count,
  "call server": servers,
  "code target": servers,
  "compare first": runs,
  "compare second": runs,
  "completion shell": oneOf("bash", "zsh", "fish"),
  "completion words": oneOf("runs", "environments", "packs"),
  "help command": { kind: "text" },
  "init kind": oneOf("server", "environment", "app"),
  "inspect server": servers,
  "people add scope": { kind: "choice", of: ["approvals", "secrets", "audit", "*"], isOpen: true, isList: true },
  "replay kind": kinds,
  "replay trace": { kind: "recordings" },
  "rollout kind": kinds,
  "show run": runs,
  "token new kind": oneOf("token", "trainer"),
  "tools server": servers,
};
