import { open } from "node:fs/promises";
import { basename } from "node:path";
import { BiplaneError } from "@biplane/core";
import { checkLine, genesis } from "../../store/audit-chain.ts";
import type { AuditVerdict } from "./verify.ts";

/**
 * Checks every line of a file that `cutAudit` wrote. `head` is the `previous` hash of the line that followed. To detect
 * a rewritten file, pass the `lines` and `head` of an earlier check of the log.
 */
export async function verifyExport(
  file: string,
  { expectedLines, expectedHead }: { expectedLines?: number; expectedHead?: string } = {},
): Promise<AuditVerdict> {
  const [, first, through] = /^audit-(\d{12})-(\d{12})\.jsonl$/.exec(basename(file)) ?? [];
  if (first === undefined)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${file} is not an export of the audit log, such as audit-000000000001-000000001000.jsonl.`,
    );
  let lines = Number(first) - 1;
  let head = genesis;
  await using handle = await open(file);
  for await (const line of handle.readLines()) {
    // Only the first export begins with the first line of the log.
    if (lines > 0 && head === genesis) head = previousOf(line);
    const checked = checkLine(line, head);
    lines++;
    if ("why" in checked) return { ok: false, at: lines, why: checked.why };
    head = checked.hash;
    if (lines === expectedLines && expectedHead !== undefined && head !== expectedHead)
      return { ok: false, at: lines, why: "the line does not have the expected hash" };
  }
  if (lines === Number(through)) return { ok: true, lines, head };
  return { ok: false, at: lines + 1, why: `the file ends before line ${Number(through)}` };
}

function previousOf(line: string): string {
  return /,"previous":"([0-9a-f]{64})","hash":"[0-9a-f]{64}"\}$/.exec(line)?.[1] ?? genesis;
}
