/** What a person may be given, one by one; `*` is all of it. */
export const scopes: Readonly<Record<string, string>> = {
  tools: "see the tools, read resources and call them",
  calls: "see the calls that are made",
  episodes: "see, begin and play episodes",
  runs: "see runs and traces, and replay them",
  approvals: "answer calls that wait, and decide about scripts",
  secrets: "see the names of secrets, set and delete them",
  audit: "read the audit log",
  connections: "see the MCP sessions that are open, and end them",
  settings: "see the settings",
  people: "see who may log in, let others in and shut them out",
};
