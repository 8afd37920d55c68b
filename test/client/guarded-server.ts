import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fixture } from "../support/fixture.ts";
import { listen } from "../support/serving.ts";

/** The fixture behind an authorization server of its own: nobody gets in without a token that it gave. */
export async function guardedServer(): Promise<Guarded> {
  const served = await listen(fixture());
  const guard = new Guard(served.mcp);
  const http = createServer((request, response) => void guard.handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  guard.origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    guard,
    url: `${guard.origin}/mcp`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await served[Symbol.asyncDispose]();
    },
  };
}

export interface Guarded extends AsyncDisposable {
  readonly guard: Guard;
  readonly url: string;
}

export class Guard {
  origin = "";
  /** What was asked of the authorization server, in order. */
  readonly asked: string[] = [];
  /** What the page sends back in place of what it should. */
  tamper: (back: URLSearchParams) => void = () => undefined;
  readonly #mcp: string;
  readonly #codes = new Map<string, string>();
  readonly #tokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();

  constructor(mcp: string) {
    this.#mcp = mcp;
  }

  /** From now on no access token is good any more. */
  revoke(): void {
    this.#tokens.clear();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.origin);
    const body = await text(request);
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, { resource: `${this.origin}/mcp`, authorization_servers: [this.origin] });
      case "/.well-known/oauth-authorization-server":
        return json(response, this.#metadata());
      case "/register":
        this.asked.push("register");
        return json(response, { client_id: "registered", ...(JSON.parse(body) as object) }, 201);
      case "/authorize":
        return this.#authorize(searchParams, response);
      case "/token":
        return this.#token(new URLSearchParams(body), request, response);
      default:
        return this.#forward(request, response, body);
    }
  }

  #metadata() {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    };
  }

  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    this.asked.push("authorize");
    const code = randomUUID();
    this.#codes.set(code, asked.get("code_challenge") ?? "");
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    this.tamper(back.searchParams);
    response.writeHead(302, { location: back.href }).end();
  }

  #token(asked: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const grant = asked.get("grant_type") ?? "";
    this.asked.push(grant);
    if (asked.get("resource") !== `${this.origin}/mcp`) return json(response, { error: "invalid_target" }, 400);
    if (!this.#isGood(grant, asked, request)) return json(response, { error: "invalid_grant" }, 400);
    const [accessToken, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.#tokens.add(accessToken);
    this.#refreshTokens.add(refreshToken);
    const given = { access_token: accessToken, token_type: "Bearer", expires_in: 60 };
    json(response, grant === "client_credentials" ? given : { ...given, refresh_token: refreshToken });
  }

  #isGood(grant: string, asked: URLSearchParams, { headers }: IncomingMessage): boolean {
    if (grant === "refresh_token") return this.#refreshTokens.delete(asked.get("refresh_token") ?? "");
    if (grant === "client_credentials") {
      return headers.authorization === `Basic ${Buffer.from("program:secret").toString("base64")}`;
    }
    const challenge = this.#codes.get(asked.get("code") ?? "");
    const verifier = asked.get("code_verifier") ?? "";
    return challenge === createHash("sha256").update(verifier).digest("base64url");
  }

  async #forward(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { authorization, host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    if (!this.#tokens.has(authorization?.replace("Bearer ", "") ?? "")) {
      const challenge = `Bearer resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    const method = request.method ?? "POST";
    const init = { method, headers: headers as Record<string, string>, ...(method === "POST" && { body }) };
    const answer = await fetch(this.#mcp, init);
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(await answer.text());
  }
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
