import type { Done, JsonObject, Outcome } from "@biplane/core/internal";
import { failedResult, foreignFailure, isReply } from "@biplane/core/internal";
import type { Content } from "@biplane/core";
import { boundedJson, boundedText } from "./bounded-json.ts";
import type { ResultBody } from "./call-api.ts";

/** A shortened result. It is converted to MCP format only when someone views it. */
export type LoggedResult =
  | { readonly kind: "text"; readonly text: string; readonly isJson: boolean }
  | { readonly kind: "parts"; readonly json: string };

/** The full outcome in MCP format; null if the call was cancelled or asks a question. */
export function resultOfOutcome(outcome: Outcome): ResultBody | null {
  if (outcome.status === "done") return resultOf(outcome);
  if (outcome.status === "suspended" || outcome.error.code === "CANCELLED") return null;
  const foreign = outcome.error.details?.[foreignFailure] as Partial<ResultBody> | undefined;
  if (Array.isArray(foreign?.content)) return foreign as ResultBody;
  return failedResult(outcome.error) as object as ResultBody;
}

/** The full result in MCP format. */
function resultOf({ value, content }: Done): ResultBody {
  const { structured, meta, more } = isReply(value) ? value : { structured: value, meta: undefined, more: undefined };
  const isInContent = structured === undefined || (!isReply(value) && typeof value === "string");
  return {
    content: content as readonly object[] as readonly JsonObject[],
    ...(!isInContent && { structuredContent: structured }),
    ...(more?.["isError"] === true && { isError: true }),
    ...(meta && { _meta: meta }),
  };
}

/** The result, cut to about `maxLength` characters. Most results are a single text, which is not copied. */
export function toLoggedResult(done: Done, maxLength: number): LoggedResult {
  const { value, content } = done;
  const [only] = content;
  if (content.length === 1 && only?.type === "text" && !isReply(value)) {
    const isJson = typeof value !== "string" && only.text.length <= maxLength;
    return { kind: "text", text: boundedText(only.text, maxLength), isJson };
  }
  const parts = content.map((part) => withoutLongData(part, maxLength));
  return { kind: "parts", json: boundedJson({ ...resultOf(done), content: parts }, maxLength) };
}

export function loggedSize(logged: LoggedResult): number {
  return logged.kind === "text" ? logged.text.length : logged.json.length;
}

export function fromLoggedResult(logged: LoggedResult): ResultBody {
  if (logged.kind === "parts") return readParts(logged.json);
  const content = [{ type: "text", text: logged.text }];
  return logged.isJson ? { content, structuredContent: JSON.parse(logged.text) as unknown } : { content };
}

/** A truncated image is useless, so replace it. */
function withoutLongData(part: Content, maxLength: number): Content {
  if (!("data" in part) || part.data.length <= maxLength / 2) return part;
  return { type: "text", text: `(${part.mimeType}, ${part.data.length} characters of base64, not logged)` };
}

/** Cutting may have broken the structure. */
function readParts(json: string): ResultBody {
  const read = JSON.parse(json) as Partial<ResultBody> | string;
  if (typeof read === "object" && Array.isArray(read.content)) {
    const isPart = (part: unknown): part is JsonObject => typeof part === "object" && part !== null;
    return {
      ...read,
      content: read.content.map((part) => (isPart(part) ? part : { type: "text", text: String(part) })),
    };
  }
  return { content: [{ type: "text", text: boundedText(json, 1000) }] };
}
