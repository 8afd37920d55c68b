import { BiplaneError } from "../errors.ts";
import type { Beginning, Door } from "./door/door.ts";

export interface BeginOptions {
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly onDoor: (door: Door) => void;
}

/** Begins an episode. Where that fails for a reason that may pass, what was opened is closed, and it is tried again. */
export async function beginWithRetries(open: () => Door, options: BeginOptions): Promise<Beginning> {
  const { signal, sleep, random, onDoor } = options;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const door = open();
    onDoor(door);
    try {
      return await door.start(signal);
    } catch (error) {
      await door.end();
      if (attempt >= mostAttempts || signal.aborted || !mayPass(error)) throw error;
      await sleep(2 ** attempt * 50 * (0.5 + random()), signal);
    }
  }
}

const mostAttempts = 4;

/** What is wrong with the row, or forbidden, stays so. */
function mayPass(error: unknown): boolean {
  return !(error instanceof BiplaneError && lasting.includes(error.code));
}

const lasting: readonly string[] = ["INVALID_INPUT", "INVALID_DEFINITION", "UNAUTHORIZED", "NOT_SUPPORTED"];
