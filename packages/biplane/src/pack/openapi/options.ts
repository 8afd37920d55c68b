import type { ValueOf } from "@biplane/core/internal";
import { object } from "../../schema/builders.ts";
import { cassetteMembers } from "../shared/net/open-cassette.ts";
import { allowedHosts, count, names, optionsOf, path } from "../shared/options.ts";

const url = { type: "string", pattern: "^https?://" } as const;

/** One API and how its tools call it. */
const api = object(
  {},
  {
    file: path("The OpenAPI document, as YAML or JSON. Give this or `url`"),
    url: { ...url, description: "Where to fetch the document from" },
    baseUrl: {
      ...url,
      description:
        "Where the API is (default: the first of the document's `servers`). Its host may be internal. Needed with `credentials`, unless the API is where the document is fetched from",
    },
    credentials: {
      type: "object",
      additionalProperties: { type: "string", minLength: 1, writeOnly: true },
      description:
        "Keys and tokens by the name of their security scheme, such as `bearerAuth: ${SHOP_TOKEN}`. For `basic`: `user:password`",
    },
    headers: {
      type: "object",
      additionalProperties: { type: "string", writeOnly: true },
      description: "More headers of every request",
    },
    prefix: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]{0,32}$",
      description: "Beginning of the tools' names (default: none for one API, otherwise its name and `_`)",
    },
    tags: {
      type: "object",
      additionalProperties: { enum: ["allow", "ask", "deny", "hide"] },
      description:
        "What happens to calls, by tag; `*` is for all others. `ask` waits for a person, `hide` makes no tool (default: allow). With several tags, the strictest holds",
    },
    operations: names(["*"], "Which operations become tools, as patterns of their names: `orders_*`, `!orders_delete`"),
  },
);

export const openapiOptions = optionsOf(
  { apis: { type: "object", additionalProperties: api, minProperties: 1, description: "APIs by name" } },
  {
    allow: allowedHosts,
    timeoutMs: { ...count(30_000, "Time limit of a request in milliseconds"), maximum: 600_000 },
    maxBytes: count(2 ** 20, "Maximum size of a response in bytes"),
    maxOperations: { ...count(1000, "Maximum number of tools of one API"), maximum: 5000 },
    ...cassetteMembers,
  },
);

export type OpenapiOptions = ValueOf<typeof openapiOptions>;
export type OpenapiSettings = ValueOf<typeof openapiOptions, true>;
