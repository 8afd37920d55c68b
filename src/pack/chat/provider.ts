import type { ChatTarget } from "./target.ts";

/** A way to send messages. */
export interface Provider {
  readonly name: string;
  /** What ids of this provider look like. */
  readonly idPattern: RegExp;
  readonly targets: readonly string[];
  /** The longest message, in UTF-16 units. */
  readonly limit: number;
  /** Whether code blocks mean something there. */
  readonly fences: boolean;
  /** Finds where messages for a target go, and gives a function that sends one and tells its id. */
  open(target: ChatTarget, signal: AbortSignal): Promise<(message: string) => Promise<string>>;
}
