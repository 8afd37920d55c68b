import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { JWK, JWTPayload } from "jose";

/** A real authorization server, as far as a resource server sees one: metadata, keys, and tokens signed with them. */
export async function openIssuer(options: { path?: string; speaksOf?: string } = {}): Promise<LocalIssuer> {
  const keys: SigningKey[] = [];
  const asked: string[] = [];
  let isBroken = false;
  const http = createServer((request, response) => {
    asked.push(request.url ?? "");
    const body = isBroken ? undefined : documents()[request.url ?? ""];
    response.writeHead(body ? 200 : isBroken ? 500 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const issuer = origin + (options.path ?? "");
  const documents = (): Record<string, object> => ({
    [`/.well-known/oauth-authorization-server${options.path ?? ""}`]: {
      issuer: options.speaksOf ?? issuer,
      jwks_uri: `${origin}/keys`,
    },
    "/keys": { keys: keys.map(({ jwk }) => jwk) },
  });
  const rotate = async (id: string, algorithm = "ES256") => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    keys.splice(0, keys.length, { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: id, alg: algorithm } });
  };
  await rotate("first");
  return {
    issuer,
    asked,
    rotate,
    breakDown: (broken) => (isBroken = broken),
    publicKey: () => keys[0]?.jwk as JWK,
    token: (claims = {}, header = {}) => {
      const { privateKey, jwk } = keys[0] as SigningKey;
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, aud: audience, sub: "ada", iat: now, exp: now + 600, scope: "crm:read" };
      const { alg = "ES256", kid } = jwk;
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg, kid: kid ?? "", typ: "at+jwt", ...header })
        .sign(privateKey, { crit: { "x-must": true } });
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export const audience = "http://127.0.0.1/mcp";

interface SigningKey {
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
  readonly jwk: JWK;
}

export interface LocalIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Replaces the key. */
  rotate(id: string, algorithm?: string): Promise<void>;
  breakDown(isBroken: boolean): void;
  publicKey(): JWK;
  token(claims?: JWTPayload, header?: Record<string, unknown>): Promise<string>;
}
