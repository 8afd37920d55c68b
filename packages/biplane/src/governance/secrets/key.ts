import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";

export interface KeySource {
  /** Created with a new key, readable only by its owner, if it does not exist. */
  readonly file?: string;
  /** Takes precedence over the file: 32 bytes in base64 or hex. */
  readonly environmentVariable?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Reads or creates the encryption key. Losing it loses the stored secrets. */
export async function readKey({ file, environmentVariable, environment }: KeySource): Promise<Uint8Array> {
  const given = environmentVariable === undefined ? undefined : (environment ?? process.env)[environmentVariable];
  if (given !== undefined) return decodeKey(given, `The environment variable ${environmentVariable}`);
  if (file === undefined) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      environmentVariable === undefined
        ? "The key for secrets needs a file or an environment variable."
        : `The environment variable ${environmentVariable} is not set. Set it to 32 random bytes in base64.`,
    );
  }
  return decodeKey((await readIfPresent(file)) ?? (await createKeyFile(file)), `The key file ${file}`);
}

export function checkKey(key: Uint8Array): Uint8Array {
  if (key.length === keyLength) return key;
  throw new BiplaneError("INVALID_DEFINITION", `The key for secrets must have ${keyLength} bytes, not ${key.length}.`);
}

const keyLength = 32;

function decodeKey(text: string, where: string): Uint8Array {
  const trimmed = text.trim();
  if (/^[\da-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (/^[\w+/-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, "base64");
  throw new BiplaneError("INVALID_DEFINITION", `${where} does not contain ${keyLength} bytes in base64 or hex.`);
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new BiplaneError("INVALID_DEFINITION", `Cannot read the key file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The file appears complete or not at all. If two processes create it at once, both get the key of the first. */
async function createKeyFile(file: string): Promise<string> {
  const folder = dirname(resolve(file));
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(draft, `${randomBytes(keyLength).toString("base64")}\n`);
    await linkIfAbsent(draft, file);
    await unlink(draft);
    await syncFolder(folder);
    return await readFile(file, "utf8");
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `Cannot create the key file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile(text);
  await handle.sync();
}

/** Unlike a rename, a link never replaces an existing file. */
async function linkIfAbsent(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Makes the new directory entry survive a power loss. Windows refuses this, and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle = await open(folder, "r");
  await handle.sync();
}
