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

/**
 * A call's line without hashes and closing brace, for `linkLines`. The same entry always gives the same text. It is
 * built from pieces, because an object with all members would take twice as long to make and to convert.
 */
export function formatCallLine(entry: AuditEntry): string {
  const { agent, principal } = entry;
  const input = sortedJson(entry.input, maxInputBytes);
  const identity = identityOf(principal);
  return (
    `{"kind":"call","time":"${timeText(entry.time)}","requestId":${quote(agent.requestId)}` +
    `,"principal":{"kind":${quote(principal.kind)},"id":${quote(principal.id)}` +
    `${identity ? `,"identity":${JSON.stringify(identity)}` : ""}}` +
    `,"agent":{"agentId":${quote(agent.agentId)}${member("model", agent.model)}}` +
    `,"tool":${quote(entry.tool)},"route":${quote(entry.route)}` +
    member("session", entry.session) +
    member("episode", entry.episode) +
    `,"decision":"${decisionOf(entry)}"` +
    (entry.rules
      ? `,"rules":[${entry.rules
          .slice(0, maxRules)
          .map((rule) => quote(rule))
          .join(",")}]`
      : "") +
    member("approvedBy", entry.approvedBy) +
    `,"outcome":"${entry.outcome}"` +
    member("message", entry.message, maxMessageBytes) +
    `,"durationMs":${milliseconds(entry.durationMs)}` +
    (entry.waitedMs === undefined ? "" : `,"waitedMs":${milliseconds(entry.waitedMs)}`) +
    (input.isCut ? `,"isInputCut":true,"input":${JSON.stringify(input.text)}` : `,"input":${input.text}`)
  );
}

/** Members without a value are omitted. */
function member(name: string, text: string | undefined, maxBytes?: number): string {
  return text === undefined ? "" : `,"${name}":${quote(text, maxBytes)}`;
}

function quote(text: string, maxBytes = maxNameBytes): string {
  const shown = short(text, maxBytes);
  return isPlain.test(shown) ? `"${shown}"` : JSON.stringify(shown);
}

/** Text that JSON does not escape. */
const isPlain = /^[ !#-[\]-~]*$/;

/** JSON has no NaN and no infinity. */
function milliseconds(ms: number): number | null {
  const rounded = Math.round(ms * 1000) / 1000;
  return Number.isFinite(rounded) ? rounded : null;
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
