import type { KeyObject } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import { isRecord, parseJson } from "@biplane/core/internal";
import type { AuditLog } from "../../store/audit-log.ts";
import { canonicalFormVersion, checkRecord, recordOf } from "./audit-record.ts";
import { checkLine, genesis } from "../../store/audit-chain.ts";
import { readCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { auditPages } from "./pages.ts";
import type { AuditLine } from "./write-line.ts";

/** What is beside an export of records. */
export interface RecordsManifest {
  readonly storage_mechanism: string;
  readonly chain_algorithm: "sha-256";
  readonly canonical_form_version: string;
  readonly verification_procedure_ref: string;
  readonly records: number;
  /** Set if the export was signed. */
  readonly checkpoint?: string;
}

/**
 * Writes the whole log as records of SEP-3004, one JSON object per line, with a chain of their own. Our chain is
 * verified on the way. The manifest is written last, to the same name with `.manifest.json`.
 */
export async function exportRecords(
  { audit }: { readonly audit: AuditLog },
  { file, key }: { readonly file: string; readonly key?: KeyObject | undefined },
): Promise<RecordsManifest> {
  const cut = (await audit.cuts()).at(-1);
  let head = cut?.hash ?? genesis;
  let lines = cut?.through ?? 0;
  let previous: string | null = null;
  let records = 0;
  const draft = `${file}.part`;
  {
    await using handle = await open(draft, "w", 0o600);
    for await (const page of auditPages(audit)) {
      let text = "";
      for (const { sequence, line } of page) {
        const checked = checkLine(line, head);
        if ("why" in checked)
          throw new BiplaneError(
            "INVALID_INPUT",
            `The audit log was tampered with at line ${sequence}: ${checked.why}.`,
          );
        const record = recordOf(JSON.parse(line) as AuditLine, previous);
        ({ hash: head } = checked);
        previous = record.event_hash;
        lines = sequence;
        records++;
        text += `${JSON.stringify(record)}\n`;
      }
      await handle.write(text);
    }
    await handle.sync();
  }
  const time = new Date().toISOString();
  const checkpoint =
    key && signCheckpoint({ lines, head, time, ...(previous !== null && { recordsHead: previous }) }, key);
  const manifest: RecordsManifest = {
    storage_mechanism: "append-only-table",
    chain_algorithm: "sha-256",
    canonical_form_version: canonicalFormVersion,
    verification_procedure_ref: "biplane audit verify FILE",
    records,
    ...(checkpoint !== undefined && { checkpoint }),
  };
  await rename(draft, file);
  await using handle = await open(manifestOf(file), "w", 0o600);
  await handle.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

export type RecordsVerdict =
  | { readonly ok: true; readonly records: number; readonly signedAt?: string }
  | { readonly ok: false; readonly at: number; readonly why: string };

/** Checks every record of a file and its manifest; with a key, also the checkpoint. */
export async function verifyRecords(
  file: string,
  { key }: { key?: KeyObject | undefined } = {},
): Promise<RecordsVerdict> {
  let records = 0;
  let previous: string | null = null;
  await using handle = await open(file);
  for await (const line of handle.readLines()) {
    records++;
    const record = parsed(line);
    if (records === 1 && !isRecord(record))
      throw new BiplaneError(
        "INVALID_INPUT",
        `${file} is not an export of the audit log: neither a file that was cut from it, such as audit-000000000001-000000001000.jsonl, nor one that \`biplane audit export\` wrote.`,
      );
    const checked = checkRecord(record, previous);
    if ("why" in checked) return { ok: false, at: records, why: checked.why };
    previous = checked.hash;
  }
  const manifest = await readManifest(file);
  if (manifest && manifest["records"] !== records) {
    const why = `the manifest counts ${String(manifest["records"])} records, and the file has ${records}`;
    return { ok: false, at: records, why };
  }
  if (!key) return { ok: true, records };
  if (typeof manifest?.["checkpoint"] !== "string")
    return { ok: false, at: records, why: `${manifestOf(file)} has no signed checkpoint` };
  const { recordsHead, time } = readCheckpoint(manifest["checkpoint"], key);
  if ((recordsHead ?? null) === previous) return { ok: true, records, signedAt: time };
  return { ok: false, at: records, why: "the signed checkpoint is about another last record" };
}

function manifestOf(file: string): string {
  return `${file}.manifest.json`;
}

async function readManifest(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    await using handle = await open(manifestOf(file));
    const value = parsed(await handle.readFile("utf8"));
    return isRecord(value) ? value : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
