import type { Principal } from "@biplane/core";

/** True if the person has the scope. `person` needs only a sign-in. */
export function hasScope({ scopes: held }: Pick<Principal, "scopes">, scope: string): boolean {
  return scope === "person" || held.includes("*") || held.includes(scope) || held.includes(scope.replace(/:read$/, ""));
}

/** True if the person may read what the scope covers. `runs:read` is enough for `runs`. */
export function mayRead(by: Pick<Principal, "scopes">, scope: string): boolean {
  return scope === "person" || hasScope(by, `${scope}:read`);
}

/** Scopes that a person can have. `*` grants all; with `:read` after it, a scope only permits to read. */
export const scopes: Readonly<Record<string, string>> = {
  tools: "list tools, read resources and call tools",
  calls: "view calls",
  episodes: "view, start and play episodes",
  runs: "view runs and traces, and replay them",
  "edit-runs": "name, tag, annotate and delete runs",
  approvals: "answer waiting calls, and approve scripts",
  policies: "view and test policy rules, and publish those of the store",
  secrets: "list, set and delete secrets",
  audit: "read the audit log",
  connections: "view and close MCP sessions",
  settings: "view the settings",
  people: "list, invite, change and remove people",
  tokens: "list, create, rotate and revoke tokens of agents and trainers",
};
