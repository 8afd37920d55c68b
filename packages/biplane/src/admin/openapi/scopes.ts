import type { Principal } from "@biplane/core";

/** True if the person has the scope. `person` needs only a login. */
export function hasScope({ scopes: held }: Pick<Principal, "scopes">, scope: string): boolean {
  return scope === "person" || held.includes("*") || held.includes(scope);
}

/** Scopes that a person can have. `*` grants all. */
export const scopes: Readonly<Record<string, string>> = {
  tools: "list tools, read resources and call tools",
  calls: "view calls",
  episodes: "view, start and play episodes",
  runs: "view runs and traces, and replay them",
  "edit-runs": "name, tag, annotate and delete runs",
  approvals: "answer waiting calls, and approve scripts",
  secrets: "list, set and delete secrets",
  audit: "read the audit log",
  connections: "view and close MCP sessions",
  settings: "view the settings",
  people: "list, add and remove people",
};
