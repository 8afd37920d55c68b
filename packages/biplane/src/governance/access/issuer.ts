import type { FetchImplementation, createRemoteJWKSet } from "jose";
import { BiplaneError } from "@biplane/core";
import { issuerFetch, messageOf } from "@biplane/core/internal";
import { madeOnce } from "./made-once.ts";
import { IssuerBreaker } from "./issuer-breaker.ts";

export interface IssuerOptions {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
  readonly keyCooldownMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
}

type Metadata = Readonly<Record<string, unknown>>;
type Keys = ReturnType<typeof createRemoteJWKSet>;

/**
 * An authorization server: its metadata, and its keys, which are fetched on demand and refetched when they change.
 */
export class Issuer {
  readonly #options: IssuerOptions;
  /** To the issuer and what its metadata name: no redirects, up to 1 MiB, and nothing local for a remote issuer. */
  readonly fetch: (address: string, init?: RequestInit) => Promise<Response>;
  readonly keys = madeOnce(() => this.#findKeys());
  readonly metadata = madeOnce(() => discover(this.#options.issuer, this.fetch));
  readonly #breaker: IssuerBreaker;

  constructor(options: IssuerOptions) {
    checkUrl(options.issuer, "issuer");
    if (options.jwksUri !== undefined) checkUrl(options.jwksUri, "jwksUri");
    this.#options = options;
    this.#breaker = new IssuerBreaker(options.now);
    const fetch = issuerFetch(options.issuer, (url, init) => options.fetch(url, init));
    this.fetch = (address, init) => fetch(address, { signal: AbortSignal.timeout(5000), ...init });
  }

  async #findKeys(): Promise<Keys> {
    const { jwksUri, keyCooldownMs } = this.#options;
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const fetch: FetchImplementation = (address, init) => this.#fetch(address, init);
    const url = jwksUri ?? (await this.#breaker.run(async () => keySetIn(await this.metadata())));
    return createRemoteJWKSet(new URL(url), { cooldownDuration: keyCooldownMs, [customFetch]: fetch });
  }

  #fetch(address: string, init: RequestInit): Promise<Response> {
    return this.#breaker.run(async () => {
      const response = await this.fetch(address, init);
      if (!response.ok) throw new Error(`${address} returned status ${response.status}.`);
      return response;
    });
  }
}

/** Finds the metadata by RFC 8414 or OpenID Connect Discovery. They must name the requested issuer. */
async function discover(issuer: string, fetch: Issuer["fetch"]): Promise<Metadata> {
  const problems: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`status ${response.status}`);
      const metadata = (await response.json()) as Metadata;
      const { issuer: named } = metadata;
      if (named !== issuer) throw new Error(`the metadata names the issuer ${JSON.stringify(named)}`);
      return metadata;
    } catch (error) {
      problems.push(`${address}: ${messageOf(error)}`);
    }
  }
  throw notFound(problems.join("; "));
}

function keySetIn({ jwks_uri: uri }: Metadata): string {
  if (typeof uri !== "string") throw notFound("the metadata has no jwks_uri");
  checkUrl(uri, "jwks_uri");
  return uri;
}

function notFound(cause: string): BiplaneError {
  return new BiplaneError("CAPACITY", "Tokens cannot be checked now: the issuer's keys were not found.", { cause });
}

function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    ...(path === "" ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
  ];
}

/** Keys fetched over plain HTTP could be forged. Loopback is safe. */
export function checkUrl(text: string, name: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return;
  throw new BiplaneError("INVALID_DEFINITION", `${name} must be an https URL, not ${JSON.stringify(text)}.`);
}
