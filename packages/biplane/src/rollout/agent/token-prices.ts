import type { Usage } from "./agent.ts";

/** Dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** For tokens of the prompt that come from the server's cache (default: `input`). */
  readonly cachedInput?: number;
}

/** What a model's use costs, in dollars. */
export function costOf(usage: Usage, { input, output, cachedInput = input }: TokenPrices): number {
  const cached = Math.min(usage.cached_tokens ?? 0, usage.prompt_tokens);
  return ((usage.prompt_tokens - cached) * input + cached * cachedInput + usage.completion_tokens * output) / 1e6;
}
