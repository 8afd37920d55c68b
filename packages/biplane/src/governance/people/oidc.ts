import { BiplaneError } from "@biplane/core";
import { cutBetweenWords, messageOf } from "@biplane/core/internal";
import type * as OAuth4WebApi from "oauth4webapi";
import type { AuthorizationServer, Client } from "oauth4webapi";
import { checkUrl, Issuer } from "../access/issuer.ts";
import { madeOnce } from "../access/made-once.ts";
import { verifyToken } from "../access/verify-token.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { ProvidedPerson } from "./person.ts";
import { roleNames } from "./roles.ts";
import type { Role } from "./roles.ts";

export interface OidcOptions {
  /** The provider, exactly as in the `iss` claim of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** Omit it for a public client. */
  readonly clientSecret?: string | undefined;
  /** The name of the provider on the page (default: the host of the issuer). */
  readonly label?: string | undefined;
  /** Requested scopes (default: openid, profile and email). */
  readonly scopes?: readonly string[];
  /** The claim that names the account (default: `preferred_username`, otherwise `email`). */
  readonly nameClaim?: string | undefined;
  /** The claim with the groups of a person (default: `groups`). */
  readonly rolesClaim?: string | undefined;
  /** Roles by group. A person in several groups gets the highest role. */
  readonly roles?: Readonly<Record<string, Role>>;
  /** The role of a person in none of these groups (default: none, so that they cannot sign in). */
  readonly defaultRole?: Role | undefined;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
}

/** What a browser keeps between leaving for the provider and coming back. It proves that the same browser returned. */
export interface OidcAttempt {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

/** Signs people in with an OpenID Connect provider: authorization code with PKCE. It keeps no state. */
export class OidcSignIn {
  readonly label: string;
  readonly #options: OidcOptions;
  readonly #now: () => number;
  readonly #issuer: Issuer;
  /** Anyone can ask for an exchange, so that a flood must not reach the provider. */
  readonly #exchanges = new ConcurrencyLimit({ running: 4, waiting: 32 });
  readonly #discover = madeOnce(() => this.#fetchMetadata());

  constructor(options: OidcOptions) {
    checkUrl(options.issuer, "signIn.oidc.issuer");
    if (Object.keys(options.roles ?? {}).length === 0 && options.defaultRole === undefined)
      throw new BiplaneError(
        "INVALID_DEFINITION",
        "signIn.oidc needs roles or defaultRole. Without them nobody could sign in.",
      );
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.label = options.label ?? new URL(options.issuer).host;
    const { issuer, fetch = globalThis.fetch } = options;
    this.#issuer = new Issuer({ issuer, keyCooldownMs: 30_000, fetch, now: this.#now });
  }

  /** The address that the browser opens, and what it keeps. */
  async start(redirectUri: string): Promise<OidcAttempt & { readonly url: string }> {
    const oauth = await import("oauth4webapi");
    const { authorization_endpoint: endpoint } = await this.#discover();
    // The browser opens it, so that it must not be a script.
    if (endpoint === undefined || !/^https?:\/\//i.test(endpoint))
      throw unavailable("its metadata has no valid authorization_endpoint");
    const attempt = {
      state: oauth.generateRandomState(),
      verifier: oauth.generateRandomCodeVerifier(),
      nonce: oauth.generateRandomNonce(),
    };
    const url = new URL(endpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#options.clientId,
      redirect_uri: redirectUri,
      scope: (this.#options.scopes ?? ["openid", "profile", "email"]).join(" "),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { ...attempt, url: url.href };
  }

  /** Checks what the provider sent the browser back with, and returns the person. */
  async finish(search: string, { redirectUri, ...attempt }: OidcAttempt & { readonly redirectUri: string }) {
    const claims = await this.#exchanges.run(() => this.#claims(search, { redirectUri, ...attempt }));
    return this.#personOf(claims);
  }

  async #claims(
    search: string,
    { state, verifier, nonce, redirectUri }: OidcAttempt & { readonly redirectUri: string },
  ): Promise<Readonly<Record<string, unknown>>> {
    const oauth = await import("oauth4webapi");
    const provider = await this.#discover();
    const { issuer, clientId, clientSecret } = this.#options;
    const client: Client = { client_id: clientId };
    const authentication = clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
    let token: string | undefined;
    try {
      const parameters = oauth.validateAuthResponse(provider, client, new URLSearchParams(search), state);
      const response = await oauth.authorizationCodeGrantRequest(
        provider,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        this.#requests(oauth),
      );
      const answer = await oauth.processAuthorizationCodeResponse(provider, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      token = answer.id_token;
    } catch (error) {
      throw new BiplaneError("UNAUTHORIZED", `${this.label} did not sign you in: ${reasonOf(error)}. Try again.`, {
        cause: error,
      });
    }
    // The library checks the claims; the signature is checked here.
    return verifyToken(token ?? "", this.#issuer, {
      issuer,
      audience: [clientId],
      algorithms: ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"],
      types: ["jwt"],
      clockToleranceSeconds: 30,
      now: this.#now,
    });
  }

  #personOf(claims: Readonly<Record<string, unknown>>): ProvidedPerson {
    const { issuer, nameClaim, rolesClaim = "groups", roles = {}, defaultRole } = this.#options;
    const subject = claims["sub"];
    const names = nameClaim === undefined ? ["preferred_username", "email"] : [nameClaim];
    const name = names.map((each) => claims[each]).find((each) => typeof each === "string" && each !== "");
    if (typeof subject !== "string" || typeof name !== "string")
      throw new BiplaneError(
        "FORBIDDEN",
        `${this.label} sent no ${names.join(" or ")}. Set signIn.oidc.nameClaim to a claim that it sends.`,
      );
    const groups = [claims[rolesClaim]].flat();
    const held = groups.flatMap((group) =>
      typeof group === "string" && Object.hasOwn(roles, group) ? (roles[group] ?? []) : [],
    );
    const role = roleNames.findLast((each) => held.includes(each)) ?? defaultRole ?? null;
    const refusal = `${name} has no role here. None of the groups in the claim ${rolesClaim} is in signIn.oidc.roles.`;
    const { email, email_verified: isVerified } = claims;
    return {
      issuer,
      subject,
      name,
      role,
      ...(role === null && { refusal }),
      ...(typeof email === "string" && isVerified === true && { email }),
    };
  }

  async #fetchMetadata(): Promise<AuthorizationServer> {
    const oauth = await import("oauth4webapi");
    const issuer = new URL(this.#options.issuer);
    try {
      const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...this.#requests(oauth) });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      throw unavailable(reasonOf(error), error);
    }
  }

  /** As for keys: no redirects, up to 1 MiB, and nothing on this machine for a remote provider. */
  #requests({ customFetch, allowInsecureRequests }: typeof OAuth4WebApi) {
    return {
      [customFetch]: (address: string, init: RequestInit) => this.#issuer.fetch(address, init),
      [allowInsecureRequests]: true, // the issuer's `fetch` decides
      signal: AbortSignal.timeout(10_000),
    };
  }
}

function unavailable(why: string, cause?: unknown): BiplaneError {
  return new BiplaneError("CAPACITY", `The sign-in provider cannot be reached: ${why}. Try again in a minute.`, {
    cause,
  });
}

/** Errors of the provider have a code, such as `access_denied`. The text may be anything, so it is cut. */
function reasonOf(error: unknown): string {
  const { error: code } = error as { readonly error?: unknown };
  return cutBetweenWords(typeof code === "string" ? code : messageOf(error), 200);
}
