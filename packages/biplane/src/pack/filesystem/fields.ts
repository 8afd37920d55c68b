import { reply, text } from "@biplane/core";
import type { Reply } from "@biplane/core";

export const filesystemPathField = {
  type: "string",
  minLength: 1,
  description: "An absolute path in an allowed directory, or one relative to the first of them (~)",
} as const;

export const patternsField = {
  type: "array",
  items: { type: "string" },
  maxItems: 100,
  default: [],
  description: "Glob patterns to exclude",
} as const;

/** Most tools of this pack return one text, which is also their structured content. */
export const textOutput = {
  type: "object",
  required: ["content"],
  properties: { content: { type: "string" } },
} as const;

export function textReply(content: string): Reply {
  return reply(text(content), { structured: { content } });
}

export const readOnly = { readOnlyHint: true, openWorldHint: false } as const;
