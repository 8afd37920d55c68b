import { afterAll, beforeAll, describe } from "vitest";
import { needsPostgres, startPostgres } from "./postgres.ts";
import type { TestPostgres } from "./postgres.ts";

export interface PostgresSuiteOptions {
  /** Time limit of each test in milliseconds. */
  readonly timeout?: number;
}

/** A suite with a Postgres server of its own, skipped where none runs. */
export function describePostgres(
  title: string,
  tests: (postgres: () => TestPostgres) => void,
  options: PostgresSuiteOptions = {},
): void {
  describe.each([title])("%s", { ...needsPostgres, ...options }, () => {
    let started: TestPostgres | undefined;
    beforeAll(async () => {
      started = await startPostgres();
    }, 120_000);
    afterAll(() => started?.[Symbol.asyncDispose]());
    tests(() => {
      if (!started) throw new Error("Postgres did not start.");
      return started;
    });
  });
}
