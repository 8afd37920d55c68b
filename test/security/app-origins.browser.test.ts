import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { server, tool } from "biplane";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { openChromium } from "../support/chromium.ts";
import { openStage, plainApp, show } from "../app/host-stage.ts";
import { openServedGateway } from "../admin/admin-server.ts";
import type { ServedGateway } from "../admin/admin-server.ts";

const touched: string[] = [];
let browser: Browser;
let gateway: ServedGateway;
let elsewhere: { port: number; cookies: (string | undefined)[]; close: () => Promise<unknown> };
const app = "0123456789abcdef.localhost";

beforeAll(async () => {
  browser = await openChromium();
  gateway = await openServedGateway({
    serve: { sandbox: sandboxEndpoint({ hosts: (origin) => origin === gateway.url }) },
  });
  gateway.shop.mount("touch", server({ name: "touch", version: "1", tools: [tool({ name: "touch", run: touch })] }));
  elsewhere = await listen();
});
afterAll(async () => {
  await browser.close();
  await elsewhere.close();
  await gateway[Symbol.asyncDispose]();
});

function touch(): string {
  touched.push("touched");
  return "touched";
}

/** Another server on this machine, with a page of its own. */
async function listen() {
  const cookies: (string | undefined)[] = [];
  const http = createServer((request, response) => {
    cookies.push(request.headers.cookie);
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>elsewhere</title>");
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => http.close(resolve).closeAllConnections());
  return { port: (http.address() as AddressInfo).port, cookies, close };
}

/** Everything that a page can try against a server that it knows the address of. */
async function attack(target: string): Promise<string[]> {
  const heard: string[] = [];
  const call = JSON.stringify({ tool: "touch", arguments: {} });
  const rpc = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "touch", arguments: {} } });
  const tries: (() => Promise<unknown>)[] = [];
  const say = (path: string, init: RequestInit) =>
    tries.push(async () => {
      const response = await fetch(target + path, { credentials: "include", ...init });
      // What a page may not read tells it nothing, and its doing is looked for elsewhere.
      if (response.type !== "opaque") heard.push(`${path} ${response.status} ${await response.text()}`);
    });
  for (const mode of ["cors", "no-cors"] as const) {
    say("/mcp/execute", { mode, method: "POST", body: call });
    say("/mcp", { mode, method: "POST", body: rpc });
    say("/mcp/capabilities", { mode });
    say("/api/overview", { mode });
    say("/api/tokens", { mode, method: "POST", body: "{}" });
    say("/api/calls", { mode, method: "POST", body: call });
    say("/api/events", { mode });
  }
  tries.push(
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${target.replace("http", "ws")}/mcp`, "mcp");
        socket.addEventListener("open", () => resolve(heard.push("socket")));
        socket.addEventListener("error", resolve);
      }),
  );
  await Promise.all(tries.map((each) => each().catch(() => undefined)));
  return heard;
}

test("a website open in the same browser neither calls tools nor reads answers, also while a person is logged in", async () => {
  const page = await browser.newPage();
  await page.context().addCookies([cookie(await gateway.logIn())]);
  await page.goto(`http://evil.localhost:${elsewhere.port}/`);
  expect(await page.evaluate(attack, gateway.url)).toEqual([]);
  expect(await page.evaluate(attack, gateway.url.replace("127.0.0.1", "localhost"))).toEqual([]);
  expect(touched).toEqual([]);
  expect((await gateway.ask("GET /api/tokens", undefined, await gateway.logIn())).json["tokens"]).toEqual([]);
  await page.close();
});

test("a page at another port of this machine cannot act in the name of the person who is logged in", async () => {
  const page = await browser.newPage();
  await page.context().addCookies([cookie(await gateway.logIn())]);
  await page.goto(`http://127.0.0.1:${elsewhere.port}/`);
  // It may be an agent, as every program on this machine may; nobody's name helps it to more.
  const heard = await page.evaluate(attack, gateway.url);
  expect(heard.filter((each) => each !== "socket")).toEqual([]);
  expect((await gateway.ask("GET /api/tokens", undefined, await gateway.logIn())).json["tokens"]).toEqual([]);
  await page.close();
});

test("the page of an app, on its own origin, reaches no endpoint of the server that shows it", async () => {
  touched.length = 0;
  const page = await browser.newPage();
  await page.context().addCookies([cookie(await gateway.logIn())]);
  await page.goto(`${gateway.url}/healthz`);
  const { port } = new URL(gateway.url);
  const sandbox = `http://${app}:${port}`;
  const sent: string[] = [];
  page.on("request", (request) => void request.allHeaders().then((all) => sent.push(all["cookie"] ?? "")));
  // It asks for the server under all its names; none is granted.
  const names = ["127.0.0.1", "localhost", "127.0.0.2", "other.localhost"].flatMap((name) =>
    ["http", "ws"].map((scheme) => `${scheme}://${name}:${port}`),
  );
  const csp = encodeURIComponent(JSON.stringify({ connectDomains: names, resourceDomains: names.slice(0, 1) }));
  const address = `${sandbox}/sandbox?host=${encodeURIComponent(gateway.url)}&csp=${csp}`;
  const html = `<script>(${attack.toString()})("${gateway.url}").then((heard) => parent.postMessage({ heard }, "*"))</script>`;
  const heard = await page.evaluate(
    ([src, shown]) =>
      new Promise((resolve) => {
        const frame = document.createElement("iframe");
        addEventListener("message", ({ data }: MessageEvent<{ method?: string; heard?: unknown }>) => {
          if (data.heard) resolve(data.heard);
          const params = { html: shown, sandbox: "allow-scripts allow-same-origin" };
          const ready = { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params };
          if (data.method?.endsWith("proxy-ready")) frame.contentWindow?.postMessage(ready, "*");
        });
        frame.src = src ?? "";
        document.documentElement.append(frame);
      }),
    [address, html] as const,
  );
  expect(heard).toEqual([]);
  expect(touched).toEqual([]);
  expect(sent.filter((value) => value !== "")).toEqual([]);
  await page.close();
});

test("an app cannot navigate a person to another port of this machine, where their cookies would be sent", async () => {
  await using stage = await openStage({ browser });
  const page = await stage.newPage();
  await stage.clear(page);
  const shown = await show(page, stage, { html: plainApp, consent: true });
  await shown.view.evaluate(() => client.start({}));
  await shown.waitFor("ready");
  const open = (url: string) => shown.view.evaluate((link) => client.ask("ui/open-link", { url: link }), url);
  expect((await open(stage.elsewhere)).error?.message).toContain("is another port of this page");
  expect(await shown.told("consent")).toEqual([]);
  // The page itself may be led to.
  expect((await open(`${stage.origin}/#/approvals/1`)).result).toEqual({});
  await page.close();
});

function cookie({ cookie: line }: { cookie: string }) {
  const [name = "", value = ""] = line.split("=");
  return { name, value, domain: "127.0.0.1", path: "/", httpOnly: true, sameSite: "Strict" as const };
}
