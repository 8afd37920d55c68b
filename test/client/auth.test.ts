import { describe, expect, test } from "vitest";
import { memoryTokenStore } from "../../packages/core/src/client/auth/token-store.ts";
import type { OAuthClientOptions } from "../../packages/core/src/client/auth/options.ts";
import { connect } from "biplane/client";
import { fixture } from "../support/fixture.ts";
import { listen } from "../support/serving.ts";
import { guardedServer } from "./guarded-server.ts";

/** A browser whose person agrees at once: it follows where it is sent, back to the program at last. */
const agree: OAuthClientOptions["open"] = async (page) => {
  await (await fetch(page)).text();
};

describe("a server behind an authorization server", () => {
  test("is reached over a browser, with everything found out and registered on the way", async () => {
    await using at = await guardedServer();
    await using client = await connect(at.url, { oauth: { open: agree } });
    expect(await client.callTool("say", { word: "in" })).toMatchObject({ content: [{ text: "in" }] });
    expect(at.guard.asked).toEqual(["register", "authorize", "authorization_code"]);
  });

  test("is reached again with the tokens that were kept", async () => {
    await using at = await guardedServer();
    const oauth = { open: agree, store: memoryTokenStore() };
    await (await connect(at.url, { oauth })).close();
    await using client = await connect(at.url, { oauth });
    await client.ping();
    expect(at.guard.asked).toEqual(["register", "authorize", "authorization_code"]);
  });

  test("is reached with fresh tokens when the old ones have run out, or are refused", async () => {
    await using at = await guardedServer();
    let now = 0;
    await using client = await connect(at.url, { oauth: { open: agree, now: () => now } });
    now = 40_000;
    await client.ping();
    expect(at.guard.asked.slice(3)).toEqual(["refresh_token"]);
    at.guard.revoke();
    await client.ping();
    expect(at.guard.asked.slice(3)).toEqual(["refresh_token", "refresh_token"]);
  });

  test("asks once for many requests that come together", async () => {
    await using at = await guardedServer();
    await using client = await connect(at.url, { oauth: { open: agree } });
    at.guard.revoke();
    await Promise.all([1, 2, 3, 4].map(() => client.ping()));
    expect(at.guard.asked.slice(3)).toEqual(["refresh_token"]);
  });

  test("is reached by a program in its own name", async () => {
    await using at = await guardedServer();
    const oauth = { grant: "client_credentials", clientId: "program", clientSecret: "secret" } as const;
    await using client = await connect(at.url, { oauth });
    await client.ping();
    expect(at.guard.asked).toEqual(["client_credentials"]);
  });

  test.each<[string, (back: URLSearchParams) => void, string]>([
    ["another request's answer", (back) => back.set("state", "other"), `unexpected "state"`],
    ["an answer from elsewhere", (back) => back.set("iss", "https://evil.example"), "not from http://127.0.0.1"],
    [
      "a refusal",
      (back) => (back.delete("code"), back.set("error", "access_denied")),
      "rejected the authorization: access_denied",
    ],
  ])("is not reached with %s", async (_, tamper, message) => {
    await using at = await guardedServer();
    at.guard.tamper = tamper;
    const reached = connect(at.url, { oauth: { open: agree } });
    await expect(reached).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: expect.stringContaining(message) as string,
    });
    expect(at.guard.asked).toEqual(["register", "authorize"]);
  });

  test("does not learn a secret that belongs to another", async () => {
    await using at = await guardedServer();
    const oauth = { clientId: "program", clientSecret: "secret", issuer: "https://issuer.example", open: agree };
    await expect(connect(at.url, { oauth })).rejects.toThrow("does not name https://issuer.example");
    expect(at.guard.asked).toEqual([]);
  });
});

test("a server without metadata does not learn a secret that belongs to another", async () => {
  const reached: string[] = [];
  const fetch = async (url: string | URL) => {
    reached.push(new URL(url).pathname);
    return new Response(null, { status: new URL(url).pathname === "/mcp" ? 401 : 404 });
  };
  const client = { grant: "client_credentials", clientId: "program", clientSecret: "secret" } as const;
  const oauth = { ...client, issuer: "https://issuer.example" };
  await expect(connect("https://hostile.example/mcp", { oauth, fetch })).rejects.toThrow(
    "the credentials for https://issuer.example are not sent",
  );
  expect(reached).not.toContain("/token");
});

describe("a remote server cannot name this machine", () => {
  const remote = "https://remote.example";
  const elsewhere = { token_endpoint: `${remote}/token`, registration_endpoint: `${remote}/register` };
  const secret = { grant: "client_credentials", clientId: "program", clientSecret: "secret" } as const;
  const opened = { open: () => expect.fail("the browser was opened") };

  test.each<[string, object, OAuthClientOptions]>([
    ["for tokens", { token_endpoint: "http://127.0.0.1:9/x" }, secret],
    ["for tokens, by another name", { token_endpoint: "https://app.localhost:9/x" }, secret],
    ["for tokens, by an address of IPv6", { token_endpoint: "https://[::ffff:127.0.0.1]:9/x" }, secret],
    ["for registration", { ...elsewhere, registration_endpoint: "http://127.0.0.1:9/x" }, opened],
    [
      "for the page in the browser",
      {
        ...elsewhere,
        authorization_endpoint: "http://127.0.0.1:9/x",
        code_challenge_methods_supported: ["S256"],
      },
      opened,
    ],
  ])("%s", async (_, endpoints, oauth) => {
    const reached: string[] = [];
    const documents: Record<string, object> = {
      "/.well-known/oauth-protected-resource/mcp": { resource: `${remote}/mcp`, authorization_servers: [remote] },
      "/.well-known/oauth-authorization-server": { issuer: remote, ...endpoints },
      "/register": { client_id: "registered" },
    };
    const fetch = async (url: string | URL) => {
      reached.push(new URL(url).hostname);
      const document = documents[new URL(url).pathname];
      return document ? Response.json(document) : new Response(null, { status: 401 });
    };
    await expect(connect(`${remote}/mcp`, { oauth, fetch })).rejects.toThrow(
      /names https?:.*:9\/x for authorization, which is on this machine/,
    );
    expect(new Set(reached)).toEqual(new Set(["remote.example"]));
  });
});

describe("a token managed elsewhere", () => {
  const authenticate = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
    headers["authorization"] === "Bearer good" ? ({ kind: "token", id: "me", scopes: [] } as const) : undefined;

  test.each(["mcp", "socket"] as const)("goes with every request over %s", async (way) => {
    await using served = await listen(fixture(), { authenticate });
    await using client = await connect(served[way], { bearer: "good" });
    await client.ping();
    await expect(connect(served[way], { bearer: "wrong" })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  test.each(["mcp", "socket"] as const)("is asked for again when it is refused over %s", async (way) => {
    await using served = await listen(fixture(), { authenticate });
    const tokens = ["stale"];
    await using client = await connect(served[way], { bearer: async () => tokens.shift() ?? "good" });
    expect(await client.callTool("say")).toMatchObject({ content: [{ text: "hello" }] });
  });

  test("is reported missing, with a hint", async () => {
    await using served = await listen(fixture(), { authenticate });
    await expect(connect(served.mcp)).rejects.toThrow(
      "answered 401. Pass credentials: `bearer` (on the command line --bearer)",
    );
  });

  test("does not follow a redirect to another host", async () => {
    await using served = await listen(fixture());
    const elsewhere = async () =>
      new Response(null, { status: 307, headers: { location: "https://evil.example/mcp" } });
    const reached = connect(served.mcp, { bearer: "good", fetch: elsewhere });
    await expect(reached).rejects.toThrow("redirects to https://evil.example/mcp. Connect to that address instead.");
  });
});
