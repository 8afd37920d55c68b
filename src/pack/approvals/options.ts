import type { JsonObject } from "../../tool/schema.ts";

/** Nothing is to be said: the queue and its address are the house's own. */
export const approvalsOptions: JsonObject = { type: "object", additionalProperties: false, properties: {} };
