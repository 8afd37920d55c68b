import { hash } from "node:crypto";
import { isRecord } from "@biplane/core/internal";
import type { AuditCall, AuditLine } from "./write-line.ts";

/** A record in the common format of SEP-3004, which tools other than Biplane can verify. */
export interface AuditRecord {
  readonly event_id: string;
  readonly occurred_at: string;
  readonly principal_id: string;
  readonly event_type: string;
  readonly tool_name: string | null;
  readonly outcome: "allowed" | "denied" | "deferred" | "error";
  readonly extensions: Readonly<Record<string, Readonly<Record<string, string | boolean | null>>>>;
  readonly previous_hash: string | null;
  readonly event_hash: string;
}

/** The version of the canonical form. */
export const canonicalFormVersion = "audit-record-contract/1";

/** The record of a line of our log. Its `event_id` is the hash of the line, so that each leads to the other. */
export function recordOf(line: AuditLine, previous: string | null): AuditRecord {
  const shared = { event_id: line.hash, occurred_at: line.time, previous_hash: previous };
  return sealed(line.kind === "call" ? { ...shared, ...callFields(line) } : { ...shared, ...gapFields(line.count) });
}

/** Returns the hash of a record that is intact and follows `previous`, or why not. */
export function checkRecord(record: unknown, previous: string | null): { hash: string } | { why: string } {
  if (!isRecord(record)) return { why: "it is not an object" };
  const missing = [...protectedFields, "event_hash"].find((field) => !(field in record));
  if (missing !== undefined) return { why: `it has no ${missing}` };
  const extensions = isRecord(record["extensions"]) ? Object.entries(record["extensions"]) : [];
  if (extensions.length === 0) return { why: "it has no extensions" };
  for (const [name, fields] of extensions) {
    const required = Object.hasOwn(requiredFields, name) ? requiredFields[name] : undefined;
    if (!required || !isRecord(fields)) return { why: `its extension ${JSON.stringify(name.slice(0, 64))} is unknown` };
    const lacks = required.find((field) => fields[field] === undefined || fields[field] === null);
    if (lacks !== undefined) return { why: `its extension ${name} has no ${lacks}` };
  }
  const canonical = canonicalForm(record);
  if ("why" in canonical) return canonical;
  const digest = hash("sha256", canonical.text);
  if (record["event_hash"] !== digest) return { why: "it was changed: its event_hash does not match its content" };
  if (record["previous_hash"] === previous) return { hash: digest };
  return { why: "it does not follow the record before: a record was changed, removed, added or moved" };
}

/** The bytes that `event_hash` covers: sorted keys, no spaces, and only strings, booleans and null. */
export function canonicalForm(
  record: Readonly<Record<string, unknown>>,
): { readonly text: string } | { readonly why: string } {
  try {
    const body = Object.fromEntries(protectedFields.map((field) => [field, record[field]]));
    return { text: canonical(body, 0) };
  } catch (error) {
    if (error instanceof NotCanonical) return { why: error.message };
    throw error;
  }
}

class NotCanonical extends Error {}

const protectedFields = [
  "event_id",
  "occurred_at",
  "principal_id",
  "event_type",
  "tool_name",
  "outcome",
  "extensions",
  "previous_hash",
];

/** The registered extensions, with the fields that each must have. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  "caller-governance": ["purpose_declared"],
  "runtime-security": ["drift_status", "severity", "quarantine_decision", "policy_id"],
  "admission-control": [],
};

function canonical(value: unknown, depth: number): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(canonicalText(value));
  if (!isRecord(value) || depth > 8) throw new NotCanonical("it has a value that is neither text, boolean nor null");
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], depth + 1)}`);
  return `{${members.join(",")}}`;
}

function canonicalText(text: string): string {
  if (text.length > 2 * maxLength || /[\p{Cc}\p{Surrogate}]/u.test(text))
    throw new NotCanonical("it has a text with control characters, or one that is too long");
  const normal = text.normalize("NFC").replaceAll(/^ +| +$/g, "");
  if (normal.length > maxLength) throw new NotCanonical(`it has a text of more than ${maxLength} characters`);
  return normal;
}

const maxLength = 8192;

function sealed(record: Omit<AuditRecord, "event_hash">): AuditRecord {
  const form = canonicalForm(record);
  if ("why" in form) throw new TypeError(`An audit record cannot be written: ${form.why}`);
  return { ...record, event_hash: hash("sha256", form.text) };
}

type RecordFields = Pick<AuditRecord, "principal_id" | "event_type" | "tool_name" | "outcome" | "extensions">;

function callFields(line: AuditCall): RecordFields {
  const { principal, tool, session, approvedBy, decision } = line;
  const client = principal.identity?.clientId;
  return {
    principal_id: plain(`${principal.kind}:${principal.id}`),
    event_type: "tool_call",
    tool_name: plain(tool),
    outcome: outcomeOf(line),
    extensions: {
      "caller-governance": {
        purpose_declared: "not declared", // MCP has no field for it.
        flagged: decision === "asked" || decision === "approved" || decision === "rejected",
        ...(session !== undefined && { session_id: plain(session) }),
        ...(client !== undefined && { invoked_by_principal_id: plain(client) }),
        ...(approvedBy !== undefined && { human_actor_id: plain(approvedBy) }),
      },
    },
  };
}

function gapFields(count: number): RecordFields {
  const purpose = { purpose_declared: `${count} records were lost`, flagged: true };
  const extensions = { "caller-governance": purpose };
  return { principal_id: "biplane", event_type: "records_lost", tool_name: null, outcome: "error", extensions };
}

/** What governance decided. A tool that ran and failed was allowed. */
function outcomeOf({ decision, outcome }: AuditCall): AuditRecord["outcome"] {
  if (decision === "asked" || outcome === "suspended") return "deferred";
  if (decision !== "allowed" && decision !== "approved") return "denied";
  return outcome === "INTERNAL" ? "error" : "allowed";
}

/** Replaces what the canonical form does not allow. */
function plain(text: string): string {
  return text.slice(0, maxLength).replaceAll(/[\p{Cc}\p{Surrogate}]/gu, "\u{FFFD}");
}
