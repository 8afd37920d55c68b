import type { ChatTarget } from "./target.ts";

/** A chat service. */
export interface ChatProvider {
  readonly name: string;
  /** The format of ids. */
  readonly idPattern: RegExp;
  readonly targets: readonly string[];
  /** Maximum message length in UTF-16 units. */
  readonly limit: number;
  /** True if the service renders code fences. */
  readonly fences: boolean;
  /** Resolves a target. Returns a function that sends a message and returns its id. */
  open(target: ChatTarget, signal: AbortSignal): Promise<(message: string) => Promise<string>>;
}
