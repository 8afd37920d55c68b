import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { DatabaseSync } from "@photostructure/sqlite";

/** Makes the file readable by its owner only: it holds inputs, tokens and decisions. Returns its size. */
export function prepareFile(file: string): number {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  const before = statSync(file, { throwIfNoEntry: false });
  if (before?.isFile() && before.size === 0 && Date.now() - before.mtimeMs > creationMs)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The store ${file} is empty. Restore it from a backup, or delete the file to start a new store.`,
    );
  // SQLite gives its other files the mode of this one.
  if (!before) closeSync(openSync(file, "a", 0o600));
  else if (before.isFile() && process.platform !== "win32" && (before.mode & 0o077) !== 0) restrict(file);
  return before?.size ?? 0;
}

/** Another process may be creating the file at this moment. */
const creationMs = 10_000;

/** Checks every page of a store that exists. */
export function checkStoreFile(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  checkPages(database, file);
  database.close();
}

/** Throws if pages of the file are damaged. */
export function checkPages(database: InstanceType<typeof DatabaseSync>, file: string): void {
  const fault = faultIn(database);
  if (fault === undefined) return;
  database.close();
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `The store ${file} is damaged: ${fault}. Restore it from a backup, or move the file away to start a new store.`,
  );
}

function faultIn(database: InstanceType<typeof DatabaseSync>): string | undefined {
  try {
    const row = database.prepare("pragma quick_check(1)").get() as { quick_check: string };
    return row.quick_check === "ok" ? undefined : row.quick_check.split("\n").at(-1);
  } catch (error) {
    const code = (error as { errcode?: unknown }).errcode;
    // The first use of the database reports other errors, such as a missing permission.
    return code === corrupt || code === notADatabase ? messageOf(error) : undefined;
  }
}

const corrupt = 11;
const notADatabase = 26;

/** Only the owner can change the mode of a file. Another user may still be allowed to use it. */
function restrict(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}
