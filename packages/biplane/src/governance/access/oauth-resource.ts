import type { JWTPayload } from "jose";
import { BiplaneError } from "@biplane/core";
import type { Authenticate, NetworkRequest, Principal } from "@biplane/core";
import { Issuer } from "./issuer.ts";
import { bearerOf, tokenHash } from "./token.ts";
import { verifyToken } from "./verify-token.ts";

export interface OAuthResourceOptions {
  /** The authorization server, exactly as in the `iss` claim of its tokens. */
  readonly issuer: string;
  /** The required `aud` claim. Usually the URL of this server: `https://tools.example.com/mcp`. */
  readonly audience: string | readonly string[];
  /** The resource URL that clients request tokens for (default: the first audience that is a URL). */
  readonly resource?: string;
  /** The URL of the issuer's key set (default: from the issuer's metadata). */
  readonly jwksUri?: string;
  /** Accepted signature algorithms (default: RS256, PS256, ES256 and EdDSA). Shared secrets are never accepted. */
  readonly algorithms?: readonly string[];
  /** Scopes that every token must have. Use `scopePolicy` for the scopes of single tools. */
  readonly requiredScopes?: readonly string[];
  /** More scopes that clients may request, such as those of a `scopePolicy`. */
  readonly scopes?: readonly string[];
  readonly clockToleranceSeconds?: number;
  /** How long a verified token is cached, at most until it expires (default: 300,000). */
  readonly rememberMs?: number;
  /** Minimum time between two fetches of the key set because of an unknown key (default: 30,000). */
  readonly keyCooldownMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
}

/** Makes this server an OAuth 2.1 resource server: it accepts signed tokens that one issuer made for it. */
export function oauthResource(options: OAuthResourceOptions): Authenticate {
  const { requiredScopes = [], rememberMs = 300_000, now = Date.now, fetch = globalThis.fetch } = options;
  const { issuer, jwksUri, keyCooldownMs = 30_000, clockToleranceSeconds = 30 } = options;
  const audience = [options.audience].flat();
  const algorithms = checkAlgorithms(options.algorithms ?? ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]);
  if (audience.length === 0 || audience.includes(""))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      "oauthResource needs an audience, the aud claim that tokens must have.",
    );
  const keys = new Issuer({ issuer, jwksUri, keyCooldownMs, fetch, now });
  const cache = new TokenCache(now);

  async function check(token: string, hash: string): Promise<Principal> {
    const claims = await verifyToken(token, keys, { issuer, audience, algorithms, clockToleranceSeconds, now });
    const expiresAt = ((claims.exp ?? 0) + clockToleranceSeconds) * 1000;
    const principal = principalOf(claims, expiresAt);
    const missing = requiredScopes.filter((scope) => !principal.scopes.includes(scope));
    if (missing.length > 0) {
      throw new BiplaneError("UNAUTHORIZED", `The token lacks the scope ${missing.join(" and ")}.`, {
        details: { error: "insufficient_scope", scopes: [...requiredScopes] },
      });
    }
    cache.add(hash, { principal, until: Math.min(expiresAt, now() + rememberMs) });
    return principal;
  }

  // Never from the path: personal OAuth tokens do not belong in URLs.
  const authenticate = ({ headers }: NetworkRequest) => {
    const token = bearerOf(headers["authorization"]);
    if (token === undefined || !isCompact(token)) return undefined;
    const hash = tokenHash(token);
    return cache.find(hash) ?? check(token, hash);
  };
  const resource = {
    resource: resourceOf(options.resource, audience),
    authorizationServers: Object.freeze([issuer]),
    requiredScopes: Object.freeze([...requiredScopes]),
    scopes: Object.freeze([...new Set([...requiredScopes, ...(options.scopes ?? [])])]),
  };
  return Object.assign(authenticate, { resource: Object.freeze(resource) });
}

/** Tokens that were verified recently, by hash. */
class TokenCache {
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

/** With a shared key, anyone who can verify tokens can forge them. `none` is not signed at all. */
function checkAlgorithms(algorithms: readonly string[]): readonly string[] {
  const wrong = algorithms.find((name) => !/^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/.test(name));
  if (wrong === undefined && algorithms.length > 0) return algorithms;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `algorithms must be asymmetric, such as RS256, ES256 or EdDSA${wrong === undefined ? "" : `, not ${wrong}`}.`,
  );
}

function resourceOf(given: string | undefined, audience: readonly string[]): string {
  const resource = given ?? audience.find((each) => /^https?:\/\//.test(each));
  if (resource !== undefined && URL.canParse(resource)) return resource;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    "oauthResource needs resource, the URL of this server, because no audience is a URL.",
  );
}

/** Other kinds of tokens are left to other authenticators. */
function isCompact(token: string): boolean {
  return token.split(".", 4).length === 3;
}

function principalOf(claims: JWTPayload, expiresAt: number): Principal {
  const id = [claims.sub, claims["client_id"], claims["azp"]].find((each) => typeof each === "string" && each !== "");
  if (typeof id !== "string") {
    const message = "The token has no subject: neither sub nor client_id is set.";
    throw new BiplaneError("UNAUTHORIZED", message, { details: { error: "invalid_token" } });
  }
  const scopes = Object.freeze(scopesOf(claims["scope"] ?? claims["scp"]));
  return Object.freeze({ kind: "token", id, scopes, expiresAt });
}

/** OAuth uses one space-separated string; some issuers use a list. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}
