import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { BiplaneError } from "../../errors.ts";

/** How much work one guess is. The default takes 32 MiB and about a quarter of a second. */
export interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export const usualCost: Cost = Object.freeze({ N: 2 ** 15, r: 8, p: 3 });

/** What is kept of a passphrase. */
export interface PassphraseHash extends Cost {
  readonly salt: string;
  readonly hash: string;
}

/** The same passphrase, however a keyboard spells it; half a character would be lost on the way to bytes. */
export function spelled(passphrase: string): string {
  if (passphrase.length > mostCharacters)
    throw new BiplaneError("INVALID_INPUT", `a passphrase has at most ${mostCharacters} characters`);
  const text = passphrase.normalize("NFKC");
  if (Buffer.from(text).toString() !== text)
    throw new BiplaneError("INVALID_INPUT", "a passphrase must be text: this one holds half a character");
  return text;
}

export async function hashPassphrase(text: string, cost: Cost): Promise<PassphraseHash> {
  const salt = randomBytes(16);
  const hash = await derive(text, salt, cost);
  return { N: cost.N, r: cost.r, p: cost.p, salt: salt.toString("base64url"), hash: hash.toString("base64url") };
}

/** Takes as long for a wrong one as for the right one. */
export async function isPassphrase(text: string, kept: PassphraseHash): Promise<boolean> {
  const wanted = Buffer.from(kept.hash, "base64url");
  const given = await derive(text, Buffer.from(kept.salt, "base64url"), kept);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const mostCharacters = 1024;

function derive(text: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(text, salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
