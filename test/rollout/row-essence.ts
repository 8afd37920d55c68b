import { setupOf } from "../../packages/biplane/src/rollout/row.ts";
import type { Row } from "../../packages/biplane/src/rollout/row.ts";

/** What of a row decides how it is played. */
export function essence(row: Row, at = 0) {
  const { id, seed, context, template } = setupOf(row, at);
  return { id, seed, context, template, messages: row.messages };
}
