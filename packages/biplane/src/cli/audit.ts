import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { inputError } from "./command/exit-code.ts";
import { argument, command, count, file, option } from "./command/define.ts";
import { checkpointKey, publicCheckpointKey, readCheckpoint, signCheckpoint } from "../governance/audit/checkpoint.ts";
import { exportRecords, verifyRecords } from "../governance/audit/export-records.ts";
import { queryAudit } from "../governance/audit/query.ts";
import { verifyExport } from "../governance/audit/verify-export.ts";
import { verifyAudit } from "../governance/audit/verify.ts";
import { printableJson } from "../observe/printable.ts";
import { openStore } from "../store/sql-store.ts";
import { storeArgs, storeLocation } from "./store-args.ts";

const verify = command("Check that no audit log entry was changed, moved or removed", {
  args: {
    export: argument("A file of exported entries to check instead", { required: false, takes: file }),
    lines: option("Number of entries at an earlier check; fewer is an error", { takes: count }),
    head: option("Hash from an earlier check; must still be in the log"),
    checkpoint: option("A file with a signed checkpoint, whose lines must still be in the log", { takes: file }),
    key: option("The public key of the checkpoint, or of a signed export", { takes: file }),
    ...storeArgs,
  },
  run: async ({ args }) => {
    const { export: exported, key } = args;
    if (exported !== undefined && !isOwnExport(exported)) return checkRecords(exported, key);
    const expected = {
      ...(args.lines !== undefined && { expectedLines: Number(args.lines) }),
      ...(args.head !== undefined && { expectedHead: args.head }),
      ...(args.checkpoint !== undefined && (await signedExpectation(args.checkpoint, key))),
    };
    if (exported !== undefined) return checkExport(exported, expected);
    await using store = await openStore(await storeLocation(args));
    const verdict = await verifyAudit(store, expected);
    if (!verdict.ok) throw tampered("The audit log", verdict);
    if (verdict.cut) process.stdout.write(`Lines up to ${verdict.cut.through} were exported to ${verdict.cut.file}.\n`);
    process.stdout.write(
      `The audit log is intact: ${verdict.lines} lines.\nTo detect later that entries were cut off the end, save this command:\n\n  biplane audit verify --lines ${verdict.lines} --head ${verdict.head}\n`,
    );
  },
});

/** Exports of our own lines have names such as audit-000000000001-000000001000.jsonl. */
function isOwnExport(path: string): boolean {
  return /^audit-\d{12}-\d{12}\.jsonl$/.test(basename(path));
}

async function checkRecords(path: string, key: string | undefined): Promise<void> {
  const verdict = await verifyRecords(path, { key: key === undefined ? undefined : await publicCheckpointKey(key) });
  if (!verdict.ok) throw tampered(path, verdict);
  const signed = verdict.signedAt === undefined ? "" : ` It was signed at ${verdict.signedAt}.`;
  process.stdout.write(`The export is intact: ${verdict.records} records.${signed}\n`);
}

async function signedExpectation(
  path: string,
  key: string | undefined,
): Promise<{ expectedLines: number; expectedHead: string }> {
  if (key === undefined) throw inputError("--checkpoint needs --key, the public key that it was signed with.");
  const { lines, head } = readCheckpoint(await readFile(path, "utf8"), await publicCheckpointKey(key));
  return { expectedLines: lines, expectedHead: head };
}

const checkpoint = command("Verify the audit log and print a signed checkpoint", {
  args: {
    key: option("The private key; if the file does not exist, it is created with its public key in a .pub file", {
      takes: file,
      required: true,
    }),
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    const verdict = await verifyAudit(store);
    if (!verdict.ok) throw tampered("The audit log", verdict);
    const { lines, head } = verdict;
    const token = signCheckpoint({ lines, head, time: new Date().toISOString() }, await checkpointKey(args.key));
    process.stdout.write(`${token}\n`);
  },
});

const exportCommand = command("Write the audit log as records of SEP-3004, which other tools can verify", {
  args: {
    file: argument("The file to write, one JSON object per line", { required: true, takes: file }),
    key: option("Sign a checkpoint into the manifest with this private key; created if it does not exist", {
      takes: file,
    }),
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    const key = args.key === undefined ? undefined : await checkpointKey(args.key);
    const { records } = await exportRecords(store, { file: args.file, key });
    process.stdout.write(`Wrote ${records} records to ${args.file}, and ${args.file}.manifest.json.\n`);
  },
});

async function checkExport(path: string, expected: Parameters<typeof verifyExport>[1]): Promise<void> {
  const verdict = await verifyExport(path, expected);
  if (!verdict.ok) throw tampered(path, verdict);
  process.stdout.write(`The export is intact, up to line ${verdict.lines} with the hash ${verdict.head}.\n`);
}

function tampered(what: string, { at, why }: { at: number; why: string }): Error {
  return inputError(`${what} was tampered with at line ${at}: ${why}`);
}

const show = command("Show the newest audit log entries, as JSON lines", {
  args: {
    n: option("Number of entries", { takes: count, default: "20" }),
    tool: option("Only calls of this tool"),
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    const lines = await queryAudit(store, { limit: Number(args.n), ...(args.tool && { tool: args.tool }) });
    for (const line of lines.toReversed()) process.stdout.write(`${printableJson(line)}\n`);
  },
});

/** `biplane audit verify` */
export const auditCommand = command("Verify, show, sign or export the log of every call", {
  subCommands: { verify, show, checkpoint, export: exportCommand },
});
