import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf } from "@biplane/core/internal";

/** How far a log reached at some time. Kept elsewhere and signed, it shows that nothing before was rewritten. */
export interface Checkpoint {
  /** Lines of our own log, and the hash of the last one. */
  readonly lines: number;
  readonly head: string;
  /** In an export of records: the hash of the last one. */
  readonly recordsHead?: string;
  /** ISO 8601. */
  readonly time: string;
}

/** A checkpoint as a signed JWT (Ed25519), whose `kid` is the thumbprint of the key. */
export function signCheckpoint(checkpoint: Checkpoint, key: KeyObject): string {
  const header = { alg: "EdDSA", typ, kid: thumbprintOf(createPublicKey(key)) };
  const text = `${encode(header)}.${encode(checkpoint)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString("base64url")}`;
}

/** The checkpoint, if the key signed it. Throws otherwise. */
export function readCheckpoint(token: string, key: KeyObject): Checkpoint {
  const [head = "", body = "", signature = "", ...rest] = token.trim().slice(0, maxLength).split(".");
  const header = decode(head);
  const checkpoint = decode(body);
  const isOurs = header?.["alg"] === "EdDSA" && header["typ"] === typ && rest.length === 0;
  if (!isOurs || !checkpoint || !isCheckpoint(checkpoint))
    throw new BiplaneError("INVALID_INPUT", "This is not a checkpoint, as `biplane audit checkpoint` prints it.");
  if (!verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url")))
    throw new BiplaneError("INVALID_INPUT", "The checkpoint is not signed with this key, or it was changed.");
  return checkpoint;
}

/** Reads the private key for checkpoints. Creates it if the file does not exist, with the public key beside it. */
export async function checkpointKey(file: string): Promise<KeyObject> {
  try {
    return ed25519(createPrivateKey(await readFile(file, "utf8")), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unusable(file, error);
  }
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  await writeFile(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600, flag: "wx" });
  await writeFile(`${file}.pub`, publicKey.export({ type: "spki", format: "pem" }));
  return privateKey;
}

/** Reads the public key by which checkpoints are verified. */
export async function publicCheckpointKey(file: string): Promise<KeyObject> {
  try {
    return ed25519(createPublicKey(await readFile(file, "utf8")), file);
  } catch (error) {
    throw unusable(file, error);
  }
}

function ed25519(key: KeyObject, file: string): KeyObject {
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new BiplaneError("INVALID_INPUT", `${file} has a key of type ${key.asymmetricKeyType}. Use an Ed25519 key.`);
}

function unusable(file: string, error: unknown): BiplaneError {
  if (error instanceof BiplaneError) return error;
  return new BiplaneError("INVALID_INPUT", `The key in ${file} cannot be read: ${messageOf(error)}`, { cause: error });
}

/** RFC 7638. */
function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x } = key.export({ format: "jwk" });
  return hash("sha256", JSON.stringify({ crv, kty, x }), "base64url");
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCheckpoint(value: Record<string, unknown>): value is Record<string, unknown> & Checkpoint {
  const { lines, head, time, recordsHead } = value;
  const isHash = (each: unknown) => typeof each === "string" && /^[\da-f]{64}$/.test(each);
  const areTexts = typeof time === "string" && (recordsHead === undefined || isHash(recordsHead));
  return Number.isSafeInteger(lines) && isHash(head) && areTexts;
}

const typ = "biplane-audit-checkpoint+jwt";
const maxLength = 4096;
