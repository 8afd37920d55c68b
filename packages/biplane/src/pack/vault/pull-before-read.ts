import { messageOf } from "@biplane/core/internal";
import type { Call } from "@biplane/core";
import { text } from "@biplane/core";
import type { TextContent } from "@biplane/core/internal";
import type { Vault } from "./pack.ts";

/** Pulls before a read. If the pull fails, the notes can still be read, and the reply contains a warning. */
export async function pullBeforeRead({ sync }: Vault, call: Call): Promise<PullOutcome> {
  if (!sync) return { fault: undefined, notes: [] };
  try {
    await sync.pull(call.signal);
    return { fault: undefined, notes: [] };
  } catch (error) {
    call.signal.throwIfAborted();
    const fault = messageOf(error);
    call.log("warning", `The vault could not be updated: ${fault}`);
    return { fault, notes: [text(`(The vault could not be updated, so this may be outdated: ${fault})`)] };
  }
}

export interface PullOutcome {
  readonly fault: string | undefined;
  /** Warnings to show with the result. */
  readonly notes: readonly TextContent[];
}

/** Schema of the `sync_error` field. */
export const syncErrorField = {
  type: "string",
  description: "Why the vault could not be updated; absent on success",
} as const;
