import type { Reply } from "@biplane/core";
import { object, text } from "../../schema/builders.ts";
import { textReply } from "../shared/pack-tool.ts";

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
export const contentOutput = object({ content: text });

export function contentReply(content: string): Reply {
  return textReply(content, { content });
}
