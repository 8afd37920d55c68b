import { roleNames, roles } from "../../../../packages/biplane/src/governance/people/roles.ts";

/** The scopes of people, with descriptions. */
export const scopes: readonly { readonly name: string; readonly about: string }[] = [
  { name: "tools", about: "list and call tools, read resources" },
  { name: "calls", about: "view calls" },
  { name: "episodes", about: "view, start and play episodes" },
  { name: "runs", about: "view and replay runs and traces" },
  { name: "edit-runs", about: "name, tag, annotate and delete runs" },
  { name: "approvals", about: "answer waiting calls, approve scripts" },
  { name: "policies", about: "view and test policy rules, and publish those of the store" },
  { name: "secrets", about: "list, set and delete secrets" },
  { name: "audit", about: "read the audit log" },
  { name: "connections", about: "list and end MCP sessions" },
  { name: "settings", about: "view the settings" },
  { name: "people", about: "invite, change and remove people" },
  { name: "tokens", about: "make and revoke tokens of agents and trainers" },
];

/** Named sets of scopes, from the fewest to all. */
export const roleChoices = roleNames.map((name) => ({ name, ...roles[name] }));

/** People can only grant scopes that they have. */
export function canGrant(own: readonly string[], scope: string): boolean {
  return own.includes("*") || own.includes(scope) || own.includes(scope.replace(/:read$/, ""));
}
