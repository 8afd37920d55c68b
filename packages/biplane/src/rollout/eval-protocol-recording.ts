import { appendFile, readFile } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import type { ChatMessage } from "./message.ts";
import { isRecord, noJsonLimits, tryParseJson } from "@biplane/core/internal";

/** One recorded rollout. */
export interface RecordedEpisode {
  readonly messages: readonly ChatMessage[];
}

/** Reads a recording in Eval Protocol's format: one line per step, with all messages so far. Keyed by rollout number. */
export async function readRecording(file: string): Promise<ReadonlyMap<string, RecordedEpisode>> {
  return parseRecording(await readFile(file, "utf8"), file);
}

export function parseRecording(text: string, name = "The recording"): ReadonlyMap<string, RecordedEpisode> {
  const longest = new Map<string, { step: number; messages: readonly ChatMessage[] }>();
  for (const line of text.split("\n")) {
    const entry = readLine(line);
    if (!entry) continue;
    const known = longest.get(entry.key);
    // A first step after others belongs to another attempt.
    if (!known || entry.step >= known.step || entry.step === 0) longest.set(entry.key, entry);
  }
  if (longest.size === 0)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${name} has no line with env_index, step and messages. It is not a recording.`,
    );
  return longest;
}

/** Appends values to a file in order, one JSON text per line. */
export class LineFile {
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(file: string) {
    this.#file = file;
  }

  append(value: unknown): void {
    const line = `${JSON.stringify(value)}\n`;
    this.#writing = this.#writing
      .then(() => appendFile(this.#file, line))
      .catch((error: unknown) => {
        this.#failure ??= error;
      });
  }

  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** Parses a line. Invalid lines are skipped, as in Eval Protocol. */
function readLine(line: string): { key: string; step: number; messages: readonly ChatMessage[] } | undefined {
  const entry = tryParseJson(line, { limits: noJsonLimits });
  if (!isRecord(entry)) return undefined;
  const { env_index: index, step, messages } = entry;
  const isEntry = (typeof index === "number" || typeof index === "string") && typeof step === "number";
  if (
    !isEntry ||
    !Array.isArray(messages) ||
    !messages.every((each) => isRecord(each) && typeof each["role"] === "string")
  )
    return undefined;
  return { key: String(index), step, messages: messages as ChatMessage[] };
}
