import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { describePostgres } from "./describe-postgres.ts";

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
  describePostgres(`${what} on Postgres`, (postgres) => tests(underTest(() => postgres().database())));
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
