import type { Content } from "../../tool/content.ts";

/** The state of an episode with foreign servers: what was called, and what came of it. Plain data. */
export interface Transcript {
  readonly calls: readonly PlayedCall[];
}

export interface PlayedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly content: readonly Content[];
  /** The value for programs, where the server gave one. */
  readonly structured?: unknown;
  /** Whether the tool said that it failed. What it did before that may have happened. */
  readonly isError: boolean;
}

/** What the agent sees of the last call: the value for programs, else the text. */
export function lastSeen({ calls }: Transcript): unknown {
  const last = calls.at(-1);
  if (!last) return undefined;
  const said = last.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { tool: last.tool, result: last.structured ?? said.join("\n"), ...(last.isError && { isError: true }) };
}
