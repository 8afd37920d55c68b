import type { ServerResponse } from "node:http";
import type { ReadyCheck } from "../server/endpoints.ts";
import { sendJson } from "../transport/http.ts";

/** Answers `/readyz`. It is public, so concurrent requests share one run of the checks and no reason is disclosed. */
export class Readiness {
  readonly #checks: readonly (readonly [string, ReadyCheck])[];
  readonly #withinMs: number;
  #running: Promise<readonly string[]> | undefined;
  #isClosing = false;

  constructor(checks: Readonly<Record<string, ReadyCheck>> = {}, withinMs = 5000) {
    this.#checks = Object.entries(checks);
    this.#withinMs = withinMs;
  }

  answer(response: ServerResponse): void {
    if (this.#isClosing) return sendJson(response, 503, '{"status":"closing"}');
    if (this.#checks.length === 0) return sendJson(response, 200, '{"status":"ok"}');
    this.#running ??= this.#runChecks().finally(() => {
      this.#running = undefined;
    });
    void this.#running.then((failed) => {
      if (failed.length === 0) sendJson(response, 200, '{"status":"ok"}');
      else sendJson(response, 503, JSON.stringify({ status: "unready", failed }));
    });
  }

  /** From now on `/readyz` answers 503. */
  close(): void {
    this.#isClosing = true;
  }

  async #runChecks(): Promise<readonly string[]> {
    const failed = await Promise.all(
      this.#checks.map(async ([name, check]) => ((await passes(check, this.#withinMs)) ? [] : [name])),
    );
    return failed.flat();
  }
}

async function passes(check: ReadyCheck, withinMs: number): Promise<boolean> {
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
