import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { BiplaneError } from "@biplane/core";

/** Cost of one scrypt hash. The default takes 32 MiB and about a quarter of a second. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export const defaultCost: ScryptCost = Object.freeze({ N: 2 ** 15, r: 8, p: 3 });

/** The stored form of a passphrase. */
export interface PassphraseHash extends ScryptCost {
  readonly salt: string;
  readonly hash: string;
}

/**
 * Normalizes a passphrase, so that keyboards that encode it differently agree. Rejects half characters, which do not
 * survive encoding.
 */
export function normalizePassphrase(passphrase: string): string {
  if (passphrase.length > maxCharacters)
    throw new BiplaneError("INVALID_INPUT", `The passphrase must have at most ${maxCharacters} characters.`);
  const text = passphrase.normalize("NFKC");
  if (Buffer.from(text).toString() !== text)
    throw new BiplaneError("INVALID_INPUT", "The passphrase must be valid Unicode: it contains an unpaired surrogate.");
  return text;
}

export async function hashPassphrase(text: string, cost: ScryptCost): Promise<PassphraseHash> {
  const salt = randomBytes(16);
  const hash = await derive(text, salt, cost);
  return { N: cost.N, r: cost.r, p: cost.p, salt: salt.toString("base64url"), hash: hash.toString("base64url") };
}

/** Takes the same time for wrong and right passphrases. */
export async function verifyPassphrase(text: string, stored: PassphraseHash): Promise<boolean> {
  const wanted = Buffer.from(stored.hash, "base64url");
  const given = await derive(text, Buffer.from(stored.salt, "base64url"), stored);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const maxCharacters = 1024;

function derive(text: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
