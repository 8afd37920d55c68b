import type { JWTPayload } from "jose";
import { BiplaneError } from "../../errors.ts";
import type { Authenticate, NetworkRequest } from "../../server/authenticate.ts";
import type { Principal } from "../../tool/call.ts";
import { Issuer } from "./issuer.ts";
import { bearerOf, tokenHash } from "./token.ts";
import { verifyToken } from "./verify-token.ts";

export interface OAuthOptions {
  /** The authorization server, exactly as its tokens name it. */
  readonly issuer: string;
  /** Whom tokens must be for. Usually the address of this server: `https://tools.example.com/mcp`. */
  readonly audience: string | readonly string[];
  /** The address that clients ask tokens for. Left out: the first audience that is one. */
  readonly resource?: string;
  /** Where the issuer's keys are. Left out: its metadata say so. */
  readonly jwksUri?: string;
  /** Which signatures count. Left out: RS256, PS256, ES256 and EdDSA. Shared secrets are never accepted. */
  readonly algorithms?: readonly string[];
  /** What every token must have, whatever it is used for. What single tools need, `scopePolicy` says. */
  readonly requiredScopes?: readonly string[];
  /** Further scopes that clients may ask for, such as those of a `scopePolicy`. */
  readonly scopes?: readonly string[];
  readonly clockToleranceSeconds?: number;
  /** How long a token that was found good is not looked at again; at most until it expires. */
  readonly rememberMs?: number;
  /** How long after fetching keys an unknown one is no reason to fetch them again. */
  readonly keyCooldownMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
}

/** Makes this server an OAuth 2.1 resource server: it takes signed tokens that one issuer made for it. */
export function oauthResource(options: OAuthOptions): Authenticate {
  const { requiredScopes = [], rememberMs = 300_000, now = Date.now, fetch = globalThis.fetch } = options;
  const { issuer, jwksUri, keyCooldownMs = 30_000, clockToleranceSeconds = 30 } = options;
  const audience = [options.audience].flat();
  const algorithms = checkAlgorithms(options.algorithms ?? ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]);
  if (audience.length === 0 || audience.includes(""))
    throw new BiplaneError("INVALID_DEFINITION", "oauthResource needs an audience: whom tokens must be for");
  const keys = new Issuer({ issuer, jwksUri, keyCooldownMs, fetch, now });
  const remembered = new Remembered(now);

  async function check(token: string, hash: string): Promise<Principal> {
    const claims = await verifyToken(token, keys, { issuer, audience, algorithms, clockToleranceSeconds, now });
    const expiresAt = ((claims.exp ?? 0) + clockToleranceSeconds) * 1000;
    const principal = principalOf(claims, expiresAt);
    const missing = requiredScopes.filter((scope) => !principal.scopes.includes(scope));
    if (missing.length > 0) {
      throw new BiplaneError("UNAUTHORIZED", `The token lacks the scope ${missing.join(" and ")}`, {
        details: { error: "insufficient_scope", scopes: [...requiredScopes] },
      });
    }
    remembered.add(hash, { principal, until: Math.min(expiresAt, now() + rememberMs) });
    return principal;
  }

  // Never from the path: tokens of people's accounts do not belong into addresses.
  const authenticate = ({ headers }: NetworkRequest) => {
    const token = bearerOf(headers["authorization"]);
    if (token === undefined || !isCompact(token)) return undefined;
    const hash = tokenHash(token);
    return remembered.find(hash) ?? check(token, hash);
  };
  const resource = {
    resource: resourceOf(options.resource, audience),
    authorizationServers: Object.freeze([issuer]),
    requiredScopes: Object.freeze([...requiredScopes]),
    scopes: Object.freeze([...new Set([...requiredScopes, ...(options.scopes ?? [])])]),
  };
  return Object.assign(authenticate, { resource: Object.freeze(resource) });
}

/** Tokens that were good a moment ago, by their hash. */
class Remembered {
  readonly #known = new Map<string, { readonly principal: Principal; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  find(hash: string): Principal | undefined {
    const found = this.#known.get(hash);
    if (!found || this.#now() < found.until) return found?.principal;
    this.#known.delete(hash);
    return undefined;
  }

  add(hash: string, entry: { principal: Principal; until: number }): void {
    if (this.#known.size >= 10_000) this.#known.delete(this.#known.keys().next().value ?? "");
    this.#known.set(hash, entry);
  }
}

/** A key that both sides know would let everyone who may check tokens make them, and `none` is no signature at all. */
function checkAlgorithms(algorithms: readonly string[]): readonly string[] {
  const wrong = algorithms.find((name) => !/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/.test(name));
  if (wrong === undefined && algorithms.length > 0) return algorithms;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `algorithms must be asymmetric ones such as RS256, ES256 or EdDSA${wrong === undefined ? "" : `, not ${wrong}`}`,
  );
}

function resourceOf(given: string | undefined, audience: readonly string[]): string {
  const resource = given ?? audience.find((each) => /^https?:\/\//.test(each));
  if (resource !== undefined && URL.canParse(resource)) return resource;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    "oauthResource needs resource, the address of this server, because the audience is none",
  );
}

/** Tokens of other kinds are for other authenticators. */
function isCompact(token: string): boolean {
  return token.split(".", 4).length === 3;
}

function principalOf(claims: JWTPayload, expiresAt: number): Principal {
  const id = [claims.sub, claims["client_id"], claims["azp"]].find((each) => typeof each === "string" && each !== "");
  if (typeof id !== "string") {
    const message = "The token names nobody: it has neither sub nor client_id";
    throw new BiplaneError("UNAUTHORIZED", message, { details: { error: "invalid_token" } });
  }
  const scopes = Object.freeze(scopesOf(claims["scope"] ?? claims["scp"]));
  return Object.freeze({ kind: "token", id, scopes, expiresAt });
}

/** OAuth writes scopes in one text, some issuers as a list. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}
