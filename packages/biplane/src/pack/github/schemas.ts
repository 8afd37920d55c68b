import type { ValueOf } from "@biplane/core/internal";
import { boolean, integer, list, object, text } from "../../schema/builders.ts";

/** The patterns admit no characters that could change the request URL. */
export const repository = {
  owner: {
    type: "string",
    pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$",
    description: "The user or organisation that owns the repository",
  },
  repo: {
    type: "string",
    pattern: "^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,100}$",
    description: "The repository's name, without its owner",
  },
} as const;

export const labelNames = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 100, pattern: "^[^,\\n\\r]+$" },
  maxItems: 100,
} as const;

export const issueSchema = object({
  number: integer,
  title: text,
  state: text,
  labels: list(text),
  author: text,
  url: text,
  created_at: text,
  pull_request: boolean,
});

export type Issue = ValueOf<typeof issueSchema>;
