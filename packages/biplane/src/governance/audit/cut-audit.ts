import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import type { AuditLog, LogLine } from "../../store/audit-log.ts";
import { checkLine, genesis } from "../../store/audit-chain.ts";
import { auditPages } from "./pages.ts";
import { personEntry } from "./person-entry.ts";
import { formatCallLine } from "./write-line.ts";

export interface CutAuditOptions {
  /** Lines of calls before this time are exported and deleted. */
  readonly before: number;
  readonly folder: string;
  /** Only count the lines. */
  readonly isDryRun?: boolean;
}

/**
 * Exports the oldest lines to a file, then deletes them in small steps. The rest of the log verifies from the last
 * exported line on, and has a line about the cut. The newest line always stays. Returns the number of lines.
 */
export async function cutAudit(
  { audit }: { readonly audit: AuditLog },
  { before, folder, isDryRun = false }: CutAuditOptions,
): Promise<number> {
  const cut = (await audit.cuts()).at(-1);
  const first = (cut?.through ?? 0) + 1;
  const old = oldLines(audit, { after: first - 1, previous: cut?.hash ?? genesis, before });
  if (isDryRun) {
    let lines = 0;
    for await (const page of old) lines += page.length;
    return lines;
  }
  const exported = await writeExport(old, { folder, first });
  if (!exported) return 0;
  const { file, steps } = exported;
  const last = steps.at(-1) as CheckedLine;
  const system = { kind: "local", id: "retention", scopes: [] } as const;
  const about = formatCallLine(
    personEntry("audit/cut", { input: { first, through: last.sequence, hash: last.hash, file }, by: system }),
  );
  await audit.append(about);
  for (const { sequence, hash } of steps) if (!(await audit.cut({ first, through: sequence, hash, file }))) break;
  return last.sequence - first + 1;
}

/** The name of an export tells which lines are in it. */
export function exportNamed(first: number, through: number): string {
  return `audit-${String(first).padStart(12, "0")}-${String(through).padStart(12, "0")}.jsonl`;
}

/** Files in a folder of exports. Empty if there is no such folder. */
export async function exportsIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^audit-\d{12}-\d{12}\.jsonl$/.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

interface CheckedLine extends LogLine {
  readonly hash: string;
}

interface OldLines {
  readonly after: number;
  readonly previous: string;
  readonly before: number;
}

/** Pages of lines up to the first one that is not old, without the newest line. Throws if the chain is broken. */
async function* oldLines(audit: AuditLog, { after, previous, before }: OldLines): AsyncGenerator<CheckedLine[]> {
  const newest = (await audit.last())?.sequence ?? 0;
  for await (const page of auditPages(audit, { after })) {
    const old: CheckedLine[] = [];
    for (const row of page) {
      const checked = checkLine(row.line, previous);
      if ("why" in checked) throw tampered(row.sequence, checked.why);
      if (row.sequence >= newest || timeOf(row.line) >= before) {
        yield old;
        return;
      }
      previous = checked.hash;
      old.push({ ...row, hash: checked.hash });
    }
    yield old;
  }
}

function timeOf(line: string): number {
  return Date.parse((JSON.parse(line) as { time: string }).time) || 0;
}

function tampered(at: number, why: string): BiplaneError {
  return new BiplaneError(
    "INVALID_INPUT",
    `The audit log was not cut, because it was tampered with at line ${at}: ${why}. Keep a copy of the store, and find out who changed it.`,
  );
}

/** Writes a file that is complete under its final name. Returns the last line of each page. */
async function writeExport(
  pages: AsyncIterable<readonly CheckedLine[]>,
  { folder, first }: { folder: string; first: number },
): Promise<{ file: string; steps: CheckedLine[] } | undefined> {
  const steps: CheckedLine[] = [];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `audit-${first}.${randomUUID()}.part`);
  try {
    {
      await using handle = await open(draft, "wx", 0o600);
      for await (const page of pages) {
        const last = page.at(-1);
        if (!last) continue;
        await handle.appendFile(page.map(({ line }) => `${line}\n`).join(""));
        steps.push(last);
      }
      await handle.sync();
    }
    const last = steps.at(-1);
    if (!last) return undefined;
    const file = join(folder, exportNamed(first, last.sequence));
    await rename(draft, file);
    await using handle = await open(folder, "r");
    await handle.sync();
    return { file, steps };
  } finally {
    await rm(draft, { force: true });
  }
}
