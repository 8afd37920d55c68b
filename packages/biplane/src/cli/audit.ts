import { inputError } from "./command/exit-code.ts";
import { argument, command, count, file, option } from "./command/define.ts";
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
    ...storeArgs,
  },
  run: async ({ args }) => {
    const expected = {
      ...(args.lines !== undefined && { expectedLines: Number(args.lines) }),
      ...(args.head !== undefined && { expectedHead: args.head }),
    };
    if (args.export !== undefined) return checkExport(args.export, expected);
    await using store = await openStore(await storeLocation(args));
    const verdict = await verifyAudit(store, expected);
    if (!verdict.ok) throw tampered("The audit log", verdict);
    if (verdict.cut) process.stdout.write(`Lines up to ${verdict.cut.through} were exported to ${verdict.cut.file}.\n`);
    process.stdout.write(
      `The audit log is intact: ${verdict.lines} lines.\nTo detect later that entries were cut off the end, save this command:\n\n  biplane audit verify --lines ${verdict.lines} --head ${verdict.head}\n`,
    );
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
export const auditCommand = command("Verify or show the log of every call", { subCommands: { verify, show } });
