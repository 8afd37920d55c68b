import { createHash, randomUUID } from "node:crypto";
import type { JWK } from "jose";

/** A key of ours that tokens are bound to, and the proofs that we hold it. */
export class DpopKey {
  /** The private key, to be kept with the tokens. */
  readonly jwk: JWK;
  readonly #nonces = new Map<string, string>();
  readonly #now: () => number;

  private constructor(jwk: JWK, now: () => number) {
    this.jwk = jwk;
    this.#now = now;
  }

  /** The key that was kept, or a new one. */
  static async load(kept: JWK | undefined, now: () => number): Promise<DpopKey> {
    if (kept) return new DpopKey(kept, now);
    const { exportJWK, generateKeyPair } = await import("jose");
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    return new DpopKey(await exportJWK(privateKey), now);
  }

  /** Takes note of the nonce that a server wants to see next. True where it is a new one. */
  learn(url: string, headers: Headers): boolean {
    const nonce = headers.get("dpop-nonce");
    const { origin } = new URL(url);
    if (nonce === null || this.#nonces.get(origin) === nonce) return false;
    this.#nonces.set(origin, nonce);
    return true;
  }

  /** A proof for one request, good for that request only. */
  async proof(request: { method: string; url: string }, accessToken?: string): Promise<string> {
    const { SignJWT, importJWK } = await import("jose");
    const { origin, pathname } = new URL(request.url);
    const nonce = this.#nonces.get(origin);
    const { d: _, ...publicKey } = this.jwk;
    const claims = {
      htm: request.method,
      htu: `${origin}${pathname}`,
      jti: randomUUID(),
      ...(nonce !== undefined && { nonce }),
      ...(accessToken !== undefined && { ath: createHash("sha256").update(accessToken).digest("base64url") }),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk: publicKey })
      .setIssuedAt(Math.floor(this.#now() / 1000))
      .sign(await importJWK(this.jwk, "ES256"));
  }
}
