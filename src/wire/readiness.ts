import type { ServerResponse } from "node:http";
import type { ReadyCheck } from "../server/doors.ts";
import { sendJson } from "../transport/http.ts";

/** Answers `/readyz`. Anyone may ask, so those who ask at once share one look, and no reason is given away. */
export class Readiness {
  readonly #checks: readonly (readonly [string, ReadyCheck])[];
  readonly #withinMs: number;
  #looking: Promise<readonly string[]> | undefined;
  #isClosing = false;

  constructor(checks: Readonly<Record<string, ReadyCheck>> = {}, withinMs = 5000) {
    this.#checks = Object.entries(checks);
    this.#withinMs = withinMs;
  }

  answer(response: ServerResponse): void {
    if (this.#isClosing) return sendJson(response, 503, '{"status":"closing"}');
    if (this.#checks.length === 0) return sendJson(response, 200, '{"status":"ok"}');
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    void this.#looking.then((failed) => {
      if (failed.length === 0) sendJson(response, 200, '{"status":"ok"}');
      else sendJson(response, 503, JSON.stringify({ status: "unready", failed }));
    });
  }

  /** From now on nobody should send requests here. */
  close(): void {
    this.#isClosing = true;
  }

  async #look(): Promise<readonly string[]> {
    const failed = await Promise.all(
      this.#checks.map(async ([name, check]) => ((await isWell(check, this.#withinMs)) ? [] : [name])),
    );
    return failed.flat();
  }
}

async function isWell(check: ReadyCheck, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
  });
  try {
    return (await Promise.race([check(), late])) !== false;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
