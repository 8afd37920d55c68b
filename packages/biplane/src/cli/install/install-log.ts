import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import { readSettings, writeSettings } from "./settings-file.ts";
import type { Settings } from "./settings-file.ts";
import type { SettingsEntry } from "./settings-format.ts";

/** What one install changed, so that it can be undone. */
export interface Installed {
  readonly host: string;
  readonly file: string;
  readonly name: string;
  /** The entry that it replaced. */
  readonly previous: SettingsEntry | null;
  readonly hadFile: boolean;
  /** The part of the text that changed. */
  readonly start: number;
  readonly removed: string;
  readonly insertedLength: number;
  /** SHA-256 of the changed text. While the file has it, undoing restores every byte. */
  readonly sha256: string;
}

export interface InstallChange extends Pick<Installed, "host" | "name" | "previous"> {
  readonly before: Settings;
  readonly after: string;
}

/** Describes a change for the log. */
export function installed({ host, name, previous, before, after }: InstallChange): Installed {
  const { text, path: file, exists: hadFile } = before;
  const shorter = Math.min(text.length, after.length);
  let start = 0;
  while (start < shorter && text[start] === after[start]) start++;
  let same = 0;
  while (same < shorter - start && text.at(-1 - same) === after.at(-1 - same)) same++;
  return {
    host,
    file,
    name,
    previous,
    hadFile,
    start,
    removed: text.slice(start, text.length - same),
    insertedLength: after.length - same - start,
    sha256: sha256(after),
  };
}

/** The text before an install, or undefined if the file has changed since. */
export function textBefore(
  { start, removed, insertedLength, sha256: known }: Installed,
  now: string,
): string | undefined {
  if (sha256(now) !== known) return undefined;
  return now.slice(0, start) + removed + now.slice(start + insertedLength);
}

/** The installs of this user, oldest first. Only the user may read the file: it can contain replaced tokens. */
export async function readInstallLog(file = logFile()): Promise<readonly Installed[]> {
  const { text } = await readSettings(file);
  if (text === "") return [];
  try {
    const entries: unknown = JSON.parse(text);
    if (Array.isArray(entries) && entries.every(isInstalled)) return entries;
  } catch {
    // It is damaged, as below.
  }
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${file} is damaged. Delete it to go on without undoing older installs.`,
  );
}

export async function writeInstallLog(entries: readonly Installed[], file = logFile()): Promise<void> {
  await writeSettings(await readSettings(file), `${JSON.stringify(entries.slice(-maxEntries), undefined, 1)}\n`);
}

const maxEntries = 200;

function logFile(): string {
  return join(process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "biplane", "installs.json");
}

function isInstalled(value: unknown): value is Installed {
  if (!isRecord(value)) return false;
  const texts = [value["host"], value["file"], value["name"], value["removed"], value["sha256"]];
  return texts.every((each) => typeof each === "string") && Number.isInteger(value["start"]);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
