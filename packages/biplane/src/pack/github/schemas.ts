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

export const issueSchema = {
  type: "object",
  required: ["number", "title", "state", "labels", "author", "url", "created_at", "pull_request"],
  properties: {
    number: { type: "integer" },
    title: { type: "string" },
    state: { type: "string" },
    labels: { type: "array", items: { type: "string" } },
    author: { type: "string" },
    url: { type: "string" },
    created_at: { type: "string" },
    pull_request: { type: "boolean" },
  },
} as const;
