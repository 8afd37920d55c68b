import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { GuardedProxy } from "../../../packages/biplane/src/pack/browser/guarded-proxy.ts";
import type { ProxyCredentials } from "../../../packages/biplane/src/pack/browser/guarded-proxy.ts";
import { createNetworkGuard } from "../../../packages/biplane/src/pack/shared/net/network-guard.ts";
import { LocalSite } from "../net/local-site.ts";

const open = (maxBytes = 1000, allow = ["127.0.0.2"]) =>
  GuardedProxy.open({ guard: createNetworkGuard({ allow }), maxBytes });

function headersOf(pass?: Pick<ProxyCredentials, "username" | "password">): Record<string, string> {
  if (!pass) return {};
  return { "proxy-authorization": `Basic ${Buffer.from(`${pass.username}:${pass.password}`).toString("base64")}` };
}

async function ask(proxy: GuardedProxy, url: string, headers: Record<string, string>): Promise<string> {
  const { port } = new URL(proxy.url);
  const asked = request({ host: "127.0.0.1", port, path: url, headers, agent: false }).end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  let body = "";
  for await (const chunk of answer) body += String(chunk);
  return `${answer.statusCode} ${body}`;
}

async function connectThrough(proxy: GuardedProxy, to: string, headers: Record<string, string>) {
  const { port } = new URL(proxy.url);
  const asked = request({ host: "127.0.0.1", port, method: "CONNECT", path: to, headers, agent: false }).end();
  const [answer, socket] = (await once(asked, "connect")) as [IncomingMessage, Socket];
  return { status: answer.statusCode, socket };
}

test("without a pass, or with a wrong or revoked one, there is no way through", async () => {
  await using site = await LocalSite.open((_, response) => response.end("there"), "127.0.0.2");
  await using proxy = await open();
  const pass = proxy.issueCredentials();
  const other = proxy.issueCredentials();
  const wrong = [{}, headersOf({ ...pass, password: other.password }), { "proxy-authorization": "Basic %%%" }];
  for (const headers of wrong) {
    expect(await ask(proxy, `${site.url}/`, headers)).toBe("407 ");
    expect((await connectThrough(proxy, `127.0.0.2:${site.port}`, headers)).status).toBe(407);
  }
  expect(await ask(proxy, `${site.url}/`, headersOf(pass))).toBe("200 there");
  pass.revoke();
  expect(await ask(proxy, `${site.url}/`, headersOf(pass))).toBe("407 ");
  expect(site.connections).toBe(1);
});

test("the site gets the request as it was, without the pass", async () => {
  await using site = await LocalSite.open((_, response) => response.end("there"), "127.0.0.2");
  await using proxy = await open();
  const headers = {
    ...headersOf(proxy.issueCredentials()),
    host: "other.test",
    cookie: "a=b",
    connection: "x-hop",
    "x-hop": "1",
  };
  await ask(proxy, `${site.url}/path?q=1`, headers);
  expect(site.seen[0]).toMatchObject({ method: "GET", url: "/path?q=1", headers: { cookie: "a=b" } });
  expect(site.seen[0]?.headers.host).toBe(`127.0.0.2:${site.port}`);
  expect(Object.keys(site.seen[0]?.headers ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^proxy-|^x-hop$/)]),
  );
});

test("what is not allowed is refused, by either way, and the proxy is no site", async () => {
  await using inside = await LocalSite.open((_, response) => response.end("the inside"));
  await using proxy = await open();
  const headers = headersOf(proxy.issueCredentials());
  expect(await ask(proxy, `${inside.url}/`, headers)).toMatch(/^403 127\.0\.0\.1 is a loopback address/);
  expect(await ask(proxy, "/", headers)).toBe("403 This is a proxy.");
  for (const to of [
    `127.0.0.1:${inside.port}`,
    `localhost:${inside.port}`,
    `[::1]:${inside.port}`,
    "nonsense",
    "@:1",
  ]) {
    expect((await connectThrough(proxy, to, headers)).status).toBe(403);
  }
  expect(inside.connections).toBe(0);
});

test("a connection ends when more comes over it than may, and when its pass is revoked", async () => {
  await using site = await LocalSite.open(
    ({ url }, response) => response.end("x".repeat(Number(url.slice(1)))),
    "127.0.0.2",
  );
  await using proxy = await open(1000);
  const pass = proxy.issueCredentials();
  expect(await ask(proxy, `${site.url}/900`, headersOf(pass))).toMatch(/^200 x{900}$/);
  await expect(ask(proxy, `${site.url}/100000`, headersOf(pass))).rejects.toThrow(/aborted|terminated|hang up/);
  const { status, socket } = await connectThrough(proxy, `127.0.0.2:${site.port}`, headersOf(pass));
  expect(status).toBe(200);
  socket.on("error", () => undefined).resume();
  pass.revoke();
  await once(socket, "close");
});

test("a site that answers with an invalid status or header gets a 502 instead", async () => {
  await using proxy = await open();
  const headers = headersOf(proxy.issueCredentials());
  for (const [line, expected] of [
    ["HTTP/1.1 200 a\u0001b", "200 there"],
    ["HTTP/1.1 099 x", "502 The site sent an invalid answer."],
  ] as const) {
    const site = createServer((socket) => socket.end(`${line}\r\nContent-Length: 5\r\n\r\nthere`));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.2", resolve));
    expect(await ask(proxy, `http://127.0.0.2:${(site.address() as AddressInfo).port}/`, headers)).toBe(expected);
    site.close();
  }
});
