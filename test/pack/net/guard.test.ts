import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { createServer as createRawServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createNetworkGuard } from "../../../packages/biplane/src/pack/shared/net/network-guard.ts";
import type { NetworkGuardOptions } from "../../../packages/biplane/src/pack/shared/net/network-guard.ts";
import { retryAfterMs } from "../../../packages/biplane/src/pack/shared/net/retry-after.ts";
import { LocalSite } from "./local-site.ts";

const local = (options: NetworkGuardOptions = {}) => createNetworkGuard({ allow: ["127.0.0.0/8"], ...options });

describe("redirects", () => {
  test("are followed, relative ones too, and the final URL is returned", async () => {
    await using site = await LocalSite.open(({ url }, response) => {
      if (url === "/a") response.writeHead(301, { location: "b?x=1" }).end();
      else response.end(`at ${url}`);
    });
    const { url, body } = await local().fetch(`${site.url}/a`);
    expect(body.toString()).toBe("at /b?x=1");
    expect(url).toBe(`${site.url}/b?x=1`);
  });

  test("end after so many", async () => {
    await using site = await LocalSite.open((_, response) => response.writeHead(302, { location: "/again" }).end());
    await expect(local({ maxRedirects: 3 }).fetch(site.url)).rejects.toThrow("after 3 redirects");
    expect(site.seen).toHaveLength(4);
  });

  test("leave credentials and whatever else could be one behind when they lead to another origin", async () => {
    await using other = await LocalSite.open((_, response) => response.end("other"));
    await using site = await LocalSite.open(({ url }, response) => {
      response.writeHead(302, { location: url === "/first" ? "/second" : other.url }).end();
    });
    const headers = { authorization: "Bearer secret", "x-api-key": "secret", cookie: "a=b", accept: "text/html" };
    await local().fetch(`${site.url}/first`, { headers });
    expect(site.seen[1]?.headers).toMatchObject({ authorization: "Bearer secret", "x-api-key": "secret" });
    expect(other.seen[0]?.headers).toEqual({
      accept: "text/html",
      "accept-encoding": "gzip, br",
      connection: "close",
      host: other.url.slice("http://".length),
    });
  });

  test.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "hello"],
    [308, "POST", "hello"],
  ])("%i after a POST becomes a %s", async (status, method, body) => {
    await using site = await LocalSite.open(({ url }, response) => {
      if (url === "/") response.writeHead(status, { location: "/next" }).end();
      else response.end();
    });
    await local().fetch(site.url, { method: "POST", body: "hello", headers: { "content-type": "text/plain" } });
    expect(site.seen[1]).toMatchObject({ method, body });
    expect(site.seen[1]?.headers["content-type"]).toBe(body === "" ? undefined : "text/plain");
  });

  test("do not carry what was sent to another origin", async () => {
    await using other = await LocalSite.open((_, response) => response.end());
    await using site = await LocalSite.open((_, response) => response.writeHead(307, { location: other.url }).end());
    await expect(local().fetch(site.url, { method: "POST", body: "secret" })).rejects.toThrow("another host");
    expect(other.connections).toBe(0);
  });

  test("to an address with a user name are refused", async () => {
    await using site = await LocalSite.open(({ headers }, response) =>
      response.writeHead(302, { location: `http://user:pass@${headers.host}/` }).end(),
    );
    await expect(local().fetch(site.url)).rejects.toThrow("must not contain a user name");
  });
});

describe("sizes", () => {
  const zeros = Buffer.alloc(20 * 2 ** 20);

  test("an answer that says it is too large is not read", async () => {
    await using site = await LocalSite.open((_, response) => response.writeHead(200, { "content-length": 2001 }).end());
    await expect(local({ maxBytes: 2000 }).fetch(site.url)).rejects.toThrow("larger than 2000 bytes");
  });

  test("an answer that never ends is cut off", async () => {
    await using site = await LocalSite.open((_, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(16_384))) continue;
      };
      response.on("drain", more);
      more();
    });
    await expect(local().fetch(site.url)).rejects.toThrow("larger than 5 MiB");
  });

  test.each([
    ["gzip", gzipSync(zeros)],
    ["br", brotliCompressSync(zeros)],
  ])("a small %s answer that unpacks to a huge one is refused", async (encoding, packed) => {
    expect(packed.length).toBeLessThan(50_000);
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(packed),
    );
    await expect(local().fetch(site.url)).rejects.toThrow("larger than 5 MiB");
  });

  test("a gzip answer of endless empty members is refused by what came, not by what it unpacks to", async () => {
    const empty = Buffer.concat(Array.from({ length: 200 }, () => gzipSync("")));
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(empty),
    );
    await expect(local({ maxBytes: 1000 }).fetch(site.url)).rejects.toThrow("larger than 1000 bytes");
  });

  test.each([
    ["gzip", gzipSync("hello")],
    ["br", brotliCompressSync("hello")],
    ["identity", Buffer.from("hello")],
  ])("%s is unpacked", async (encoding, packed) => {
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(packed),
    );
    expect((await local().fetch(site.url)).body.toString()).toBe("hello");
  });

  test.each([
    ["gzip", Buffer.from("not gzip"), "cannot be decompressed"],
    ["gzip", gzipSync("x".repeat(1000)).subarray(0, 20), "cut off"],
    ["gzip, gzip, gzip", gzipSync("x"), "not requested"],
  ])("a damaged %s answer is an error that says so", async (encoding, packed, message) => {
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(packed),
    );
    await expect(local().fetch(site.url)).rejects.toThrow(message);
  });
});

describe("time", () => {
  test("a host that accepts and says nothing is given up on, waiting for the body included", async () => {
    await using silent = await LocalSite.open(() => undefined);
    await using slow = await LocalSite.open((_, response) => response.write("a"));
    for (const { url } of [silent, slow]) {
      await expect(local({ timeoutMs: 100 }).fetch(`${url}/secret-path`)).rejects.toThrow(
        `${url} did not answer within 0.1 s`,
      );
    }
  });

  test("a lookup that never ends is given up on", async () => {
    const guard = createNetworkGuard({ timeoutMs: 50, lookup: () => new Promise(() => undefined) });
    await expect(guard.fetch("http://slow.test/")).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("the caller's signal ends it", async () => {
    const controller = new AbortController();
    await using site = await LocalSite.open(() => controller.abort());
    await expect(local().fetch(site.url, { signal: controller.signal })).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(local().fetch(site.url, { signal: controller.signal })).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

describe("rates", () => {
  /** A clock that only waiting moves. */
  function clock(options: NetworkGuardOptions = {}) {
    let at = 1_000_000;
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      at += ms;
    };
    return { guard: local({ now: () => at, wait, ...options }), waits };
  }

  test("a host is asked at most so often, each host for itself", async () => {
    await using site = await LocalSite.open((_, response) => response.end());
    const { guard, waits } = clock({
      rate: { perSecond: 1, burst: 3 },
      lookup: async () => ["127.0.0.1"],
    });
    for (let at = 0; at < 5; at++) await guard.fetch(site.url);
    expect(waits).toEqual([1000, 1000]);
    await guard.fetch(`http://other.test:${site.port}`);
    expect(waits).toHaveLength(2);
  });

  test("a turn that comes after the deadline is an error at once", async () => {
    await using site = await LocalSite.open((_, response) => response.end());
    const { guard, waits } = clock({ rate: { perSecond: 0.01, burst: 1 } });
    await guard.fetch(site.url);
    await expect(guard.fetch(site.url)).rejects.toThrow("127.0.0.1 is rate limited. Try again in 100 s.");
    expect(waits).toEqual([]);
    expect(site.seen).toHaveLength(1);
  });

  test.each([429, 503])(
    "after %i with Retry-After the host is left alone for that long, then asked again",
    async (status) => {
      await using site = await LocalSite.open((_, response) =>
        site.seen.length === 1 ? response.writeHead(status, { "retry-after": "7" }).end() : response.end("now"),
      );
      const { guard, waits } = clock();
      expect((await guard.fetch(site.url, { retries: 1 })).body.toString()).toBe("now");
      expect(waits).toEqual([7000]);
    },
  );

  test("a Retry-After beyond the deadline is given back, and later requests are not even sent", async () => {
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(429, { "retry-after": "120" }).end("busy"),
    );
    const { guard } = clock();
    expect((await guard.fetch(site.url, { retries: 1 })).status).toBe(429);
    await expect(guard.fetch(site.url)).rejects.toThrow("Try again in 120 s");
    expect(site.seen).toHaveLength(1);
  });

  test("what changes things is not sent again after 503", async () => {
    await using site = await LocalSite.open((_, response) => response.writeHead(503, { "retry-after": "1" }).end());
    const { guard } = clock();
    expect((await guard.fetch(site.url, { method: "POST", body: "x", retries: 3 })).status).toBe(503);
    expect(site.seen).toHaveLength(1);
  });

  test("Retry-After is seconds or a date", () => {
    const now = Date.UTC(2026, 0, 1);
    expect(retryAfterMs("3", now)).toBe(3000);
    expect(retryAfterMs("0.25", now)).toBe(250);
    expect(retryAfterMs("Thu, 01 Jan 2026 00:00:30 GMT", now)).toBe(30_000);
    expect(retryAfterMs("Wed, 31 Dec 2025 00:00:30 GMT", now)).toBe(0);
    for (const odd of [undefined, "", "soon", "-1", "+3"]) expect(retryAfterMs(odd, now)).toBeUndefined();
  });
});

describe("what is sent", () => {
  test.each(["Host", "connection", "Transfer-Encoding", "content-length", "proxy-authorization", "Upgrade"])(
    "the header %s is not the caller's to set",
    async (name) => {
      await expect(local().fetch("http://127.0.0.1/", { headers: { [name]: "x" } })).rejects.toThrow("cannot be set");
    },
  );

  test.each([{ "x\r\ny": "z" }, { x: "a\r\nhost: b" }, { "": "x" }, { x: "\u{1f600}" }])(
    "a header that cannot be sent is refused: %j",
    async (headers) => {
      const sent = local().fetch("http://127.0.0.1/", { headers });
      await expect(sent).rejects.toThrow("has an invalid name or value");
    },
  );

  test.each(["TRACE", "CONNECT", "GET /x"])("the method %s is refused", async (method) => {
    await expect(local().fetch("http://127.0.0.1/", { method })).rejects.toThrow("The method must be");
  });

  test("no cookie comes back, and no proxy of the environment is used", async () => {
    await using proxy = await LocalSite.open((_, response) => response.end("proxied"));
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "set-cookie": ["a=b", "c=d"] }).end("straight"),
    );
    const before = { ...process.env };
    Object.assign(process.env, { http_proxy: proxy.url, HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url });
    try {
      const guard = local();
      const { headers, body } = await guard.fetch(site.url);
      expect(body.toString()).toBe("straight");
      expect(headers).not.toHaveProperty("set-cookie");
      await guard.fetch(site.url);
      expect(site.seen[1]?.headers).not.toHaveProperty("cookie");
      expect(proxy.connections).toBe(0);
    } finally {
      process.env = before;
    }
  });

  test("only the ports that are listed are reached", async () => {
    await using site = await LocalSite.open((_, response) => response.end());
    await expect(local({ ports: [80, 443] }).fetch(site.url)).rejects.toThrow(`Port ${site.port}`);
    expect(site.connections).toBe(0);
    await expect(local({ ports: [site.port] }).fetch(site.url)).resolves.toMatchObject({ status: 200 });
  });
});

describe("failures", () => {
  test("name the origin and never the path, which may be a secret", async () => {
    await using site = await LocalSite.open((_, response) => response.destroy());
    const messages = await Promise.all(
      [
        `${site.url}/private-1234/feed?key=5678`,
        "http://127.0.0.1:9/private-1234?key=5678",
        "http://[private-1234",
      ].map((url) => local().fetch(url).then(String, String)),
    );
    expect(messages[0]).toContain(`${site.url} could not be fetched: it closed the connection`);
    expect(messages[1]).toContain("http://127.0.0.1:9 could not be fetched: it refused the connection");
    for (const message of messages) expect(message).not.toMatch(/1234|5678/);
  });

  test.each([
    ["no HTTP at all", "SSH-2.0-OpenSSH\r\n\r\n", "is not HTTP"],
    ["an endless head", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`, "its response headers are too long"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", "is not HTTP"],
    ["less than it says", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab", "could not be fetched"],
  ])("%s is an error that says so", async (_, answer, message) => {
    const raw = createRawServer((socket) => {
      socket.on("error", () => undefined);
      socket.resume().end(answer);
    });
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    const { port } = raw.address() as AddressInfo;
    await expect(local().fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(message);
    await new Promise((resolve) => raw.close(resolve));
  });

  test("a name that does not resolve is an error", async () => {
    const guard = createNetworkGuard({
      lookup: async () => {
        throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
      },
    });
    await expect(guard.fetch("http://nobody.test/")).rejects.toThrow("there is no host with that name");
  });

  test("an entry of allow that is neither host nor range is an error", () => {
    expect(() => createNetworkGuard({ allow: ["10.0.0.0/40"] })).toThrow('"10.0.0.0/40" is neither a host name');
    expect(() => createNetworkGuard({ allow: ["http://x"] })).toThrow("is neither a host name");
  });
});

test("allow takes names, names below one, addresses and ranges", async () => {
  await using site = await LocalSite.open((_, response) => response.end());
  const may = (host: string, allow: string[]) =>
    createNetworkGuard({ allow, lookup: async () => ["127.0.0.1"] })
      .fetch(`http://${host}:${site.port}`)
      .then(
        () => true,
        () => false,
      );
  expect(await may("wiki.corp", ["WIKI.corp"])).toBe(true);
  expect(await may("wiki.corp.", ["wiki.corp"])).toBe(true);
  expect(await may("wiki.corp", ["*.corp"])).toBe(true);
  expect(await may("wiki.corp", ["127.0.0.1"])).toBe(true);
  expect(await may("corp", ["*.corp"])).toBe(false);
  expect(await may("evilcorp", ["*.corp", "corp"])).toBe(false);
  expect(await may("wiki.corp", ["127.0.0.2", "::1", "10.0.0.0/8"])).toBe(false);
});

test("over TLS the name is what is checked in the certificate, and the address is what was checked", async () => {
  const read = (name: string) => readFileSync(new URL(`tls/site.test-${name}.pem`, import.meta.url), "utf8");
  const ca = read("cert");
  const site = createSecureServer({ key: read("key"), cert: ca }, (request, response) =>
    response.end(`${(request.socket as TLSSocket & { servername?: string }).servername} ${request.headers.host}`),
  );
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  const lookup = async () => ["127.0.0.1"];
  const { body } = await local({ ca, lookup }).fetch(`https://site.test.:${port}/`);
  expect(body.toString()).toBe(`site.test site.test:${port}`);
  await expect(local({ ca, lookup }).fetch(`https://other.test:${port}/`)).rejects.toThrow("certificate");
  await expect(local({ lookup }).fetch(`https://site.test:${port}/`)).rejects.toThrow("certificate is not trusted");
  await new Promise((resolve) => site.close(resolve));
});
