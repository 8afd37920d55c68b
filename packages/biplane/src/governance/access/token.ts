import { hash, randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { NetworkRequest } from "@biplane/core";

/** A new 256-bit secret that is valid in headers and paths. Secret scanners recognize the prefix. */
export function newToken(prefix: string, bytes = 32): string {
  return `${prefix}${randomBytes(bytes).toString("base64url")}`;
}

/** The stored form of a token. It identifies the token but cannot be used as one. */
export function tokenHash(token: string): string {
  return `sha256:${hash("sha256", token, "hex")}`;
}

/** The token of a request, from its path or its `Authorization: Bearer` header. */
export function tokenOf({ headers, token }: NetworkRequest): string | undefined {
  return token ?? bearerOf(headers["authorization"]);
}

/** The token of an `Authorization` header, if the scheme is Bearer. */
export function bearerOf(header: string | string[] | undefined): string | undefined {
  const given = credentialsOf(header);
  return given?.scheme === "bearer" ? given.token : undefined;
}

/** The token of an `Authorization` header, and its scheme. */
export function credentialsOf(
  header: string | string[] | undefined,
): { readonly scheme: "bearer" | "dpop"; readonly token: string } | undefined {
  if (typeof header !== "string" || header.length > maxCharacters) return undefined;
  const [, scheme = "", token] = /^(bearer|dpop) +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  return token === undefined ? undefined : { scheme: scheme.toLowerCase() as "bearer" | "dpop", token };
}

/** Checks a token hash from a config file. */
export function checkHash(text: string, holder: string): string {
  if (/^sha256:[\da-f]{64}$/.test(text)) return text;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `The token hash of ${holder} must be sha256: and 64 hex digits, as printed by \`biplane token new\`.`,
  );
}

const maxCharacters = 16 * 1024;
