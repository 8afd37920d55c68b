import { BiplaneError } from "@biplane/core";
import type { Authenticate, Principal } from "@biplane/core";
import { checkHash, tokenHash, tokenOf } from "./token.ts";

/** A token in plain text or, better, as its hash. */
export interface BearerToken {
  /** The principal id of calls with this token. Several tokens may share one id. */
  readonly id: string;
  /** `trainer` tokens also open the trainer endpoints (default: `token`, for agents). */
  readonly kind?: "token" | "trainer";
  readonly scopes?: readonly string[];
  readonly token?: string;
  /** `sha256:` and 64 hex digits, as `biplane token new` prints it. */
  readonly hash?: string;
  /** ISO 8601. The token is rejected from then on. */
  readonly expiresAt?: string;
}

/** Authenticates callers by these tokens. Lookup is by SHA-256, so timing reveals nothing about near misses. */
export function bearerTokens(tokens: readonly BearerToken[], options: { now?: () => number } = {}): Authenticate {
  const { now = Date.now } = options;
  const known = new Map<string, Known>();
  for (const each of tokens) {
    const hash = hashOf(each);
    if (known.has(hash))
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `Two entries have the same token; one of them belongs to ${each.id}.`,
      );
    known.set(hash, { principal: principalOf(each), until: untilOf(each) });
  }
  return (request) => {
    const token = tokenOf(request);
    const found = token === undefined ? undefined : known.get(tokenHash(token));
    if (found && now() >= found.until) {
      throw new BiplaneError("UNAUTHORIZED", "The token has expired.", { details: { error: "invalid_token" } });
    }
    return found?.principal;
  };
}

interface Known {
  readonly principal: Principal;
  readonly until: number;
}

function hashOf({ id, token, hash }: BearerToken): string {
  if (!id) throw new BiplaneError("INVALID_DEFINITION", "Every token needs an id that names its holder.");
  if ((token === undefined) === (hash === undefined))
    throw new BiplaneError("INVALID_DEFINITION", `The token of ${id} needs either token or hash.`);
  if (hash !== undefined) return checkHash(hash, id);
  if (token === undefined || token.length < minCharacters || !/^[\w.~+/-]+=*$/.test(token)) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The token of ${id} must have at least ${minCharacters} characters that are valid in a header. Create one with \`biplane token new\`.`,
    );
  }
  return tokenHash(token);
}

function principalOf(token: BearerToken): Principal {
  const { id, kind = "token", scopes = [], expiresAt } = token;
  if (kind !== "token" && kind !== "trainer")
    throw new BiplaneError("INVALID_DEFINITION", `The token of ${id} must be of kind token or trainer.`);
  const end = expiresAt === undefined ? {} : { expiresAt: untilOf(token) };
  return Object.freeze({ kind, id, scopes: Object.freeze([...scopes]), ...end });
}

function untilOf({ id, expiresAt }: BearerToken): number {
  if (expiresAt === undefined) return Infinity;
  const until = Date.parse(expiresAt);
  if (Number.isNaN(until))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `expiresAt of the token of ${id} is not a time: ${expiresAt}. Use ISO 8601.`,
    );
  return until;
}

const minCharacters = 24;
