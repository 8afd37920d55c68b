import { sortedJson, cutToBytes } from "./sorted-json.ts";
import type { AuditEntry, AuditOutcome } from "@biplane/core/internal";
import type { AuditDecision } from "./decision.ts";
import { decisionOf } from "./decision.ts";

/** A line of the log as it is read back. Members without a value are omitted. */
export type AuditLine = AuditCall | AuditGap;

export interface AuditCall extends ChainedLine {
  readonly kind: "call";
  /** ISO 8601. */
  readonly time: string;
  readonly requestId: string;
  readonly principal: AuditEntry["principal"];
  readonly agent: { readonly agentId: string; readonly model?: string };
  readonly tool: string;
  readonly route: AuditEntry["route"];
  readonly session?: string;
  readonly episode?: string;
  readonly decision: AuditDecision;
  /** The rules that decided, in the order of the policies. */
  readonly rules?: readonly string[];
  readonly approvedBy?: string;
  readonly outcome: AuditOutcome;
  readonly message?: string;
  readonly durationMs: number;
  /** The part of `durationMs` that the call waited for people, if it did. */
  readonly waitedMs?: number;
  /** If the input is too long, this is the start of its JSON as a string. */
  readonly input: unknown;
  readonly isInputCut?: true;
}

/** Replaces calls that could not be recorded: how many, and when the first one was made. */
export interface AuditGap extends ChainedLine {
  readonly kind: "lost";
  readonly time: string;
  readonly count: number;
}

/** The hashes that link a line to the previous one. */
interface ChainedLine {
  readonly previous: string;
  readonly hash: string;
}

/** A call's line without hashes and closing brace, for `linkLines`. The same entry always gives the same text. */
export function formatCallLine(entry: AuditEntry): string {
  const { agent, principal } = entry;
  const input = sortedJson(entry.input, maxInputBytes);
  const members = {
    kind: "call",
    time: timeText(entry.time),
    requestId: short(agent.requestId),
    principal: { kind: principal.kind, id: short(principal.id), identity: identityOf(principal) },
    agent: { agentId: short(agent.agentId), model: agent.model === undefined ? undefined : short(agent.model) },
    tool: short(entry.tool),
    route: entry.route,
    session: entry.session === undefined ? undefined : short(entry.session),
    episode: entry.episode === undefined ? undefined : short(entry.episode),
    decision: decisionOf(entry),
    rules: entry.rules?.slice(0, maxRules).map((rule) => short(rule)),
    approvedBy: entry.approvedBy === undefined ? undefined : short(entry.approvedBy),
    outcome: entry.outcome,
    message: entry.message === undefined ? undefined : short(entry.message, maxMessageBytes),
    durationMs: Math.round(entry.durationMs * 1000) / 1000,
    waitedMs: entry.waitedMs === undefined ? undefined : Math.round(entry.waitedMs * 1000) / 1000,
    isInputCut: input.isCut || undefined,
  };
  return `${JSON.stringify(members).slice(0, -1)},"input":${input.isCut ? JSON.stringify(input.text) : input.text}`;
}

/** What an OAuth token proved. Members without a value are omitted. */
function identityOf({ identity }: AuditEntry["principal"]): AuditEntry["principal"]["identity"] {
  if (!identity) return undefined;
  const { issuer, subject, clientId, keyThumbprint } = identity;
  const shorten = (text: string | undefined) => (text === undefined ? undefined : short(text));
  return { issuer: short(issuer), subject: shorten(subject), clientId: shorten(clientId), keyThumbprint };
}

/** The line for lost entries, in the same unfinished form. */
export function formatGapLine(count: number, time: number): string {
  return JSON.stringify({ kind: "lost", time: timeText(time), count }).slice(0, -1);
}

const maxInputBytes = 8 * 1024;
const maxMessageBytes = 2 * 1024;
const maxNameBytes = 512;
const maxRules = 20;

function short(text: string, maxBytes = maxNameBytes): string {
  const start = cutToBytes(text, maxBytes);
  return start.length < text.length ? `${start}…` : text;
}

/** Many lines have the same time. */
function timeText(time: number): string {
  if (time === lastTime) return lastText;
  const date = new Date(time);
  lastTime = time;
  lastText = Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
  return lastText;
}

let lastTime: number | undefined;
let lastText = "";
