import { BiplaneError } from "../../errors.ts";
import type { Authenticate } from "../../server/authenticate.ts";
import type { Principal } from "../../tool/call.ts";
import { checkHash, tokenHash, tokenOf } from "./token.ts";

/** A token that somebody holds, written down as it is or, better, as its hash. */
export interface BearerToken {
  /** Whom calls with it are counted and recorded as. Several tokens may have one id. */
  readonly id: string;
  /** A trainer's token opens the trainers' doors too. Left out: `token`, for agents. */
  readonly kind?: "token" | "trainer";
  readonly scopes?: readonly string[];
  readonly token?: string;
  /** `sha256:` and 64 hex digits, as `biplane token new` prints it. */
  readonly hash?: string;
  /** ISO 8601; from then on it is refused. */
  readonly expiresAt?: string;
}

/**
 * Lets in whoever brings one of these tokens. They are looked up by their SHA-256, so how long it takes says nothing
 * about a token that is nearly right.
 */
export function bearerTokens(tokens: readonly BearerToken[], options: { now?: () => number } = {}): Authenticate {
  const { now = Date.now } = options;
  const known = new Map<string, Known>();
  for (const each of tokens) {
    const hash = hashOf(each);
    if (known.has(hash)) throw new BiplaneError("INVALID_DEFINITION", `two tokens are the same, one of ${each.id}`);
    known.set(hash, { principal: principalOf(each), until: untilOf(each) });
  }
  return (request) => {
    const token = tokenOf(request);
    const found = token === undefined ? undefined : known.get(tokenHash(token));
    if (found && now() >= found.until) {
      throw new BiplaneError("UNAUTHORIZED", "The token has expired", { details: { error: "invalid_token" } });
    }
    return found?.principal;
  };
}

interface Known {
  readonly principal: Principal;
  readonly until: number;
}

function hashOf({ id, token, hash }: BearerToken): string {
  if (!id) throw new BiplaneError("INVALID_DEFINITION", "every token needs an id: who holds it");
  if ((token === undefined) === (hash === undefined))
    throw new BiplaneError("INVALID_DEFINITION", `the token of ${id} needs either token or hash`);
  if (hash !== undefined) return checkHash(hash, id);
  if (token === undefined || token.length < fewestCharacters || !/^[\w.~+/-]+=*$/.test(token)) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `the token of ${id} must have ${fewestCharacters} characters or more that fit into a header; \`biplane token new\` makes one`,
    );
  }
  return tokenHash(token);
}

function principalOf(token: BearerToken): Principal {
  const { id, kind = "token", scopes = [], expiresAt } = token;
  if (kind !== "token" && kind !== "trainer")
    throw new BiplaneError("INVALID_DEFINITION", `the token of ${id} must be of kind token or trainer`);
  const end = expiresAt === undefined ? {} : { expiresAt: untilOf(token) };
  return Object.freeze({ kind, id, scopes: Object.freeze([...scopes]), ...end });
}

function untilOf({ id, expiresAt }: BearerToken): number {
  if (expiresAt === undefined) return Infinity;
  const until = Date.parse(expiresAt);
  if (Number.isNaN(until))
    throw new BiplaneError("INVALID_DEFINITION", `expiresAt of the token of ${id} is no time: ${expiresAt}`);
  return until;
}

const fewestCharacters = 24;
