import { defineCommand } from "citty";
import { queryAudit } from "../admin/audit/query.ts";
import { verifyAudit } from "../admin/audit/verify.ts";
import { BiplaneError } from "../errors.ts";
import { printableJson } from "../observe/printable.ts";
import { houseArgs, houseOptions } from "./house-args.ts";
import { openKeptState } from "./state.ts";

const verify = defineCommand({
  meta: { name: "verify", description: "Check that no line of the audit log was changed, moved or removed" },
  args: {
    lines: { type: "string", description: "How many lines an earlier check found: fewer now is a fault" },
    head: { type: "string", description: "The hash that an earlier check printed: it must still be there" },
    ...houseArgs,
  },
  run: async ({ args }) => {
    await using state = await openKeptState(houseOptions(args));
    const expected = {
      ...(args.lines !== undefined && { expectedLines: Number(args.lines) }),
      ...(args.head !== undefined && { expectedHead: args.head }),
    };
    const verdict = await verifyAudit(state.store, expected);
    if (!verdict.ok)
      throw new BiplaneError(
        "INVALID_INPUT",
        `the audit log is not as it was written: line ${verdict.at}: ${verdict.why}`,
      );
    process.stdout.write(
      `The audit log is whole: ${verdict.lines} lines.\nTo find out later whether lines were cut off, keep this:\n\n  biplane audit verify --lines ${verdict.lines} --head ${verdict.head}\n`,
    );
  },
});

const show = defineCommand({
  meta: { name: "show", description: "The newest lines of the audit log, as JSON" },
  args: {
    n: { type: "string", description: "How many lines", default: "20" },
    tool: { type: "string", description: "Only calls of this tool" },
    ...houseArgs,
  },
  run: async ({ args }) => {
    await using state = await openKeptState(houseOptions(args));
    const lines = await queryAudit(state.store, { limit: Number(args.n), ...(args.tool && { tool: args.tool }) });
    for (const line of lines.toReversed()) process.stdout.write(`${printableJson(line)}\n`);
  },
});

/** `biplane audit verify`. */
export const auditCommand = defineCommand({
  meta: { name: "audit", description: "The log of every call: verify, show" },
  subCommands: { verify, show },
});
