import type { Tables, TransientTable } from "./tables.ts";

/** A table whose rows outlive the process. */
export type KeptTable = Exclude<keyof Tables, TransientTable>;

/** The columns that identify a row of each table. */
export const primaryKeys: { readonly [Table in KeptTable]: readonly (keyof Tables[Table] & string)[] } = {
  audit: ["sequence"],
  audit_tools: ["tool", "block"],
  audit_cuts: ["first"],
  calls: ["id"],
  call_statistics: ["span", "kind", "start", "server", "name", "source"],
  approvals: ["id", "round"],
  decisions: ["number"],
  grants: ["id"],
  rejections: ["hash"],
  approval_votes: ["approval", "round", "voter"],
  notifications: ["id"],
  policy_versions: ["version"],
  rule_hits: ["server", "rule", "verdict"],
  people: ["name"],
  tokens: ["hash"],
  login_sessions: ["hash"],
  sign_in_keys: ["hash"],
  invitations: ["hash"],
  access_tokens: ["id"],
  secrets: ["name"],
  runs: ["id"],
  rollouts: ["run", "row_index", "repetition"],
  trace_events: ["run", "rollout", "sequence"],
  scorings: ["run", "name"],
  scores: ["run", "name", "row_index", "repetition"],
  run_figures: ["run"],
  annotations: ["id"],
  episodes: ["id"],
  episode_names: ["environment", "name"],
  records: ["collection", "key"],
};
