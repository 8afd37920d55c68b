import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readKey } from "../../admin/secrets/key.ts";
import type { Config } from "../../config/config-schema.ts";
import { messageOf } from "../../errors.ts";
import { explain } from "../terminal/explain.ts";
import type { Finding } from "./finding.ts";
import { note, ok, problem } from "./finding.ts";

/** The store, the key of its secrets, and the people in it. To look is not to make: what is missing stays missing. */
export async function checkKept({ store, secrets }: Pick<Config, "store" | "secrets">): Promise<Finding[]> {
  if (store === undefined || store === ":memory:")
    return [
      note(
        "store",
        "nothing is kept: approvals, secrets and people are gone with the process",
        "write store: ./.biplane/store.db in biplane.yaml",
      ),
    ];
  const about = await stat(store).catch(() => undefined);
  if (!about) return [await missing(store)];
  if (!about.isFile()) return [problem("store", `${store} is no file`, "name another: --store <file>")];
  return [...(await readStore(store)), await checkKey(store, secrets?.key)];
}

async function missing(store: string): Promise<Finding> {
  const folder = await nearestFolder(dirname(store));
  const canWrite = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (canWrite) return ok("store", `${store} will be made when it is needed`);
  return problem(
    "store",
    `${store} cannot be made: ${folder} may not be written to by this user`,
    `ls -ld ${folder}, or name another: --store <file>`,
  );
}

async function nearestFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

async function readStore(file: string): Promise<Finding[]> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
    const [{ sqliteStore }, { openPeople }] = await Promise.all([
      import("../../store/sqlite.ts"),
      import("../../admin/people/people.ts"),
    ]);
    await using store = sqliteStore(file);
    const people = (await openPeople({ store }).list({ limit: 1000 })).map(({ name }) => name);
    return [ok("store", `${file} can be read and written`), peopleFinding(people)];
  } catch (error) {
    const why = explain(error, {});
    const found = why.includes(file) ? why : `${file}: ${why}`;
    return [problem("store", found, `ls -l ${file}, or name another: --store <file>`)];
  }
}

function peopleFinding(names: readonly string[]): Finding {
  if (names.length === 0)
    return note("people", "nobody can log in yet", "biplane people add <name>, or the code that biplane serve prints");
  const shown = names.slice(0, 5).join(", ");
  return ok("people", `${shown}${names.length > 5 ? ` and ${names.length - 5} more` : ""} can log in`);
}

type Key = NonNullable<NonNullable<Config["secrets"]>["key"]>;

async function checkKey(store: string, named: Key | undefined): Promise<Finding> {
  const { file = `${store}.key`, environmentVariable = "BIPLANE_SECRETS_KEY" } = named ?? {};
  try {
    if (process.env[environmentVariable] !== undefined) {
      await readKey({ environmentVariable });
      return ok("secrets key", `in the variable ${environmentVariable}`);
    }
    const about = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (!about)
      return note(
        "secrets key",
        `${file} is not there; secrets that were kept with another cannot be read`,
        "put it back, or let biplane make a new one",
      );
    await readKey({ file });
    if (process.platform !== "win32" && (about.mode & 0o077) !== 0)
      return problem(
        "secrets key",
        `${file} can be read by others (${(about.mode & 0o777).toString(8)})`,
        `chmod 600 ${file}`,
      );
    return ok("secrets key", `${file}, readable by its owner only`);
  } catch (error) {
    return problem("secrets key", messageOf(error), `ls -l ${file}`);
  }
}
