import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Principal, ServeOptions } from "biplane";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../packages/biplane/src/observe/metrics.ts";
import { metricsEndpoint } from "../../packages/biplane/src/observe/metrics-endpoint.ts";
import { fixture } from "../support/fixture.ts";
import { listen } from "../support/serving.ts";
import { readExposition, valueOf } from "./read-exposition.ts";

interface Knock {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly options?: ServeOptions;
}

/** A gateway with the handler, where one call has been made, asked once. */
async function knock({ path = "/metrics", method = "GET", headers = {}, options = {} }: Knock = {}) {
  using metrics = createMetrics();
  const gateway = fixture().measure(metrics);
  await using served = await listen(gateway, { metrics: metricsEndpoint(metrics), ...options });
  await gateway.call("say");
  const response = await fetch(`${served.base}${path}`, { method, headers: { connection: "close", ...headers } });
  const [type, allow] = [response.headers.get("content-type"), response.headers.get("allow")];
  return { status: response.status, type, allow, text: await response.text() };
}

describe("who may see metrics", () => {
  const tokens: Record<string, Principal> = {
    scraper: { kind: "token", id: "scraper", scopes: ["metrics"] },
    agent: { kind: "token", id: "agent", scopes: ["tools"] },
  };
  const options: ServeOptions = {
    authenticate: ({ headers }) => tokens[String(headers["authorization"]).replace("Bearer ", "")],
  };

  it("local callers may, where callers are not authenticated", async () => {
    const { status, type, text } = await knock();
    expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const labels = { tool: "say", route: "direct", outcome: "done" };
    expect(valueOf(readExposition(text), "biplane_calls_total", labels)).toBe(1);
  });

  it("what a proxy on this machine passes on may not", async () => {
    for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
      expect((await knock({ headers: { [header]: "203.0.113.7" } })).status).toBe(403);
    }
  });

  it("where callers are authenticated, only a token with the scope may", async () => {
    const statusFor = async (token: string) =>
      (await knock({ options, headers: { authorization: `Bearer ${token}` } })).status;
    expect(await statusFor("scraper")).toBe(200);
    expect([401, 403]).toContain(await statusFor("agent"));
    expect(await statusFor("nobody")).toBe(401);
    expect((await knock({ options })).status).toBe(401);
  });

  it("the endpoint itself checks the scope, and that unauthenticated callers are local", async () => {
    using metrics = createMetrics();
    const statusFor = async (principal: Principal) => {
      const http = createServer((request, response) => metricsEndpoint(metrics).handle(request, response, principal));
      await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
      const { status } = await fetch(url, { headers: { connection: "close" } });
      http.close();
      return status;
    };
    const outsider = (id: string): Principal => ({ kind: "anonymous", id, scopes: [] });
    expect(await statusFor(tokens["agent"] as Principal)).toBe(403);
    expect(await statusFor(tokens["scraper"] as Principal)).toBe(200);
    expect(await statusFor(outsider("203.0.113.7"))).toBe(403);
    expect(await statusFor(outsider("::ffff:127.0.0.1"))).toBe(200);
    expect(await statusFor({ kind: "trainer", id: "t", scopes: [] })).toBe(200);
  });
});

describe("how they are asked for", () => {
  it("JSON by header or by query", async () => {
    for (const asked of [{ headers: { accept: "application/json" } }, { path: "/metrics?format=json" }]) {
      const { type, text } = await knock(asked);
      expect(type).toBe("application/json");
      const { metrics } = JSON.parse(text) as { metrics: { name: string }[] };
      expect(metrics.map(({ name }) => name)).toContain("biplane_uptime_seconds");
    }
  });

  it("by GET or HEAD, and no other way", async () => {
    expect(await knock({ method: "POST" })).toMatchObject({ status: 405, allow: "GET, HEAD" });
    expect(await knock({ method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });
});
