import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { needsPostgres, startPostgres } from "./postgres.ts";
import type { TestPostgres } from "./postgres.ts";

/** Locations and stores of one engine. All are closed and deleted after the tests. */
export interface EngineUnderTest {
  /** A location where nothing is. */
  readonly location: () => Promise<string>;
  /** A new store, or another connection to one. */
  readonly open: (location?: string) => Promise<SqlStore>;
}

/** Runs the same tests on SQLite and on Postgres. */
export function describeEngines(what: string, tests: (engine: EngineUnderTest) => void): void {
  describe(`${what} on SQLite`, () => {
    const folder = mkdtempSync(join(tmpdir(), "biplane-store-"));
    let files = 0;
    tests(underTest(async () => join(folder, `${++files}.db`)));
    afterAll(() => rmSync(folder, { recursive: true }));
  });
  describe(`${what} on Postgres`, needsPostgres, () => {
    let postgres: TestPostgres | undefined;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 120_000);
    afterAll(() => postgres?.[Symbol.asyncDispose]());
    tests(underTest(async () => (postgres as TestPostgres).database()));
  });
}

function underTest(location: () => Promise<string>): EngineUnderTest {
  const open: SqlStore[] = [];
  afterAll(async () => {
    for (const store of open) await store.close();
  });
  return {
    location,
    async open(at) {
      const store = await openStore(at ?? (await location()));
      open.push(store);
      return store;
    },
  };
}
