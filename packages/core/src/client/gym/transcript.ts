import type { Content } from "../../tool/content.ts";

/** The state of an episode with foreign servers: the calls and their results, as plain data. */
export interface Transcript {
  readonly calls: readonly PlayedCall[];
}

export interface PlayedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly content: readonly Content[];
  /** `structuredContent` of the result. */
  readonly structured?: unknown;
  /** True if the tool reported an error. It may still have had effects. */
  readonly isError: boolean;
}

/** The last call's structured result, else its text. */
export function lastSeen({ calls }: Transcript): unknown {
  const last = calls.at(-1);
  if (!last) return undefined;
  const texts = last.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { tool: last.tool, result: last.structured ?? texts.join("\n"), ...(last.isError && { isError: true }) };
}
