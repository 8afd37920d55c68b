import type { Done, Outcome } from "../call/outcome.ts";
import { foreignFailure } from "../server/foreign.ts";
import { isReply } from "../tool/content.ts";
import type { Content } from "../tool/content.ts";
import type { JsonObject } from "../tool/schema.ts";
import { boundedJson, boundedText } from "./call-json.ts";
import type { ShownResult } from "./contract.ts";

/** A result as it is kept: short, and made into MCP's shape only when somebody looks. */
export type KeptResult =
  | { readonly kind: "text"; readonly text: string; readonly isJson: boolean }
  | { readonly kind: "parts"; readonly json: string };

/** What a call came to, whole, as MCP would say it; null where it would say nothing or ask something. */
export function resultOfOutcome(outcome: Outcome): ShownResult | null {
  if (outcome.status === "done") return resultOf(outcome);
  if (outcome.status === "suspended" || outcome.error.code === "CANCELLED") return null;
  const { message, details } = outcome.error;
  const foreign = details?.[foreignFailure] as Partial<ShownResult> | undefined;
  if (Array.isArray(foreign?.content)) return foreign as ShownResult;
  return { content: [{ type: "text", text: `Error: ${message}` }], isError: true };
}

/** What a call answered, in MCP's shape and whole. */
function resultOf({ value, content }: Done): ShownResult {
  const { structured, meta, more } = isReply(value) ? value : { structured: value, meta: undefined, more: undefined };
  const isSaid = structured === undefined || (!isReply(value) && typeof value === "string");
  return {
    content: content as readonly object[] as readonly JsonObject[],
    ...(!isSaid && { structuredContent: structured }),
    ...(more?.["isError"] === true && { isError: true }),
    ...(meta && { _meta: meta }),
  };
}

/** The same in at most about `most` characters. Most results are one text, which needs no copy. */
export function keepResult(done: Done, most: number): KeptResult {
  const { value, content } = done;
  const [only] = content;
  if (content.length === 1 && only?.type === "text" && !isReply(value)) {
    const isJson = typeof value !== "string" && only.text.length <= most;
    return { kind: "text", text: boundedText(only.text, most), isJson };
  }
  const parts = content.map((part) => withoutLongData(part, most));
  return { kind: "parts", json: boundedJson({ ...resultOf(done), content: parts }, most) };
}

export function sizeOf(kept: KeptResult): number {
  return kept.kind === "text" ? kept.text.length : kept.json.length;
}

export function shownResult(kept: KeptResult): ShownResult {
  if (kept.kind === "parts") return readParts(kept.json);
  const content = [{ type: "text", text: kept.text }];
  return kept.isJson ? { content, structuredContent: JSON.parse(kept.text) as unknown } : { content };
}

/** Half a picture is none. */
function withoutLongData(part: Content, most: number): Content {
  if (!("data" in part) || part.data.length <= most / 2) return part;
  return { type: "text", text: `(${part.mimeType}, ${part.data.length} characters of base64, not kept)` };
}

/** What was cut may no longer be a result. */
function readParts(json: string): ShownResult {
  const read = JSON.parse(json) as Partial<ShownResult> | string;
  if (typeof read === "object" && Array.isArray(read.content)) {
    const isPart = (part: unknown): part is JsonObject => typeof part === "object" && part !== null;
    return {
      ...read,
      content: read.content.map((part) => (isPart(part) ? part : { type: "text", text: String(part) })),
    };
  }
  return { content: [{ type: "text", text: boundedText(json, 1000) }] };
}
