import { BiplaneError } from "@biplane/core";
import type { Authenticate, NetworkRequest, Principal } from "@biplane/core";
import { accessTokenOf, invalidToken } from "./access-token.ts";
import type { AccessToken } from "./access-token.ts";
import { DpopProofs } from "./dpop-proofs.ts";
import type { DpopOptions } from "./dpop-proofs.ts";
import { Introspection } from "./introspection.ts";
import type { IntrospectionOptions } from "./introspection.ts";
import { Issuer } from "./issuer.ts";
import { credentialsOf, tokenHash } from "./token.ts";
import { TokenCache } from "./token-cache.ts";
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
  /** Accepted types of signed tokens, the header `typ` (default: `at+jwt`). Some issuers can only make `JWT`. */
  readonly tokenTypes?: readonly string[];
  /** Scopes that every token must have. Use `scopePolicy` for the scopes of single tools. */
  readonly requiredScopes?: readonly string[];
  /** More scopes that clients may request, such as those of a `scopePolicy`. */
  readonly scopes?: readonly string[];
  /** Tokens that are bound to a key are accepted with a DPoP proof only. */
  readonly dpop?: DpopOptions;
  /** Asks the issuer about tokens that are not signed (default: they are refused). */
  readonly introspection?: IntrospectionOptions;
  /** What clients call the root of this server, for DPoP (default: the origin of `resource`). */
  readonly baseUrl?: string;
  readonly clockToleranceSeconds?: number;
  /** How long a verified token is cached, at most until it expires (default: 300,000; 60,000 with introspection). */
  readonly rememberMs?: number;
  /** Minimum time between two fetches of the key set because of an unknown key (default: 30,000). */
  readonly keyCooldownMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
}

/** Makes this server an OAuth 2.1 resource server: it accepts tokens that one issuer made for it. */
export function oauthResource(options: OAuthResourceOptions): Authenticate {
  const { requiredScopes = [], now = Date.now, fetch = globalThis.fetch, dpop = {} } = options;
  const { issuer, jwksUri, keyCooldownMs = 30_000, clockToleranceSeconds = 30 } = options;
  const audience = [options.audience].flat();
  const algorithms = checkAlgorithms(options.algorithms ?? ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"]);
  const types = (options.tokenTypes ?? ["at+jwt"]).map((type) => type.toLowerCase().replace(/^application\//, ""));
  if (audience.length === 0 || audience.includes(""))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      "oauthResource needs an audience, the aud claim that tokens must have.",
    );
  const resource = resourceOf(options.resource, audience);
  const source = new Issuer({ issuer, jwksUri, keyCooldownMs, fetch, now });
  const cache = new TokenCache<AccessToken>(now);
  const expected = { issuer, audience, clockToleranceSeconds, now };
  const introspection = options.introspection && new Introspection(source, options.introspection, expected);
  const proofAlgorithms = checkAlgorithms(dpop.algorithms ?? ["ES256", "EdDSA", "Ed25519", "PS256", "RS256"]);
  const baseUrl = options.baseUrl ?? new URL(resource).origin;
  const proofs = new DpopProofs(dpop, { baseUrl, algorithms: proofAlgorithms, clockToleranceSeconds, now });

  async function check(token: string, hash: string): Promise<AccessToken> {
    const isAsked = introspection && (options.introspection?.always === true || !isCompact(token));
    const claims = isAsked
      ? await introspection.check(token)
      : await verifyToken(token, source, { ...expected, algorithms, types });
    const { rememberMs = isAsked ? 60_000 : 300_000 } = options;
    // An issuer need not say when an opaque token expires. Open connections end after an hour then.
    const expiresAt = claims.exp === undefined ? now() + 3_600_000 : (claims.exp + clockToleranceSeconds) * 1000;
    const known = accessTokenOf(claims, { issuer, expiresAt });
    const missing = requiredScopes.filter((scope) => !known.principal.scopes.includes(scope));
    if (missing.length > 0) {
      throw new BiplaneError("UNAUTHORIZED", `The token lacks the scope ${missing.join(" and ")}.`, {
        details: { error: "insufficient_scope", scopes: [...requiredScopes] },
      });
    }
    cache.add(hash, known, Math.min(expiresAt, now() + rememberMs));
    return known;
  }

  function admit(known: AccessToken, { scheme, token }: Credentials, request: NetworkRequest): Admitted {
    const { principal, thumbprint } = known;
    if (scheme === "bearer" && thumbprint !== undefined)
      throw invalidToken("The token is bound to a key. Send it with the scheme DPoP and a proof.", "DPoP");
    if (scheme === "bearer" && dpop.required)
      throw invalidToken("Tokens must be bound to a key with DPoP here. Request such a token.", "DPoP");
    if (scheme === "bearer") return principal;
    if (thumbprint === undefined)
      throw invalidToken("The token is not bound to a key. Send it with the scheme Bearer.");
    return proofs.check(request, token, thumbprint).then(() => principal);
  }

  // Never from the path: personal OAuth tokens do not belong in URLs.
  const authenticate = (request: NetworkRequest): Admitted | undefined => {
    const given = credentialsOf(request.headers["authorization"]);
    if (!given || (!isCompact(given.token) && !introspection) || isOurs(given.token)) return undefined;
    const hash = tokenHash(given.token);
    const known = cache.find(hash);
    return known ? admit(known, given, request) : check(given.token, hash).then((late) => admit(late, given, request));
  };
  return Object.assign(authenticate, {
    resource: Object.freeze({
      resource,
      authorizationServers: Object.freeze([issuer]),
      requiredScopes: Object.freeze([...requiredScopes]),
      scopes: Object.freeze([...new Set([...requiredScopes, ...(options.scopes ?? [])])]),
      dpop: Object.freeze({ algorithms: Object.freeze([...proofAlgorithms]), isRequired: dpop.required ?? false }),
    }),
  });
}

type Credentials = NonNullable<ReturnType<typeof credentialsOf>>;
type Admitted = Principal | Promise<Principal>;

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

/** Other kinds of tokens are left to other authenticators, or the issuer is asked about them. */
function isCompact(token: string): boolean {
  return token.split(".", 4).length === 3;
}

/** Our own tokens must not be sent to the issuer. */
function isOurs(token: string): boolean {
  return token.startsWith("biplane_");
}
