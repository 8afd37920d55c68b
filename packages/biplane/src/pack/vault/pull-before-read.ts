import { text } from "@biplane/core";
import type { Call } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Sync } from "./sync.ts";

/**
 * Pulls before a read. If the pull fails, the notes can still be read, and the reply contains warnings, which are
 * `syncError` in its structured result.
 */
export async function pullBeforeRead(sync: Sync | undefined, call: Call) {
  try {
    await sync?.pull(call.signal);
    return { warnings: [] };
  } catch (error) {
    call.signal.throwIfAborted();
    const fault = messageOf(error);
    call.log("warning", `The vault could not be updated: ${fault}`);
    const warning = text(`(The vault could not be updated, so this may be outdated: ${fault})`);
    return { fault, warnings: [warning], syncError: { sync_error: fault } };
  }
}
