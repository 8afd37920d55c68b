import { BiplaneError } from "@biplane/core";
import type { PgBoss } from "pg-boss";

/** Loads the queue, which is an optional package: most installations have no workers. */
export async function loadPgBoss(): Promise<typeof PgBoss> {
  try {
    return (await import("pg-boss")).PgBoss;
  } catch (error) {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      "Queued runs, workers and schedules need a package that is not installed. Run: npm install pg-boss@12.33.7",
      { cause: error },
    );
  }
}
