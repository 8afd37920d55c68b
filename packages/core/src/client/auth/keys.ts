import { createPrivateKey, webcrypto } from "node:crypto";
import { allowInsecureRequests, customFetch, DPoP, generateKeyPair, protectedResourceRequest } from "oauth4webapi";
import type { DPoPHandle } from "oauth4webapi";
import { BiplaneError } from "../../errors.ts";

type CryptoKey = webcrypto.CryptoKey;
type JsonWebKey = webcrypto.JsonWebKey;

/** The key that tokens are bound to (RFC 9449), with its private JWK, which is saved with the tokens. */
export interface DpopKey {
  readonly handle: DPoPHandle;
  readonly jwk: JsonWebKey;
}

/** Loads a saved key or creates a new one. */
export async function loadDpopKey(saved: JsonWebKey | undefined): Promise<DpopKey> {
  const pair = saved ? await importPair(saved) : await generateKeyPair("ES256", { extractable: true });
  return { handle: DPoP({}, pair), jwk: saved ?? (await webcrypto.subtle.exportKey("jwk", pair.privateKey)) };
}

async function importPair(jwk: JsonWebKey): Promise<{ privateKey: CryptoKey; publicKey: CryptoKey }> {
  const read = ({ kty, crv, x, y, d }: JsonWebKey, use: "sign" | "verify") => {
    const key = { kty, crv, x, y, ...(use === "sign" && { d }) } as JsonWebKey;
    return webcrypto.subtle.importKey("jwk", key, { name: "ECDSA", namedCurve: "P-256" }, true, [use]);
  };
  return { privateKey: await read(jwk, "sign"), publicKey: await read(jwk, "verify") };
}

/** The headers that prove the key for one request with `accessToken`. */
export async function proveKey(
  { handle }: DpopKey,
  request: { method: string; url: string; accessToken: string },
): Promise<Record<string, string>> {
  let headers: Record<string, string> = {};
  await pretend(handle, { ...request, fetch: async (_, init) => ((headers = init.headers), new Response()) });
  return headers;
}

/** Keeps the nonce in a server's answer for the next proof. */
export async function keepNonce(
  { handle }: DpopKey,
  { url, headers }: { url: string; headers: Headers },
): Promise<void> {
  const answer = new Headers({ "dpop-nonce": headers.get("dpop-nonce") ?? "" });
  const fetch = async () => new Response(null, { headers: answer });
  await pretend(handle, { method: "GET", url, accessToken: "none", fetch });
}

/** The library signs proofs and reads nonces only in requests that it sends. Ours are sent by the transports. */
function pretend(
  handle: DPoPHandle,
  { method, url, accessToken, fetch }: { method: string; url: string; accessToken: string; fetch: LibraryFetch },
): Promise<Response> {
  const options = { DPoP: handle, [customFetch]: fetch, [allowInsecureRequests]: true };
  return protectedResourceRequest(accessToken, method, new URL(url), undefined, undefined, options);
}

type LibraryFetch = (url: string, init: { headers: Record<string, string> }) => Promise<Response>;

/** Reads a private key in PEM (PKCS #8) for signatures with `algorithm`. */
export async function importPem({ pem, algorithm = "ES256" }: { pem: string; algorithm?: string }): Promise<CryptoKey> {
  const named = Object.hasOwn(algorithms, algorithm) ? algorithms[algorithm] : undefined;
  if (!named) {
    const known = Object.keys(algorithms).join(", ");
    throw new BiplaneError("INVALID_DEFINITION", `Cannot sign with ${algorithm}. Use one of ${known}.`);
  }
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, named, false, ["sign"]);
}

const algorithms: Readonly<Record<string, { name: string; namedCurve?: string; hash?: string }>> = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  ES512: { name: "ECDSA", namedCurve: "P-521" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  RS384: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-384" },
  RS512: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  PS384: { name: "RSA-PSS", hash: "SHA-384" },
  PS512: { name: "RSA-PSS", hash: "SHA-512" },
  EdDSA: { name: "Ed25519" },
  Ed25519: { name: "Ed25519" },
};
