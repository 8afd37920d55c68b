import type { Generated } from "kysely";
import type { ApprovalStatus } from "@biplane/core/internal";

/**
 * The tables of a store, the same in SQLite and Postgres. Times are milliseconds since 1970. `Json` columns hold JSON
 * text, which both engines keep as it is. Changes need a new migration.
 */
export interface Tables {
  readonly records: RecordRow;
  readonly audit: AuditRow;
  readonly audit_tools: AuditToolRow;
  readonly audit_cuts: AuditCutRow;
  readonly calls: CallRow;
  readonly call_statistics: CallStatisticsRow;
  readonly approvals: ApprovalRow;
  readonly decisions: DecisionRow;
  readonly grants: GrantRow;
  readonly rejections: RejectionRow;
  readonly approval_votes: ApprovalVoteRow;
  readonly notifications: NotificationRow;
  readonly policy_versions: PolicyVersionRow;
  readonly rule_hits: RuleHitRow;
  readonly people: PersonRow;
  readonly tokens: TokenRow;
  readonly login_sessions: LoginSessionRow;
  readonly sign_in_keys: SignInKeyRow;
  readonly invitations: InvitationRow;
  readonly access_tokens: AccessTokenRow;
  readonly secrets: SecretRow;
  readonly runs: RunRow;
  readonly rollouts: RolloutRow;
  readonly trace_events: TraceEventRow;
  readonly scorings: ScoringRow;
  readonly scores: ScoreRow;
  readonly run_figures: RunFiguresRow;
  readonly annotations: AnnotationRow;
  readonly episodes: EpisodeRow;
  readonly episode_names: EpisodeNameRow;
  readonly processes: ProcessRow;
  readonly messages: MessageRow;
  readonly rate_buckets: RateBucketRow;
  readonly stream_events: StreamEventRow;
}

/** Tables that are empty while no process runs. */
export type TransientTable = "processes" | "messages" | "rate_buckets" | "stream_events";

type Json = string;

/** JSON records by key, for programs and for MCP tasks. */
export interface RecordRow {
  collection: string;
  key: string;
  json: Json;
}

/** One line of the audit log. The line holds the hash of the one before. */
export interface AuditRow {
  sequence: number;
  line: string;
}

/** A tool that has lines in a block of the audit log. */
export interface AuditToolRow {
  tool: string;
  block: number;
}

/** Lines that were exported to a file and deleted. The log verifies from the last one on. */
export interface AuditCutRow {
  first: number;
  through: number;
  /** Of the last line that was deleted. */
  hash: string;
  cut_at: number;
  file: string;
}

/** A call as the page shows it: redacted, and cut where it is long. */
export interface CallRow {
  /** Sorts by time. */
  id: string;
  at: number;
  server: string;
  tool: string;
  route: string;
  agent_id: string;
  model: string | null;
  request_id: string;
  principal_kind: string;
  principal_id: string;
  session: string | null;
  episode: string | null;
  outcome: string;
  is_failed: number;
  message: string | null;
  duration_ms: number;
  waited_ms: number;
  /** The beginning of the input, for lists. */
  preview: string | null;
  /** Input, result, timeline and step. */
  detail: Json;
}

/** How many calls one process made in an interval, and how long they took. */
export interface CallStatisticsRow {
  /** The length of the interval, in milliseconds. */
  span: number;
  /** What is counted: every call, or those of one tool, of one agent, or that one policy decided about. */
  kind: "all" | "tool" | "agent" | "policy";
  start: number;
  server: string;
  /** Of the tool, the agent or the policy. */
  name: string;
  /** The process that counted. */
  source: string;
  calls: number;
  failed: number;
  /** Of the failed calls, those that were not allowed to run: denied or asked. */
  refused: number;
  /** Of the refused calls, those that wait for a person. */
  asked: number;
  /** Of the failed calls, those that were wrong themselves. */
  invalid: number;
  /** Calls that waited for a person. */
  waited: number;
  /** Histograms of the run time and of the waits. */
  run_ms: Json;
  wait_ms: Json;
}

/** A question about a call. The same question asked again later is a new round. */
export interface ApprovalRow {
  id: string;
  round: number;
  /** `expired` is not stored: it follows from `expires_at`. */
  status: Exclude<ApprovalStatus, "expired">;
  server: string;
  tool: string;
  question: string;
  rules: Json | null;
  input: Json;
  hash: string;
  subject: Json | null;
  principal_kind: string;
  principal_id: string;
  agent: Json;
  route: string;
  session: string | null;
  episode: string | null;
  batch: string;
  asked_at: number;
  expires_at: number;
  /** How many different people must approve. */
  approvers: number;
  /** The name of the person who should answer. */
  assignee: string | null;
}

/** One person's approval of a question that needs several. */
export interface ApprovalVoteRow {
  approval: string;
  round: number;
  voter: string;
  voted_at: number;
  comment: string | null;
}

/** A message about a question, for one target. It is kept until it is sent or no longer needed. */
export interface NotificationRow {
  id: string;
  /** That a call waits, or that it was answered. */
  kind: "requested" | "answered";
  approval: string;
  round: number;
  /** The name of a target in the config. */
  target: string;
  status: "waiting" | "sent" | "failed" | "dropped";
  attempts: number;
  created_at: number;
  /** When to try, or until when a process that tries has it for itself. */
  next_at: number;
  /** When the question expires. */
  expires_at: number;
  sent_at: number | null;
  error: string | null;
  /** When the link in the message was used to answer. */
  link_used_at: number | null;
}

/** Policy rules that people published. The last version is in force. */
export interface PolicyVersionRow {
  version: number;
  /** YAML, as it was written. */
  source: string;
  rules: Json;
  published_by: string;
  published_at: number;
  comment: string | null;
}

/** How often a rule decided, and when it last did. */
export interface RuleHitRow {
  server: string;
  rule: string;
  verdict: "allow" | "deny" | "ask";
  hits: number;
  last_at: number;
  last_tool: string;
  /** The policy that the rule is of. Null if the policy did not name a rule, and for old rows. */
  policy: string | null;
}

/** What a person decided. Rows are never changed. */
export interface DecisionRow {
  number: Generated<number>;
  /** Null if nobody had asked. */
  approval: string | null;
  round: number | null;
  verdict: "approve" | "reject" | "revoke";
  decided_by: string;
  decided_at: number;
  reason: string | null;
  /** What an approval covers. */
  scope: Json | null;
  rules: Json | null;
  server: string;
  tool: string;
  hash: string | null;
  subject: Json | null;
  grant_id: string | null;
}

/** A permission. One for a single call is used up by setting `ended_at`. */
export interface GrantRow {
  id: string;
  kind: "once" | "standing";
  server: string;
  tool: string;
  hash: string | null;
  pattern: Json | null;
  rules: Json | null;
  subject: Json | null;
  principal_kind: string | null;
  principal_id: string | null;
  /** The question that this answers, if it is for a single call. */
  approval: string | null;
  round: number | null;
  /** The standing grant that was given with this one. */
  with_grant: string | null;
  granted_by: string;
  granted_at: number;
  expires_at: number | null;
  /** When it was used up or revoked. */
  ended_at: number | null;
  /** What `hash` was computed from, if it is an input. */
  input: Json | null;
}

export interface RejectionRow {
  hash: string;
  server: string;
  tool: string;
  subject: Json | null;
  reason: string;
  refused_by: string;
  refused_at: number;
}

export interface PersonRow {
  name: string;
  id: string;
  /** Without a role. A role has the scopes of its name. */
  scopes: Json;
  role: string | null;
  /** The provider that signs this person in, and its id of the person. */
  issuer: string | null;
  subject: string | null;
  /** Accounts with the same one belong to one person. */
  email: string | null;
  /** When the provider last signed the person in. */
  signed_in_at: number | null;
  created_at: number;
  session_key: string;
  /** `null` for a person without one. */
  passphrase: Json;
  places: Json;
}

/** A link with which one person can create an account. */
export interface InvitationRow {
  hash: string;
  id: string;
  role: string | null;
  scopes: Json;
  /** The account of the person who made it. It holds only while that person may grant as much. */
  invited_by: string;
  inviter: string;
  created_at: number;
  expires_at: number;
  /** Whom it is for. */
  note: string | null;
}

/** A token of an agent or a trainer that was made on the page. */
export interface AccessTokenRow {
  id: string;
  hash: string;
  /** The token before the last rotation. It is accepted until then. */
  previous_hash: string | null;
  previous_until: number | null;
  /** The principal id of calls with this token. */
  principal: string;
  kind: "token" | "trainer";
  scopes: Json;
  created_by: string;
  created_at: number;
  rotated_at: number | null;
  expires_at: number | null;
  used_at: number | null;
}

export interface TokenRow {
  hash: string;
  id: string;
  label: string;
  name: string;
  person: string;
  created_at: number;
  expires_at: number;
}

export interface LoginSessionRow {
  hash: string;
  name: string;
  session_key: string;
  key_hash: string;
  created_at: number;
  seen_at: number;
}

export interface SignInKeyRow {
  hash: string;
  name: string;
}

/** Encrypted. */
export interface SecretRow {
  name: string;
  sealed: Json;
  used_at: number | null;
  /** After how many days the value should be replaced. */
  rotate_days: number | null;
}

export interface RunRow {
  id: string;
  name: string | null;
  status: "running" | "finished" | "cancelled";
  started_at: number;
  ended_at: number | null;
  target: string;
  agent: string;
  model: string;
  rows: number;
  repetitions: number;
  steps: number;
  concurrency: number;
  version: string;
  pid: number;
  pass: number | null;
  settings: Json | null;
  tags: Json;
  /** Rollouts that ended, and of those, the ones that were not cancelled and the ones that failed. */
  ended: number;
  finished: number;
  failed: number;
}

/** Statistics of a run. Lists of runs read the short ones. */
export interface RunFiguresRow {
  run: string;
  /** The number of ended rollouts that they cover. */
  ended: number;
  computed_at: number;
  took_ms: number;
  /** The limit of a pass for which they were computed. */
  pass: number | null;
  mean: number | null;
  /** Null for fewer than two rows. */
  standard_error: number | null;
  /** pass@1 */
  pass_rate: number | null;
  masked: number;
  tokens: number;
  cost: number | null;
  figures: Json;
}

/** A rollout. A job that is played again replaces its row. */
export interface RolloutRow {
  run: string;
  row_index: number;
  repetition: number;
  rollout: string;
  row_id: string;
  /** Lower case, for searching. */
  row_search: string;
  seed: string | null;
  agent: string;
  model: string;
  started_at: number;
  /** Null while it is played. */
  ended_at: number | null;
  duration_ms: number;
  steps: number;
  /** Of a masked rollout: lower than any other, so that indexes order it. Read it with `rewardOf`. */
  reward: number;
  /** 1 if a failure leaves the rollout without a reward. */
  masked: number;
  /** Such as `max_steps` or `error: model`. */
  ending: string;
  /** The part before the colon. */
  ending_group: string;
  message: string | null;
  control_failures: number;
  tokens: number;
  cost: number | null;
  /** The parts of the reward, summed over the steps. */
  parts: Json | null;
}

/** What a person wrote about a rollout. */
export interface AnnotationRow {
  id: string;
  run: string;
  rollout: string;
  /** A position in the trace; null for the whole rollout. */
  step: number | null;
  verdict: "good" | "bad" | null;
  body: string;
  author: string;
  created_at: number;
}

export interface TraceEventRow {
  run: string;
  rollout: string;
  sequence: number;
  line: Json;
}

/** One scoring of a run, by name. */
export interface ScoringRow {
  run: string;
  name: string;
  scorer: string;
  scored_at: number;
  summary: Json;
}

/** An episode that is saved after every step. */
export interface EpisodeRow {
  id: string;
  environment: string;
  /** Counts the commits, so that a process that was paused cannot overwrite what others did. */
  revision: number;
  data: string;
  used_at: number;
}

/** What a client or its session calls an episode. */
export interface EpisodeNameRow {
  environment: string;
  name: string;
  /** The id of the episode, or another name. */
  target: string;
  used_at: number;
}

export interface ScoreRow {
  run: string;
  name: string;
  row_index: number;
  repetition: number;
  score: number;
  is_valid: number;
  reason: string | null;
  parts: Json | null;
  cost: number | null;
}

/** A process that serves from this store, or plays rollouts. Others believe that it runs while `seen_at` is recent. */
export interface ProcessRow {
  id: string;
  kind: "server" | "worker";
  /** The name of its machine. */
  name: string;
  version: string;
  /** Where other processes reach it. */
  address: string | null;
  started_at: number;
  /** By the clock of the database, like `at` below. */
  seen_at: number;
  load: Json;
}

/** What one process tells another, or all. */
export interface MessageRow {
  id: Generated<number>;
  at: number;
  sender: string;
  /** Null: every process. */
  recipient: string | null;
  topic: string;
  data: Json;
}

/** A rate limit that all processes share. */
export interface RateBucketRow {
  key: string;
  /** What is left. */
  tokens: number;
  /** What the last request got of what it wanted. */
  granted: number;
  wanted: number;
  per_second: number;
  burst: number;
  at: number;
}

/** A message of an MCP event stream, kept for a client that resumes it. */
export interface StreamEventRow {
  session: string;
  stream: string;
  sequence: number;
  /** Null: the stream ended here. */
  message: string | null;
  at: number;
}
