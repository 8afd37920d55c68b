/** What a person may be given, and what each lets him do. */
export const scopes: readonly { readonly name: string; readonly about: string }[] = [
  { name: "tools", about: "see the tools, read resources and call them" },
  { name: "calls", about: "see the calls that are made" },
  { name: "episodes", about: "see, begin and play episodes" },
  { name: "runs", about: "see runs and traces, and replay them" },
  { name: "approvals", about: "answer calls that wait, and decide about scripts" },
  { name: "secrets", about: "see the names of secrets, set and delete them" },
  { name: "audit", about: "read the audit log" },
  { name: "connections", about: "see the MCP sessions that are open, and end them" },
  { name: "settings", about: "see the settings" },
  { name: "people", about: "see who may log in, let others in and shut them out" },
];

/** Nobody gives what he does not have. */
export function mayGive(own: readonly string[], scope: string): boolean {
  return own.includes("*") || own.includes(scope);
}
