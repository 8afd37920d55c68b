import { argument, command, option, toggle } from "./command/define.ts";
import { inputError } from "./command/exit-code.ts";
import { loadConfig } from "../config/load-config.ts";
import { verifyAudit } from "../governance/audit/verify.ts";
import { prunedKinds, pruneStore, retentionOf } from "../host/retention.ts";
import type { PrunedKind } from "../host/retention.ts";
import { copyStore, countRows, tableNames } from "../store/copy-store.ts";
import { connectStore, isPostgres, openStore } from "../store/sql-store.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { storeArgs, storeLocation, storeOptions } from "./store-args.ts";
import { table } from "./terminal/format.ts";

const migrate = command("Migrate the tables of the store; starting a server does the same", {
  args: storeArgs,
  run: async ({ args }) => {
    await using store = await connectStore(await storeLocation(args));
    const { from, to } = await store.migrate();
    const what = from === to ? `is up to date (tables ${to})` : `now has tables ${to}, before ${from}`;
    process.stdout.write(`The store ${store.name} ${what}.\n`);
  },
});

const check = command("Check a store: its pages, its tables and the chain of its audit log", {
  args: storeArgs,
  run: async ({ args }) => {
    const location = await storeLocation(args);
    if (!isPostgres(location)) (await import("../store/engine/sqlite-file.ts")).checkStoreFile(location);
    await using store = await connectStore(location);
    if (await store.isOutdated()) {
      process.stdout.write(`The store ${store.name} is readable, and from an older version. ${toMigrate}\n`);
      return;
    }
    const counts = await countRows(store);
    const rows = tableNames.filter((name) => counts[name] > 0).map((name) => [name, String(counts[name])]);
    process.stdout.write(rows.length === 0 ? "The store is empty.\n" : `${table(["table", "rows"], rows)}\n`);
    const lines = await checkChain(store);
    process.stdout.write(`The store ${store.name} is in order. Its audit log is intact: ${lines} lines.\n`);
  },
});

const copy = command("Copy a store to an empty one, from SQLite to Postgres or back; repeat it if it was interrupted", {
  args: {
    from: argument("The SQLite file or Postgres URL to read"),
    to: argument("The SQLite file or Postgres URL to fill"),
  },
  run: async ({ args }) => {
    await using from = await openStore(args.from);
    await using to = await openStore(args.to);
    const expectedLines = await checkChain(from);
    const isTerminal = process.stderr.isTTY;
    const counts = await copyStore(from, to, {
      onProgress: (name, copied) => isTerminal && process.stderr.write(`\r\x1b[K${name}: ${copied} rows`),
    });
    if (isTerminal) process.stderr.write("\r\x1b[K");
    await checkChain(to, expectedLines);
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    process.stdout.write(`Copied ${rows} rows from ${from.name} to ${to.name}. The audit log is intact.\n`);
    const key = isPostgres(args.from) ? "BIPLANE_SECRETS_KEY" : `${args.from}.key`;
    if (counts.secrets > 0)
      process.stdout.write(`Its ${counts.secrets} secrets need the same key as before (${key}).\n`);
  },
});

const prune = command("Delete data older than keep in the config file; a running server does the same", {
  args: {
    "dry-run": toggle("Only count; delete nothing"),
    keep: option("Age of the calls and runs to keep, such as 30d (default: keep in the config file)"),
    ...storeArgs,
  },
  run: async ({ args }) => {
    const options = storeOptions(args);
    const flags = { ...options.flags, keep: args.keep };
    const { config } = await loadConfig({ ...options, flags, only: ["store", "keep"] });
    await using store = await openStore(await storeLocation(args));
    const isDryRun = args["dry-run"];
    const pruned = await pruneStore(store, retentionOf(config), { isDryRun });
    const rows = prunedKinds.map((kind) => [prunedNames[kind], String(pruned[kind])]);
    process.stdout.write(`${table(["kind", isDryRun ? "would be deleted" : "deleted"], rows)}\n`);
  },
});

const prunedNames: Readonly<Record<PrunedKind, string>> = {
  calls: "calls",
  runs: "runs",
  traces: "runs whose traces",
  auditLines: "audit lines (exported first)",
  auditExports: "files of audit lines",
};

/** `biplane store` */
export const storeCommand = command("Check, migrate, copy or prune the store", {
  subCommands: { check, migrate, copy, prune },
});

const toMigrate = "Make a copy, then convert it with biplane store migrate. Starting a server converts it, too.";

async function checkChain(store: SqlStore, expectedLines = 0): Promise<number> {
  const verdict = await verifyAudit(store, { expectedLines });
  if (verdict.ok) return verdict.lines;
  const where = `The audit log of ${store.name} was tampered with at line ${verdict.at}`;
  throw inputError(`${where}: ${verdict.why}`);
}
