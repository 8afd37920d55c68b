import { defineCommand } from "citty";
import { queryAudit } from "../governance/audit/query.ts";
import { verifyAudit } from "../governance/audit/verify.ts";
import { BiplaneError } from "@biplane/core";
import { printableJson } from "../observe/printable.ts";
import { openStore } from "../store/sql-store.ts";
import { storeArgs, storeLocation } from "./store-args.ts";

const verify = defineCommand({
  meta: { name: "verify", description: "Check that no audit log entry was changed, moved or removed" },
  args: {
    lines: { type: "string", description: "Number of entries at an earlier check; fewer is an error" },
    head: { type: "string", description: "Hash from an earlier check; must still be in the log" },
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    const expected = {
      ...(args.lines !== undefined && { expectedLines: Number(args.lines) }),
      ...(args.head !== undefined && { expectedHead: args.head }),
    };
    const verdict = await verifyAudit(store, expected);
    if (!verdict.ok)
      throw new BiplaneError("INVALID_INPUT", `The audit log was tampered with at line ${verdict.at}: ${verdict.why}`);
    process.stdout.write(
      `The audit log is intact: ${verdict.lines} lines.\nTo detect later that entries were cut off the end, save this command:\n\n  biplane audit verify --lines ${verdict.lines} --head ${verdict.head}\n`,
    );
  },
});

const show = defineCommand({
  meta: { name: "show", description: "Show the newest audit log entries, as JSON lines" },
  args: {
    n: { type: "string", description: "Number of entries", default: "20" },
    tool: { type: "string", description: "Only calls of this tool" },
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = await openStore(await storeLocation(args));
    const lines = await queryAudit(store, { limit: Number(args.n), ...(args.tool && { tool: args.tool }) });
    for (const line of lines.toReversed()) process.stdout.write(`${printableJson(line)}\n`);
  },
});

/** `biplane audit verify` */
export const auditCommand = defineCommand({
  meta: { name: "audit", description: "Verify or show the log of every call" },
  subCommands: { verify, show },
});
