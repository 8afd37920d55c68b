import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { allow, environment, server, tool } from "biplane";
import type { Decision, Environment, ServeOptions, Server } from "biplane";
import { bearerTokens } from "../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { newToken } from "../../packages/biplane/src/governance/access/token.ts";
import { serve as serveAll } from "../../packages/core/src/wire/serve.ts";
import { counter } from "../environment/counter.ts";
import { open as connected, exchange } from "../support/raw-http.ts";
import { openSocket } from "./openenv/socket.ts";

const trainer = newToken("biplane_t_");
const agent = newToken("biplane_t_");
const watcher = newToken("biplane_t_");
const authenticate = bearerTokens([
  { id: "gym", token: trainer, kind: "trainer" },
  { id: "ada", token: agent },
  { id: "prometheus", token: watcher, scopes: ["metrics"] },
]);
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const opened: (Server | Environment)[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function open(subject: Server | Environment, options: ServeOptions = {}): Promise<string> {
  opened.push(subject);
  return (await subject.serve({ url: "http://127.0.0.1:0", graceMs: 200, ...options })).url;
}

const trainerPaths = ["/state", "/schema", "/metadata", "/openapi.json", "/control/episodes", "/control/reward", "/x"];

describe("trainer endpoints", () => {
  test("are open on loopback in simulation without authentication", async () => {
    const url = await open(counter());
    expect((await fetch(`${url}/state`)).status).toBe(200);
    expect((await fetch(`${url}/k/anything-at-all/state`)).status).toBe(200);
    (await openSocket(url)).socket.close();
  });

  test.each([
    ["nothing", {}, 401],
    ["an agent's token", bearer(agent), 403],
    ["a token nobody has", bearer(newToken("biplane_t_")), 401],
    ["a person's cookie", { headers: { cookie: `biplane=${"x".repeat(43)}` } }, 401],
  ])("refuse %s, on every path and on the socket", async (_, init, status) => {
    const url = await open(counter(), { authenticate });
    for (const path of trainerPaths) expect([path, (await fetch(url + path, init)).status]).toEqual([path, status]);
    for (const path of ["/reset", "/step"]) {
      expect((await fetch(url + path, { method: "POST", body: "{}", ...init })).status).toBe(status);
    }
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, init);
    expect(((await once(socket, "error")) as [Error])[0].message).toContain(String(status));
  });

  test("accept a trainer's token in a header, and in the address of every endpoint", async () => {
    const url = await open(counter(), { authenticate });
    expect((await fetch(`${url}/state`, bearer(trainer))).status).toBe(200);
    const base = `${url}/k/${trainer}`;
    expect((await fetch(`${base}/reset`, { method: "POST", body: "{}" })).status).toBe(200);
    expect((await fetch(`${base}/control/episodes`)).status).toBe(200);
    expect((await fetch(`${base}/env/counter/state`)).status).toBe(200);
    expect((await fetch(`${base}/mcp/capabilities`)).status).toBe(200);
    const { send, socket } = await openSocket(url, `/k/${trainer}/ws`);
    expect(await send({ type: "reset", data: {} })).toMatchObject({ type: "observation" });
    socket.close();
  });

  test("in an address only a trainer's token counts: what agents have to prove they send in headers", async () => {
    const url = await open(counter(), { authenticate });
    expect((await fetch(`${url}/k/${agent}/mcp/capabilities`)).status).toBe(403);
    expect((await fetch(`${url}/k/${agent}/state`)).status).toBe(403);
    expect((await fetch(`${url}/mcp/capabilities`, bearer(agent))).status).toBe(200);
  });

  test("a page from elsewhere that got hold of such an address still cannot open a socket with it", async () => {
    const url = await open(counter(), { authenticate });
    const headers = { origin: "https://evil.example" };
    const socket = new WebSocket(`${url.replace("http", "ws")}/k/${trainer}/ws`, { headers });
    expect(((await once(socket, "error")) as [Error])[0].message).toContain("403");
  });

  test("the explicit option opens them, and only them", async () => {
    const url = await open(counter(), { authenticate, openTrainerEndpoints: true });
    expect((await fetch(`${url}/state`)).status).toBe(200);
    expect((await fetch(`${url}/mcp/capabilities`)).status).toBe(401);
  });

  test("two sessions of one trainer have two episodes", async () => {
    const url = await open(counter(), { authenticate });
    const [one, other] = await Promise.all([1, 2].map(() => openSocket(url, `/k/${trainer}/ws`)));
    await one?.send({ type: "reset", data: {} });
    await other?.send({ type: "reset", data: {} });
    const step = { type: "step", data: { type: "call_tool", tool_name: "add", arguments: { by: 3 } } };
    await one?.send(step);
    expect(await one?.send({ type: "state" })).toMatchObject({ data: { step_count: 1 } });
    expect(await other?.send({ type: "state" })).toMatchObject({ data: { step_count: 0 } });
    one?.socket.close();
    other?.socket.close();
  });
});

describe("a token in an address", () => {
  test("is in no error, no hook, no fault and no answer", async () => {
    const secret = newToken("biplane_t_");
    const heard: unknown[] = [];
    const subject = counter();
    subject.watch({
      onStart: (start) => heard.push(start),
      onEnd: (end) => heard.push(end),
      onError: (e) => heard.push(e),
    });
    const seen: unknown[] = [];
    const url = await open(subject, {
      authenticate: ({ headers, address, token }) => {
        seen.push(headers, address);
        return token === secret ? { kind: "trainer", id: "gym", scopes: [] } : undefined;
      },
    });
    const answers: string[] = [];
    const paths = [
      "mcp/execute",
      "nothing/here",
      "env/nobody/state",
      `k/${secret}/state`,
      `env/counter/k/${secret}/x`,
      "step",
      "control/episodes/x",
      "",
      "?a=b",
      "mcp?x=1",
    ];
    for (const path of paths) {
      const { text, headers } = await exchange(Number(new URL(url).port), '{"tool":"no_such"}', {
        path: `/k/${secret}/${path}`,
      });
      answers.push(text, JSON.stringify(headers));
    }
    for (const path of [`/k/${secret}`, `/k/${secret}?x`, `/k/${secret}x/state`, `/env/counter/k/${secret}/state`]) {
      answers.push(await (await fetch(url + path)).text());
    }
    for (const path of [`/k/${secret}/nothing`, `/k/${secret}/k/${secret}/ws`]) {
      const socket = new WebSocket(url.replace("http", "ws") + path);
      socket.on("unexpected-response", (_, response) => {
        response.on("data", (chunk: Buffer) => answers.push(chunk.toString()));
        response.on("end", () => socket.emit("heard"));
      });
      await once(socket, "heard");
    }
    expect(heard.length).toBeGreaterThan(0);
    expect(answers.join("\n")).toMatch(/Nothing is served at \/nothing\/here/);
    expect(answers.join("\n")).toMatch(/No WebSocket is served at/);
    for (const text of [answers.join("\n"), JSON.stringify(heard), JSON.stringify(seen)]) {
      expect(text.includes(secret)).toBe(false);
    }
  });

  test("is gone from the request before anything can look at it", async () => {
    const urls: unknown[] = [];
    const url = await open(counter(), {
      authenticate,
      metrics: {
        handle: (request, response) => {
          urls.push(request.url);
          response.end("ok");
        },
      },
    });
    expect((await fetch(`${url}/k/${trainer}/metrics?format=text`)).status).toBe(200);
    expect(urls).toEqual(["/metrics?format=text"]);
  });
});

describe("agent endpoints", () => {
  const subject = () =>
    server({ name: "s", version: "1", tools: [tool({ name: "who", run: (_, { principal }) => principal.id })] });

  test("know a caller by its token over REST, MCP and WebSocket", async () => {
    const url = await open(subject(), { authenticate });
    const body = JSON.stringify({ tool: "who" });
    const rest = await fetch(`${url}/mcp/execute`, { method: "POST", body, ...bearer(agent) });
    expect(await rest.json()).toMatchObject({ result: "ada" });
    const call = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "who", arguments: {} },
    });
    const headers = { ...bearer(agent).headers, "content-type": "application/json" };
    const mcp = await fetch(`${url}/mcp`, { method: "POST", body: call, headers });
    expect(await mcp.json()).toMatchObject({ result: { content: [{ text: "ada" }] } });
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, bearer(agent));
    await once(socket, "open");
    socket.close();
    const refused = new WebSocket(`${url.replace("http", "ws")}/mcp`);
    expect(((await once(refused, "error")) as [Error])[0].message).toContain("401");
  });

  test("a refusal asks for a token, and says if the given one is wrong", async () => {
    const url = await open(subject(), { authenticate });
    expect((await fetch(`${url}/mcp`)).headers.get("www-authenticate")).toBe("Bearer");
    const wrong = await fetch(`${url}/mcp`, bearer(newToken("biplane_t_")));
    expect(wrong.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    expect(await wrong.json()).toEqual({ error: "UNAUTHORIZED", message: "Credentials are missing or not valid" });
  });

  test("an agent's token does not admit another site's page", async () => {
    const url = await open(subject(), { authenticate });
    const headers = { ...bearer(agent).headers, origin: "https://evil.example" };
    expect((await fetch(`${url}/mcp/capabilities`, { headers })).status).toBe(403);
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, { headers });
    expect(((await once(socket, "error")) as [Error])[0].message).toContain("403");
  });

  test.each<[string, () => unknown]>([
    ["throws", () => JSON.parse("{")],
    ["rejects", () => Promise.reject(new Error("the password is hunter2"))],
    ["gives what is no principal", () => true],
    ["gives half of one", () => ({ kind: "token" })],
  ])("an authenticate that %s refuses everyone, and is reported to the operator, not the caller", async (_, broken) => {
    const faults: unknown[] = [];
    const gateway = server({ name: "s", version: "1", onFault: (fault) => faults.push(fault) });
    const url = await open(gateway, { authenticate: broken as NonNullable<ServeOptions["authenticate"]> });
    const response = await fetch(`${url}/mcp/capabilities`);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: "UNAUTHORIZED", message: "Credentials are missing or not valid" });
    expect(faults).toHaveLength(1);
  });
});

describe("an unprotected server does not start", () => {
  const plain = () => server({ name: "plain", version: "1" });
  const game = (name: string, options: { mode?: "production"; policies?: (() => Decision)[] } = {}) =>
    environment({
      name,
      version: "1",
      start: () => ({}),
      observe: () => ({}),
      tools: (define) => ({ go: define({ run: () => "went" }) }),
      ...options,
    });
  const live = (policies = [() => allow()]) => game("live", { mode: "production", policies });
  const people = { handle: async () => ({ status: 204 }) };
  const outside = "http://0.0.0.0:0";
  test.each<[string, () => Server | Environment, ServeOptions, RegExp]>([
    ["an address that others reach, without credentials", plain, {}, /Pass authenticate to serve\(\)/],
    ["the same for an environment", counter, {}, /openTrainerEndpoints/],
    ["tools behind the option that is for trainers", plain, { openTrainerEndpoints: true }, /authenticate/],
    ["the same in production", live, { openTrainerEndpoints: true }, /authenticate/],
    ["people at an address without https", plain, { authenticate, people }, /Set publicUrl/],
    ["people at one that is http", plain, { authenticate, people, publicUrl: "http://tools.example.com" }, /https/],
    ["an address with a path", plain, { authenticate, publicUrl: "https://x.example/y" }, /without a path/],
    ["one that is none", plain, { authenticate, publicUrl: "tools.example.com" }, /without a path/],
  ])("%s", async (_, make, options, message) => {
    await using subject = make();
    await expect(subject.serve({ url: outside, ...options })).rejects.toThrow(message);
  });

  test("production without a policy, on every wire", async () => {
    for (const url of ["http://127.0.0.1:0", "ws://127.0.0.1:0", "stdio"]) {
      await using bare = server({ name: "bare", version: "1", mode: "production" });
      await expect(bare.serve(url)).rejects.toThrow(/bare is in production mode without a policy.*\.policy\(/);
      await using unruled = live([]);
      await expect(unruled.serve(url)).rejects.toThrow(/live is in production mode/);
      await expect(serveAll([server({ name: "fine", version: "1" }), bare], { url })).rejects.toThrow(/bare/);
    }
  });

  test("the same things start with what was missing", async () => {
    const urls = [
      await open(plain(), { url: outside, authenticate }),
      await open(counter(), { url: outside, openTrainerEndpoints: true }),
      await open(live(), { url: outside, authenticate }),
      await open(plain(), { url: outside, authenticate, people, publicUrl: "https://tools.example.com" }),
      await open(plain(), { url: outside, authenticate, people, publicUrl: "http://localhost:8000" }),
    ];
    for (const url of urls) expect((await fetch(`${url.replace("0.0.0.0", "127.0.0.1")}/healthz`)).status).toBe(200);
  });
});

describe("health endpoints", () => {
  test("/healthz and /health answer without credentials", async () => {
    const url = await open(counter(), { authenticate });
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "healthy" });
  });

  test("/readyz says which part is not ready, and nothing of why", async () => {
    let isUp = false;
    const ready = {
      store: () => undefined,
      issuer: () => isUp,
      mail: async () => {
        if (!isUp) throw new Error("password hunter2 was refused");
      },
    };
    const url = await open(server({ name: "s", version: "1" }), { ready, authenticate });
    const down = await fetch(`${url}/readyz`);
    expect([down.status, await down.json()]).toEqual([503, { status: "unready", failed: ["issuer", "mail"] }]);
    isUp = true;
    const up = await fetch(`${url}/readyz`);
    expect([up.status, await up.json()]).toEqual([200, { status: "ok" }]);
  });

  test("many who ask /readyz at once are one look", async () => {
    let looks = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = async () => {
      looks++;
      await finished;
    };
    const url = await open(server({ name: "s", version: "1" }), { ready: { slow } });
    const socket = await connected(Number(new URL(url).port));
    let answers = "";
    socket.on("data", (chunk: Buffer) => (answers += chunk.toString()));
    socket.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(8)); // one piece, so read in one go
    await expect.poll(() => looks).toBe(1);
    finish();
    await expect.poll(() => answers.split("200 OK").length - 1).toBe(8);
    expect(looks).toBe(1);
    socket.destroy();
  });

  test("/metrics is for trainers and for tokens with that scope, not for agents", async () => {
    const metrics: ServeOptions["metrics"] = { handle: (_, response, { id }) => void response.end(id) };
    const url = await open(server({ name: "s", version: "1" }), { authenticate, metrics });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const refused = await fetch(`${url}/metrics`, bearer(agent));
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("with the scope metrics");
    expect(await (await fetch(`${url}/metrics`, bearer(watcher))).text()).toBe("prometheus");
    expect(await (await fetch(`${url}/metrics`, bearer(trainer))).text()).toBe("gym");
    expect((await fetch(`${await open(server({ name: "s", version: "1" }))}/metrics`)).status).toBe(404);
  });

  test("X-Forwarded-For is trusted only from named proxies, and only its last address", async () => {
    const addresses: string[] = [];
    const note: ServeOptions["authenticate"] = ({ address }) => void addresses.push(address);
    const asked = async (url: string, forwarded: string) => {
      await fetch(`${url}/mcp`, { headers: { "x-forwarded-for": forwarded } });
      return addresses.at(-1);
    };
    const plainUrl = await open(server({ name: "s", version: "1" }), { authenticate: note });
    expect(await asked(plainUrl, "1.2.3.4")).toBe("127.0.0.1");
    const trustedProxies = ["127.0.0.1", "10.0.0.1"];
    const url = await open(server({ name: "s", version: "1" }), { authenticate: note, trustedProxies });
    expect(await asked(url, "6.6.6.6, 1.2.3.4")).toBe("1.2.3.4");
    expect(await asked(url, "6.6.6.6, 1.2.3.4, ::ffff:10.0.0.1")).toBe("1.2.3.4");
    expect(await asked(url, "")).toBe("127.0.0.1");
  });
});
