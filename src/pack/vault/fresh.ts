import { messageOf } from "../../errors.ts";
import type { Call } from "../../tool/call.ts";
import { text } from "../../tool/content.ts";
import type { TextContent } from "../../tool/content.ts";
import type { Vault } from "./pack.ts";

/** Pulls before something is read. A failure does not keep the notes from being read; the reader is told. */
export async function freshen({ sync }: Vault, call: Call): Promise<Freshness> {
  if (!sync) return { fault: undefined, notes: [] };
  try {
    await sync.pull(call.signal);
    return { fault: undefined, notes: [] };
  } catch (error) {
    call.signal.throwIfAborted();
    const fault = messageOf(error);
    call.log("warning", `The vault could not be brought up to date: ${fault}`);
    return { fault, notes: [text(`(The vault could not be brought up to date, this may be old: ${fault})`)] };
  }
}

export interface Freshness {
  readonly fault: string | undefined;
  /** To be shown beside the answer. */
  readonly notes: readonly TextContent[];
}

/** The part of a structured answer that tells of it. */
export const faultField = {
  type: "string",
  description: "Why the vault could not be brought up to date; left out where it could",
} as const;
