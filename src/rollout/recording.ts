import { appendFile, readFile } from "node:fs/promises";
import { BiplaneError } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Message } from "./message.ts";

/** What was recorded of one rollout: the whole conversation. */
export interface RecordedEpisode {
  readonly messages: readonly Message[];
}

/** A recording in Eval Protocol's format: a line for every step, with everything said so far. By number of the rollout. */
export async function readRecording(file: string): Promise<ReadonlyMap<string, RecordedEpisode>> {
  return parseRecording(await readFile(file, "utf8"), file);
}

export function parseRecording(text: string, name = "the recording"): ReadonlyMap<string, RecordedEpisode> {
  const longest = new Map<string, { step: number; messages: readonly Message[] }>();
  for (const line of text.split("\n")) {
    const entry = readLine(line);
    if (!entry) continue;
    const known = longest.get(entry.key);
    if (!known || entry.step >= known.step) longest.set(entry.key, entry);
  }
  if (longest.size === 0)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${name} has no line with env_index, step and messages: nothing can be played back`,
    );
  return longest;
}

/** Lines of a recording, written after the steps they are of. */
export class RecordingWriter {
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(file: string) {
    this.#file = file;
  }

  write(index: number, step: number, messages: readonly Message[]): void {
    const line = `${JSON.stringify({ env_index: index, step, messages })}\n`;
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

/** A line, or nothing where it is not one: others skip bad lines too. */
function readLine(line: string): { key: string; step: number; messages: readonly Message[] } | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(entry)) return undefined;
  const { env_index: index, step, messages } = entry;
  const isEntry = (typeof index === "number" || typeof index === "string") && typeof step === "number";
  if (
    !isEntry ||
    !Array.isArray(messages) ||
    !messages.every((each) => isObject(each) && typeof each["role"] === "string")
  )
    return undefined;
  return { key: String(index), step, messages: messages as Message[] };
}
