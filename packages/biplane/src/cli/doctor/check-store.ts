import { existsSync, statSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readKey } from "../../governance/secrets/key.ts";
import type { Config } from "../../config/config-schema.ts";
import { messageOf } from "@biplane/core/internal";
import { isPostgres, openStore } from "../../store/sql-store.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { explainError } from "../terminal/explain-error.ts";
import type { Finding } from "./finding.ts";
import { note, ok, failure } from "./finding.ts";

/** Checks the store, the key of its secrets and its accounts. Never creates any of them. */
export async function checkStore({ store, secrets }: Pick<Config, "store" | "secrets">): Promise<Finding[]> {
  if (store === undefined || store === ":memory:")
    return [
      note(
        "store",
        "not configured; approvals, secrets and accounts are lost when the process ends",
        "add store: ./.biplane/store.db to biplane.yaml",
      ),
    ];
  if (isPostgres(store)) return readDatabase(store);
  const about = await stat(store).catch(() => undefined);
  if (!about) return [await missing(store)];
  if (!about.isFile()) return [failure("store", `${store} is not a file`, "use another: --store <file>")];
  return [...(await readStore(store)), await checkKey(store, secrets?.key)];
}

async function missing(store: string): Promise<Finding> {
  let folder = dirname(store);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const canWrite = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (canWrite) return ok("store", `${store} does not exist yet and will be created`);
  return failure(
    "store",
    `${store} cannot be created: no permission to write to ${folder}`,
    `check ls -ld ${folder}, or use another file: --store <file>`,
  );
}

async function readStore(file: string): Promise<Finding[]> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
    (await import("../../store/engine/sqlite-file.ts")).checkStoreFile(file);
    await using store = await openStore(file);
    return [ok("store", `${file} is undamaged, readable and writable`), await accountsIn(store)];
  } catch (error) {
    const why = explainError(error, {});
    const found = why.includes(file) ? why : `${file}: ${why}`;
    return [failure("store", found, `check ls -l ${file}, or use another: --store <file>`)];
  }
}

async function readDatabase(url: string): Promise<Finding[]> {
  try {
    await using store = await openStore(url);
    return [ok("store", `${store.name} answers`), await accountsIn(store)];
  } catch (error) {
    return [failure("store", explainError(error, {}), "check that the database runs and that the URL is right")];
  }
}

async function accountsIn(store: SqlStore): Promise<Finding> {
  const { openPeople } = await import("../../governance/people/people.ts");
  const names = (await openPeople({ store }).list({ limit: 1000 })).map(({ name }) => name);
  if (names.length === 0)
    return note("accounts", "none yet", "biplane people add <name>, or open the link that biplane serve prints");
  const shown = names.slice(0, 5).join(", ");
  return ok("accounts", `${shown}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`);
}

type Key = NonNullable<NonNullable<Config["secrets"]>["key"]>;

async function checkKey(store: string, named: Key | undefined): Promise<Finding> {
  const { file = `${store}.key`, environmentVariable = "BIPLANE_SECRETS_KEY" } = named ?? {};
  try {
    if (process.env[environmentVariable] !== undefined) {
      await readKey({ environmentVariable });
      return ok("secrets key", `in the environment variable ${environmentVariable}`);
    }
    const about = statSync(file, { throwIfNoEntry: false });
    if (!about)
      return note(
        "secrets key",
        `${file} does not exist; existing secrets cannot be read without it`,
        "restore it, or let biplane create a new one",
      );
    await readKey({ file });
    if (process.platform !== "win32" && (about.mode & 0o077) !== 0)
      return failure(
        "secrets key",
        `${file} is readable by other users (mode ${(about.mode & 0o777).toString(8)})`,
        `chmod 600 ${file}`,
      );
    return ok("secrets key", `${file}, readable by its owner only`);
  } catch (error) {
    return failure("secrets key", messageOf(error), `check ls -l ${file}`);
  }
}
