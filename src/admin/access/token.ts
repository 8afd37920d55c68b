import { hash, randomBytes } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import type { NetworkRequest } from "../../server/authenticate.ts";

/** A new secret, of 256 bits, that fits into a header and a path, with a prefix by which a scanner knows it. */
export function newToken(prefix: string, bytes = 32): string {
  return `${prefix}${randomBytes(bytes).toString("base64url")}`;
}

/** What is kept of a token: enough to know it again, not enough to use it. */
export function tokenHash(token: string): string {
  return `sha256:${hash("sha256", token, "hex")}`;
}

/** The token that a request brings, in its path or as `Authorization: Bearer`. */
export function tokenOf({ headers, token }: NetworkRequest): string | undefined {
  return token ?? bearerOf(headers["authorization"]);
}

/** The token of an Authorization header, if it is one of this scheme. */
export function bearerOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string" || header.length > mostCharacters) return undefined;
  return /^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1];
}

/** A hash as configuration files write it. */
export function checkHash(text: string, whose: string): string {
  if (/^sha256:[\da-f]{64}$/.test(text)) return text;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `the hash of the token of ${whose} must be sha256: and 64 hex digits, as \`biplane token new\` prints it`,
  );
}

const mostCharacters = 16 * 1024;
