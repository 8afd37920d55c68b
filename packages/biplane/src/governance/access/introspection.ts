import type { ClientAuth, IntrospectionResponse } from "oauth4webapi";
import { BiplaneError } from "@biplane/core";
import { messageOf, secretBasic } from "@biplane/core/internal";
import { invalidToken } from "./access-token.ts";
import { IssuerBreaker } from "./issuer-breaker.ts";
import type { Issuer } from "./issuer.ts";
import { TokenCache } from "./token-cache.ts";
import { tokenHash } from "./token.ts";

/** Asks the issuer about tokens (RFC 7662). */
export interface IntrospectionOptions {
  /** The client by which the issuer knows this server. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Authenticates with a key instead of a secret. `pem` is PKCS #8. */
  readonly privateKey?: { readonly pem: string; readonly algorithm?: string };
  /** The introspection endpoint (default: from the issuer's metadata). */
  readonly endpoint?: string;
  /** Also asks about signed tokens, so that revoked ones are refused (default: only about others). */
  readonly always?: boolean;
}

export interface ExpectedAnswer {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly now: () => number;
}

/** Returns what the issuer says about an active token that is meant for us. */
export class Introspection {
  readonly #issuer: Issuer;
  readonly #options: IntrospectionOptions;
  readonly #expected: ExpectedAnswer;
  /** Separate from that of the keys: signed tokens are accepted while the issuer answers about none. */
  readonly #breaker: IssuerBreaker;
  readonly #refused: TokenCache<IntrospectionResponse>;
  #running = 0;

  constructor(issuer: Issuer, options: IntrospectionOptions, expected: ExpectedAnswer) {
    if ((options.clientSecret === undefined) === (options.privateKey === undefined))
      throw new BiplaneError("INVALID_DEFINITION", "introspection needs either clientSecret or privateKey.");
    this.#issuer = issuer;
    this.#options = options;
    this.#expected = expected;
    this.#breaker = new IssuerBreaker(expected.now);
    this.#refused = new TokenCache(expected.now);
  }

  async check(token: string): Promise<IntrospectionResponse> {
    // Anyone can send made-up tokens. They must not turn into a flood of requests to the issuer.
    const hash = tokenHash(token);
    const refused = this.#refused.find(hash);
    if (refused) return this.#accept(refused);
    if (this.#running >= maxRunning)
      throw new BiplaneError("CAPACITY", "Too many tokens are being checked. Try again in a few seconds.");
    this.#running++;
    const answer = await this.#ask(token).finally(() => this.#running--);
    try {
      return this.#accept(answer);
    } catch (error) {
      this.#refused.add(hash, answer, this.#expected.now() + refusedMs);
      throw error;
    }
  }

  async #ask(token: string): Promise<IntrospectionResponse> {
    const oauth = await import("oauth4webapi");
    const { issuer } = this.#expected;
    const metadata = () => this.#breaker.run(() => this.#issuer.metadata());
    const endpoint = this.#options.endpoint ?? (await metadata())["introspection_endpoint"];
    if (typeof endpoint !== "string")
      throw new BiplaneError("CAPACITY", "Tokens cannot be checked now: the issuer names no introspection_endpoint.", {
        cause: "Set introspection.endpoint.",
      });
    const server = { issuer, introspection_endpoint: endpoint };
    const client = { client_id: this.#options.clientId };
    const settings = {
      [oauth.customFetch]: (url: string, init: RequestInit) => this.#breaker.run(() => this.#fetch(url, init)),
      [oauth.allowInsecureRequests]: true, // the issuer's `fetch` decides
      signal: AbortSignal.timeout(5000),
    };
    try {
      const authentication = await this.#authentication();
      const response = await oauth.introspectionRequest(server, client, authentication, token, settings);
      if (response.status === 400) return { active: false }; // This token is at fault, and not the issuer.
      return await oauth.processIntrospectionResponse(server, client, response);
    } catch (error) {
      throw new BiplaneError("CAPACITY", "Tokens cannot be checked now: the issuer did not answer about this one.", {
        cause: messageOf(error),
      });
    }
  }

  /** Throws only if the issuer is in trouble. Any other answer may be the fault of this token. */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const response = await this.#issuer.fetch(url, init);
    if (response.status >= 500) throw new Error(`${url} returned status ${response.status}.`);
    return response;
  }

  async #authentication(): Promise<ClientAuth> {
    const { clientSecret, privateKey } = this.#options;
    if (!privateKey) return secretBasic(clientSecret ?? "");
    const [{ PrivateKeyJwt }, { importPKCS8 }] = await Promise.all([import("oauth4webapi"), import("jose")]);
    return PrivateKeyJwt(await importPKCS8(privateKey.pem, privateKey.algorithm ?? "ES256"));
  }

  #accept(answer: IntrospectionResponse): IntrospectionResponse {
    const { issuer, audience, clockToleranceSeconds, now } = this.#expected;
    const { active, iss, aud, exp, nbf } = answer;
    const seconds = now() / 1000;
    // The library does not check them. "1" + 30 is 130.
    if ([exp ?? 0, nbf ?? 0].some((time) => !Number.isFinite(time)))
      throw invalidToken("The issuer's answer about the token has an invalid time (exp or nbf).");
    if (!active || (exp !== undefined && exp + clockToleranceSeconds <= seconds))
      throw invalidToken("The token has expired, was revoked, or is not one of the issuer's.");
    if (iss !== undefined && iss !== issuer) throw invalidToken("The token comes from another issuer.");
    if (![aud ?? []].flat().some((each) => audience.includes(each)))
      throw invalidToken("The token's audience is not this server.");
    if (nbf !== undefined && nbf - clockToleranceSeconds > seconds) throw invalidToken("The token is not valid yet.");
    return answer;
  }
}

const maxRunning = 64;
const refusedMs = 5000;
