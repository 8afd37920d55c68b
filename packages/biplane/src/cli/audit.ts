import { inputError } from "./command/exit-code.ts";
import { command, count, option } from "./command/define.ts";
import { queryAudit } from "../governance/audit/query.ts";
import { verifyAudit } from "../governance/audit/verify.ts";
import { printableJson } from "../observe/printable.ts";
import { openStore } from "../store/sql-store.ts";
import { storeArgs, storeLocation } from "./store-args.ts";

const verify = command("Check that no audit log entry was changed, moved or removed", {
  args: {
    lines: option("Number of entries at an earlier check; fewer is an error", { takes: count }),
    head: option("Hash from an earlier check; must still be in the log"),
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    const expected = {
      ...(args.lines !== undefined && { expectedLines: Number(args.lines) }),
      ...(args.head !== undefined && { expectedHead: args.head }),
    };
    const verdict = await verifyAudit(store, expected);
    if (!verdict.ok) throw inputError(`The audit log was tampered with at line ${verdict.at}: ${verdict.why}`);
    process.stdout.write(
      `The audit log is intact: ${verdict.lines} lines.\nTo detect later that entries were cut off the end, save this command:\n\n  biplane audit verify --lines ${verdict.lines} --head ${verdict.head}\n`,
    );
  },
});

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
