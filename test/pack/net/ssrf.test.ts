import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNetworkGuard } from "../../../packages/biplane/src/pack/shared/net/network-guard.ts";
import { LocalSite } from "./local-site.ts";

let inside: LocalSite;
let inside6: LocalSite | undefined;
let front: LocalSite;

beforeAll(async () => {
  inside = await LocalSite.open((_, response) => response.end("the inside"));
  inside6 = await LocalSite.open((_, response) => response.end("the inside"), "::1").catch(() => undefined);
  front = await LocalSite.open(({ url }, response) => {
    response.writeHead(302, { location: decodeURIComponent(url.slice(1)) }).end();
  });
});
afterAll(async () => {
  for (const site of [inside, inside6, front]) await site?.[Symbol.asyncDispose]();
});

/** Names as a hostile resolver would answer them. */
const names: Record<string, readonly string[]> = {
  "loopback.test": ["127.0.0.1"],
  "rebinding.test": ["93.184.216.34", "127.0.0.1"],
  "six.test": ["::1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "metadata.google.internal": ["169.254.169.254"],
  "zoned.test": ["fe80::1%lo"],
  "nothing.test": [],
  "odd.test": ["0177.0.0.1"],
  localhost: ["127.0.0.1", "::1"],
  "sub.localhost": ["127.0.0.1"],
  "xn--loopback-test.example": ["127.0.0.1"],
  "front.test": ["127.0.0.1"],
};

/** PORT stands for the port of the listener that nobody may reach. */
const tricks: readonly string[] = [
  "http://127.0.0.1:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://2130706433:PORT/",
  "http://017700000001:PORT/",
  "http://0x7f000001:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://0x7f.0.0.1:PORT/",
  "http://0x7f.1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://127。0。0。1:PORT/",
  "http://127.0.0．1:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://１２７.0.0.1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http://127.255.255.254:PORT/",
  "http://0.0.0.0:PORT/",
  "http://0:PORT/",
  "http://localhost:PORT/",
  "http://LOCALHOST:PORT/",
  "http://localhost.:PORT/",
  "http://sub.localhost:PORT/",
  "http://ⓛocalhost:PORT/",
  "http://[::1]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://[::]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[0:0:0:0:0:ffff:7f00:0001]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[64:ff9b::127.0.0.1]:PORT/",
  "http://[64:ff9b:1::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[2001:0:7f00:1::80ff:fffe]:PORT/",
  "http://[fe80::1%25lo]:PORT/",
  "http://[fe80::1]:PORT/",
  "http://[fd00:ec2::254]:PORT/",
  "http://[ff02::1]:PORT/",
  "http://10.0.0.1:PORT/",
  "http://172.16.0.1:PORT/",
  "http://172.31.255.255:PORT/",
  "http://192.168.1.1:PORT/",
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/latest/meta-data/",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/machine",
  "http://192.0.0.192/opc/v2/instance/",
  "http://224.0.0.1:PORT/",
  "http://255.255.255.255:PORT/",
  "http://198.18.0.1:PORT/",
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://loopback.test:PORT/",
  "http://loopback.test.:PORT/",
  "http://LOOPBACK.test:PORT/",
  "http://xn--loopback-test.example:PORT/",
  "http://rebinding.test:PORT/",
  "http://six.test:PORT/",
  "http://mapped.test:PORT/",
  "http://nat64.test:PORT/",
  "http://zoned.test:PORT/",
  "http://odd.test:PORT/",
  "http://nothing.test:PORT/",
  "http://example.com@127.0.0.1:PORT/",
  "http://user:secret@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT\\@example.com/",
  "http://example.com\\@127.0.0.1:PORT/",
  "http:/\\127.0.0.1:PORT/",
  "http://127.0.0.1:PORT#@example.com/",
  "http://127.0.0.1:PORT?@example.com/",
  "http:127.0.0.1:PORT/",
  "http:////127.0.0.1:PORT/",
  " http://127.0.0.1:PORT/",
  "http://127.0.\t0.1:PORT/",
  "http://127.0.0.1\n:PORT/",
  "hTTp://127.0.0.1:PORT/",
  "https://127.0.0.1:PORT/",
  "//127.0.0.1:PORT/",
  "ftp://127.0.0.1:PORT/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:PORT/_x",
  "data:text/plain,inside",
  "blob:http://127.0.0.1:PORT/x",
  "javascript:alert(1)",
  "ws://127.0.0.1:PORT/",
  "http://",
  "",
];

const lookup = async (hostname: string) => names[hostname] ?? [];

describe("nothing leads to this machine or its network", () => {
  test.each(tricks)("%j is refused before anything connects", async (trick) => {
    const url = trick.replaceAll("PORT", String(inside.port));
    await expect(createNetworkGuard({ lookup }).fetch(url)).rejects.toThrow(
      /not allowed|The URL|has no IP address|must be/,
    );
    await expect(createNetworkGuard({ lookup }).check(url)).rejects.toThrow(/./);
    expect(inside.connections + (inside6?.connections ?? 0)).toBe(0);
  });

  test.each(tricks.filter((trick) => trick !== "" && !/[\t\n ]/.test(trick)))(
    "a redirect to %j is refused before anything connects",
    async (trick) => {
      const location = trick.replaceAll("PORT", String(inside.port));
      const guard = createNetworkGuard({ lookup, allow: ["front.test"] });
      const url = `http://front.test:${front.port}/${encodeURIComponent(encodeURI(location))}`;
      const outcome = await guard.fetch(url).then(
        ({ body }) => body.toString(),
        (error: Error) => error.message,
      );
      expect(outcome).not.toContain("the inside");
      expect(inside.connections + (inside6?.connections ?? 0)).toBe(0);
    },
  );

  test("the listeners can be reached by those who may, so the counts above can fail", async () => {
    const guard = createNetworkGuard({ lookup, allow: ["127.0.0.0/8"] });
    const url = `http://2130706433:${inside.port}/`;
    expect((await guard.fetch(url)).body.toString()).toBe("the inside");
    expect(inside.connections).toBe(1);
    inside.connections = 0;
  });
});

test("a name that changes its meaning between check and connection reaches the address that was checked", async () => {
  await using allowed = await LocalSite.open((_, response) => response.end("checked"), "127.0.0.2");
  await using forbidden = await LocalSite.open((_, response) => response.end("rebound"), "127.0.0.1");
  let lookups = 0;
  const guard = createNetworkGuard({
    allow: ["127.0.0.2"],
    lookup: async () => (lookups++ === 0 ? ["127.0.0.2"] : ["127.0.0.1"]),
  });
  const { body } = await guard.fetch(`http://rebinding.test:${allowed.port}/`);
  expect(body.toString()).toBe("checked");
  expect(lookups).toBe(1);
  await expect(guard.fetch(`http://rebinding.test:${forbidden.port}/`)).rejects.toThrow(
    "resolves to a loopback address",
  );
  expect(forbidden.connections).toBe(0);
});

test("a refusal does not reveal the address of a name", async () => {
  const guard = createNetworkGuard({ lookup: async () => ["10.20.30.40"] });
  const error = await guard.fetch("http://wiki.corp/").catch((error: Error) => error.message);
  expect(error).toBe(
    "wiki.corp resolves to a private address, which is not allowed. An operator can allow it in the configuration.",
  );
});
