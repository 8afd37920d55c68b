import { principalKinds, routes } from "@biplane/core/internal";

/** What an option or a positional argument takes. With `isOpen`, the choices are suggestions; `isList` is comma-separated. */
export type ArgValue =
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly isOpen?: true; readonly isList?: true }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly min?: number }
  | { readonly kind: "file" | "folder" | "runs" | "recordings" | "environments" | "packs" | "targets" | "text" };

/** What the option or positional argument `name` of a command takes. */
export function argValueOf(path: readonly string[], name: string): ArgValue {
  const own = argValues[`${path.join(" ")} ${name}`];
  return own ?? argValues[name] ?? { kind: "text" };
}

const file: ArgValue = { kind: "file" };
const runs: ArgValue = { kind: "runs" };
const count: ArgValue = { kind: "number", isWhole: true, min: 0 };
const countFromOne: ArgValue = { kind: "number", isWhole: true, min: 1 };
const number: ArgValue = { kind: "number", isWhole: false };
const oneOf = (...of: string[]): ArgValue => ({ kind: "choice", of });
const targets: ArgValue = { kind: "targets" };
const kinds = oneOf("eval-protocol", "openenv", "mcp");

/** By option name; `command option` overrides it for one command. */
export const argValues: Readonly<Record<string, ArgValue>> = {
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
  "call target": targets,
  "code target": targets,
  "compare first": runs,
  "compare second": runs,
  "completion shell": oneOf("bash", "zsh", "fish"),
  "completion names": oneOf("runs", "environments", "packs"),
  "help command": { kind: "text" },
  "init kind": oneOf("server", "environment", "app"),
  "inspect target": targets,
  "people add scope": { kind: "choice", of: ["approvals", "secrets", "audit", "*"], isOpen: true, isList: true },
  "replay kind": kinds,
  "replay target": targets,
  "replay trace": { kind: "recordings" },
  "rollout kind": kinds,
  "rollout target": targets,
  "show run": runs,
  "score run": runs,
  "export run": runs,
  "export format": oneOf("jsonl", "openai", "trl", "csv", "parquet"),
  "export out": file,
  "runs rename run": runs,
  "runs tag run": runs,
  "runs delete run": runs,
  "token new kind": oneOf("token", "trainer"),
  "tools target": targets,
  "proxy target": targets,
};
