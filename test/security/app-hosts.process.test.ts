import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { app as page, server, tool } from "biplane";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { metricsEndpoint } from "../../packages/biplane/src/observe/metrics-endpoint.ts";
import { createMetrics } from "../../packages/biplane/src/observe/metrics.ts";
import { openServedGateway } from "../admin/admin-server.ts";
import { firstData, open } from "../support/raw-http.ts";
import { program } from "../support/project.ts";

const app = "0123456789abcdef.localhost";

/** One request, byte by byte as it is written here. */
async function send(url: string, lines: readonly string[], body = ""): Promise<string> {
  const socket = await open(Number(new URL(url).port));
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  socket.write([...lines, ...length, "", body].join("\r\n"));
  try {
    return await firstData(socket);
  } finally {
    socket.destroy();
  }
}

const call = JSON.stringify({ tool: "echo", arguments: { text: "reached" } });

test("on the host names of apps only the frame answers: no endpoint, no socket, no token in a path", async () => {
  await using gateway = await openServedGateway({
    serve: { sandbox: sandboxEndpoint({ hosts: [] }), metrics: metricsEndpoint(createMetrics()) },
  });
  const { cookie } = await gateway.logIn();
  const hosts = [app, `${app}:${new URL(gateway.url).port}`, app.toUpperCase(), `${app}:1`];
  const paths = [
    "/",
    "/mcp",
    "/mcp/execute",
    "/mcp/capabilities",
    "/api/overview",
    "/api/setup",
    "/metrics",
    "/healthz",
  ];
  const more = ["/readyz", "/k/token/mcp", "/env/game/mcp", "/e/x/mcp", "/ws", "/reset", "/.well-known/x", "//sandbox"];
  for (const host of hosts) {
    for (const path of [...paths, ...more, `http://127.0.0.1/mcp/capabilities`]) {
      const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Cookie: ${cookie}`, "Content-Type: application/json"];
      expect(await send(gateway.url, lines, call)).toMatch(/^HTTP\/1\.1 404 /);
      expect(await send(gateway.url, [`GET ${path} HTTP/1.1`, ...lines.slice(1)])).toMatch(/^HTTP\/1\.1 404 /);
    }
    for (const upgrade of ["websocket", "h2c"]) {
      const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
      const lines = ["Connection: Upgrade", `Upgrade: ${upgrade}`, "Sec-WebSocket-Version: 13", key];
      const said = await send(gateway.url, ["GET /mcp HTTP/1.1", `Host: ${host}`, ...lines]);
      expect(said).toMatch(/^HTTP\/1\.1 404 /);
    }
  }
});

test.each([
  ["a name that only looks like an app's", [`Host: ${app}.`]],
  ["one more dot", ["Host: localhost.:80"]],
  ["a short label", ["Host: abc.localhost"]],
  ["somebody's name in front", ["Host: ada@127.0.0.1"]],
  ["a name that begins like the address", ["Host: 127.0.0.1.example.com"]],
  ["a port that is a name", ["Host: 127.0.0.1:80@example.com"]],
  ["every address", ["Host: 0.0.0.0"]],
  ["no name", ["Host: "]],
  ["two, the foreign one first", ["Host: example.com", "Host: 127.0.0.1"]],
  ["an app's origin", ["Host: 127.0.0.1", `Origin: http://${app}:8000`]],
  ["an origin that is nobody's", ["Host: 127.0.0.1", "Origin: null"]],
])("no tool is called, and no API answers, for %s", async (_, headers) => {
  await using gateway = await openServedGateway({ serve: { sandbox: sandboxEndpoint({ hosts: [] }) } });
  const { cookie } = await gateway.logIn();
  const reached = await send(gateway.url, ["POST /mcp/execute HTTP/1.1", ...headers], call);
  expect(reached).toMatch(/^HTTP\/1\.1 40[34] /);
  expect(reached).not.toContain("reached");
  const asked = await send(gateway.url, ["GET /api/overview HTTP/1.1", ...headers, `Cookie: ${cookie}`]);
  expect(asked).toMatch(/^HTTP\/1\.1 40[34] /);
});

test("an address in full does not stand for another host", async () => {
  await using gateway = await openServedGateway({ serve: { sandbox: sandboxEndpoint({ hosts: [] }) } });
  const foreign = await send(gateway.url, [`POST http://${app}/mcp/execute HTTP/1.1`, "Host: 127.0.0.1"], call);
  expect(foreign).toMatch(/^HTTP\/1\.1 404 /);
  const frame = await send(gateway.url, [`GET http://${app}/sandbox HTTP/1.1`, "Host: 127.0.0.1"]);
  expect(frame).toMatch(/^HTTP\/1\.1 404 /);
});

test("the program frames apps for its own page, and not for who listens at another port", async () => {
  const words = ["serve", "--env", "frozen-lake", "--url", "http://127.0.0.1:0"];
  const child = spawn(process.execPath, [program, ...words], { cwd: tmpdir() });
  try {
    let url = "";
    for await (const line of createInterface(child.stderr)) {
      url = /(http:[^ ]+)\/#\/setup/.exec(line)?.[1] ?? "";
      if (url !== "") break;
    }
    const frame = (host: string) =>
      send(url, [`GET /sandbox?host=${encodeURIComponent(host)} HTTP/1.1`, `Host: ${app}`]);
    expect(await frame(url)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await frame(url.replace("127.0.0.1", "localhost"))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await frame("http://127.0.0.1:9")).toMatch(/^HTTP\/1\.1 403 /);
    expect(await frame("http://localhost")).toMatch(/^HTTP\/1\.1 403 /);
    expect(await frame(url.replace("127.0.0.1", "example.com"))).toMatch(/^HTTP\/1\.1 403 /);
  } finally {
    const isOver = once(child, "exit");
    child.kill();
    await isOver;
  }
});

test("an app that comes with thousands of domains and tools gets a short header, and the list stays quick", async () => {
  const connectDomains = Array.from({ length: 20_000 }, (_, at) => `https://a${at}.example.com`);
  const handler = sandboxEndpoint({ hosts: ["http://127.0.0.1:8000"] });
  const query = new URLSearchParams({
    host: "http://127.0.0.1:8000",
    csp: JSON.stringify({ connectDomains: connectDomains.slice(0, 400) }),
  });
  const { headers, status } = handler.handle({ method: "GET", host: app, url: `/sandbox?${query.toString()}` });
  expect(status).toBe(200);
  expect(headers["content-security-policy"]?.length).toBeLessThan(8000);
  const tools = Array.from({ length: 3000 }, (_, at) =>
    tool({ name: `t${at}`, description: "Shows", ui: page({ name: "p", html: `<p>${at}</p>` }), run: () => 1 }),
  );
  await using gateway = server({ name: "many", version: "1" });
  gateway.mount("child", server({ name: "child", version: "1", tools }));
  expect(Array.from(gateway.resources)).toHaveLength(3000);
});
