import { text } from "@biplane/core";
import type { Call } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { TextContent } from "@biplane/core/internal";
import type { Sync } from "./sync.ts";

export interface PullOutcome {
  readonly fault?: string;
  /** Warnings to show with the result. */
  readonly warnings: readonly TextContent[];
  /** The same in the structured result. */
  readonly syncError?: { readonly sync_error: string };
}

/** Pulls before a read. If the pull fails, the notes can still be read, and the reply contains a warning. */
export async function pullBeforeRead(sync: Sync | undefined, call: Call): Promise<PullOutcome> {
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
