import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { BiplaneError, messageOf } from "../../errors.ts";

export interface KeySource {
  /** Made, with a new key that only its owner may read, when it is missing. */
  readonly file?: string;
  /** Goes before the file when it is set: 32 bytes in base64 or hex. */
  readonly environmentVariable?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The key that the secrets are encrypted with. Whoever loses it loses them. */
export async function readKey({ file, environmentVariable, environment }: KeySource): Promise<Uint8Array> {
  const given = environmentVariable === undefined ? undefined : (environment ?? process.env)[environmentVariable];
  if (given !== undefined) return decodeKey(given, `the environment variable ${environmentVariable}`);
  if (file === undefined) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      environmentVariable === undefined
        ? "a key for secrets needs a file or an environment variable to come from"
        : `the environment variable ${environmentVariable} is not set: give it 32 random bytes in base64`,
    );
  }
  return decodeKey((await readIfThere(file)) ?? (await makeKeyFile(file)), `the key file ${file}`);
}

export function checkKey(key: Uint8Array): Uint8Array {
  if (key.length === keyLength) return key;
  throw new BiplaneError("INVALID_DEFINITION", `the key for secrets must have ${keyLength} bytes, not ${key.length}`);
}

const keyLength = 32;

function decodeKey(text: string, where: string): Uint8Array {
  const spelled = text.trim();
  if (/^[\da-f]{64}$/i.test(spelled)) return Buffer.from(spelled, "hex");
  if (/^[\w+/-]{43}=?$/.test(spelled)) return Buffer.from(spelled, "base64");
  throw new BiplaneError("INVALID_DEFINITION", `${where} does not hold ${keyLength} bytes in base64 or hex`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new BiplaneError("INVALID_DEFINITION", `cannot read the key file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The file appears whole or not at all; of two processes that make it at once, both get the key of the first. */
async function makeKeyFile(file: string): Promise<string> {
  const folder = dirname(resolve(file));
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeForGood(draft, `${randomBytes(keyLength).toString("base64")}\n`);
    await linkUnlessThere(draft, file);
    await unlink(draft);
    await syncFolder(folder);
    return await readFile(file, "utf8");
  } catch (error) {
    throw new BiplaneError("INVALID_DEFINITION", `cannot make the key file ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function writeForGood(file: string, text: string): Promise<void> {
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile(text);
  await handle.sync();
}

/** Unlike a rename, a link never replaces a file. */
async function linkUnlessThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Without it, the name of a new file may not survive a loss of power. Windows does so by itself, and refuses. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle = await open(folder, "r");
  await handle.sync();
}
