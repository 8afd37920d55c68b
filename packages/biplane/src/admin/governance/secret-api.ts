import { described, enumOf, integer, named, object, orNull, text, time } from "../../schema/builders.ts";
import { pageOf, pageQuery } from "../http/operation.ts";
import type { Operations } from "../http/operation.ts";

const Secret = named(
  "Secret",
  object(
    { name: text, source: enumOf("environment", "store") },
    {
      updatedAt: time,
      lastUsedAt: described("By this process, or by others up to half a minute ago", time),
      rotateDays: described("After how many days the value should be replaced", integer),
    },
  ),
);

const rotateDays = described(
  "After how many days the value should be replaced; null for never (default: as before)",
  orNull({ type: "integer", minimum: 1, maximum: 3660 }),
);

/** Secrets by name. No response contains a value. */
export const secretOperations = {
  "GET /api/secrets": {
    scope: "secrets",
    summary: "names of secrets",
    query: pageQuery,
    response: pageOf("secrets", Secret),
  },
  "GET /api/secrets/:name": { scope: "secrets", summary: "source of a secret, never its value", response: Secret },
  "PUT /api/secrets/:name": {
    scope: "secrets",
    summary: "set a secret",
    body: object({ value: text }, { rotateDays }),
  },
  "DELETE /api/secrets/:name": { scope: "secrets", summary: "delete a secret from the store" },
} as const satisfies Operations;
