import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";

export const pathField = {
  type: "string",
  minLength: 1,
  description: "An absolute path in an allowed directory, or one relative to the first of them (~)",
} as const;

export const patternsField = {
  type: "array",
  items: { type: "string" },
  default: [],
  description: "Glob patterns of what to leave out",
} as const;

/** Most tools of this pack answer with one text, which is also their structured content. */
export const textOutput = {
  type: "object",
  required: ["content"],
  properties: { content: { type: "string" } },
} as const;

export function answer(content: string): Reply {
  return reply(text(content), { structured: { content } });
}

export const readOnly = { readOnlyHint: true, openWorldHint: false } as const;
