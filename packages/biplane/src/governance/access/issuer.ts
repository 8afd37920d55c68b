import type { FetchImplementation, createRemoteJWKSet } from "jose";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";

export interface IssuerOptions {
  readonly issuer: string;
  readonly jwksUri?: string | undefined;
  readonly keyCooldownMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
}

type Keys = ReturnType<typeof createRemoteJWKSet>;

/**
 * The keys of an authorization server: discovered through its metadata, fetched on demand, and refetched when they
 * change.
 */
export class Issuer {
  readonly #options: IssuerOptions;
  #keys: Promise<Keys> | undefined;
  #failedAt = -Infinity;

  constructor(options: IssuerOptions) {
    checkUrl(options.issuer, "issuer");
    if (options.jwksUri !== undefined) checkUrl(options.jwksUri, "jwksUri");
    this.#options = options;
  }

  keys(): Promise<Keys> {
    if (!this.#keys) {
      const keys = this.#find();
      this.#keys = keys;
      keys.catch(() => {
        this.#keys = undefined;
      });
    }
    return this.#keys;
  }

  async #find(): Promise<Keys> {
    const { issuer, jwksUri, keyCooldownMs } = this.#options;
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const fetch: FetchImplementation = (address, init) => this.#fetch(address, init);
    const url = jwksUri ?? (await this.#throttled(() => discover(issuer, this.#options.fetch)));
    return createRemoteJWKSet(new URL(url), { cooldownDuration: keyCooldownMs, [customFetch]: fetch });
  }

  #fetch(address: string, init: RequestInit): Promise<Response> {
    return this.#throttled(async () => {
      const response = await this.#options.fetch(address, init);
      if (!response.ok) throw new Error(`${address} returned status ${response.status}.`);
      return response;
    });
  }

  /** After a failure, wait before the next request, so that callers cannot make us flood the issuer. */
  async #throttled<T>(work: () => Promise<T>): Promise<T> {
    const { now } = this.#options;
    if (now() - this.#failedAt < retryMs)
      throw new BiplaneError("CAPACITY", "Tokens cannot be checked now. Try again in a few seconds.");
    try {
      return await work();
    } catch (error) {
      this.#failedAt = now();
      throw error;
    }
  }
}

const retryMs = 5000;

/** Finds the key set URL by RFC 8414 or OpenID Connect Discovery. The metadata must name the requested issuer. */
async function discover(issuer: string, fetch: typeof globalThis.fetch): Promise<string> {
  const problems: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    try {
      const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(5000) });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const { issuer: named, jwks_uri: uri } = (await response.json()) as Record<string, unknown>;
      if (named !== issuer) throw new Error(`the metadata names the issuer ${JSON.stringify(named)}`);
      if (typeof uri !== "string") throw new Error("the metadata has no jwks_uri");
      checkUrl(uri, "jwks_uri");
      return uri;
    } catch (error) {
      problems.push(`${address}: ${messageOf(error)}`);
    }
  }
  throw new BiplaneError("CAPACITY", "Tokens cannot be checked now: the issuer's keys were not found.", {
    cause: problems.join("; "),
  });
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
