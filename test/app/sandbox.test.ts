import fc from "fast-check";
import { expect, test } from "vitest";
import { grantCsp } from "../../packages/core/src/app/browser/host/csp-grant.ts";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import type { SandboxEndpointOptions } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";

const page = "http://127.0.0.1:8000";
const label = "0123456789abcdef0123456789abcdef";
const host = `${label}.localhost:8000`;

function get(query: Record<string, string> = {}, options: Partial<SandboxEndpointOptions> = {}) {
  const handler = sandboxEndpoint({ hosts: [page], ...options });
  return handler.handle({ method: "GET", host, url: `/sandbox?${new URLSearchParams({ host: page, ...query })}` });
}
const policyOf = (csp: unknown) => get({ csp: JSON.stringify(csp) }).headers["content-security-policy"];

test("a page that asks for nothing gets the strictest policy", () => {
  const strict =
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "media-src 'self' data:; font-src 'none'; connect-src 'none'; frame-src 'none'; base-uri 'self'; object-src 'none'; " +
    "form-action 'none'; frame-ancestors http://127.0.0.1:8000";
  expect(get().headers["content-security-policy"]).toBe(strict);
  for (const nothing of [{}, null, [], 5, "x", { connectDomains: "https://a.com" }])
    expect(policyOf(nothing)).toBe(strict);
  expect(get({ csp: "{not json" }).headers["content-security-policy"]).toBe(strict);
});

test("the domains a page asked for are in the directives they belong to", () => {
  const policy = policyOf({
    connectDomains: ["https://api.example.com", "wss://live.example.com:8443"],
    resourceDomains: ["https://*.cdn.example.com"],
    frameDomains: ["https://video.example.com"],
    baseUriDomains: ["https://base.example.com"],
  });
  expect(policy?.split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline' https://*.cdn.example.com",
    "style-src 'self' 'unsafe-inline' https://*.cdn.example.com",
    "img-src 'self' data: https://*.cdn.example.com",
    "media-src 'self' data: https://*.cdn.example.com",
    "font-src https://*.cdn.example.com",
    "connect-src https://api.example.com wss://live.example.com:8443",
    "frame-src https://video.example.com",
    "base-uri https://base.example.com",
    "object-src 'none'",
    "form-action 'none'",
    "frame-ancestors http://127.0.0.1:8000",
  ]);
});

test.each([
  "https://a.com; script-src *",
  "https://a.com' 'unsafe-eval'",
  'https://a.com"',
  "https://a.com<script>",
  "https://a.com https://b.com",
  "https://a.com\nset-cookie: a=b",
  "https://a.com,https://b.com",
  "https://a.com/path",
  "https://a.com?x",
  "https://[::1]:80",
  "https://user@a.com",
  "https://*",
  "https://*.com",
  "https://a.*.com",
  "https://a.com:*",
  "https://a.com:0",
  "https://a.com:70000",
  "https://-a.com",
  "https://999.999.999.999",
  "https://exämple.com",
  "*",
  "'self'",
  "data:",
  "blob:",
  "https:",
  "javascript:alert(1)",
  "a.com",
  "",
  `https://${"a".repeat(300)}.com`,
  // Where the app is shown, by whatever name.
  "http://127.0.0.1:8000",
  "http://localhost:8000",
  "ws://127.0.0.1:8000",
  "http://127.1:8000",
])("%s is no source that an app is given", (source) => {
  for (const list of ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] as const) {
    const { csp, dropped } = grantCsp({ [list]: [source, "https://fine.example.com"] }, { never: [page] });
    expect(csp).toEqual({ [list]: ["https://fine.example.com"] });
    expect(dropped).toEqual([{ list, source: source.slice(0, 100), why: expect.any(String) as string }]);
  }
});

test("what is no text at all is dropped without being looked into", () => {
  const { csp, dropped } = grantCsp({ connectDomains: [{ toString: 1, valueOf: 1 }, null, 5, ["https://a.com"]] });
  expect(csp).toEqual({});
  expect(dropped.map(({ source, why }) => `${source}: ${why}`)).toEqual([
    "object: it is not a string",
    "object: it is not a string",
    "number: it is not a string",
    "object: it is not a string",
  ]);
});

test("whatever a page asks for, no directive but ours is in the policy", () => {
  const names = policyOf({})
    ?.split("; ")
    .map((directive) => directive.split(" ")[0]);
  const piece = fc.constantFrom(
    "https://",
    "a.com",
    ";",
    " ",
    "'",
    '"',
    "*",
    ".",
    ":",
    "/",
    ",",
    "\n",
    "script-src",
    "\\",
  );
  const source = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(piece).map((pieces) => pieces.join("")),
    fc.anything(),
  );
  const lists = fc.record({
    connectDomains: fc.array(source),
    resourceDomains: fc.array(source),
    frameDomains: fc.array(source),
    baseUriDomains: fc.array(source),
  });
  fc.assert(
    fc.property(lists, (csp) => {
      let json: string;
      try {
        json = JSON.stringify(csp);
      } catch {
        return;
      }
      const policy = get({ csp: json }).headers["content-security-policy"] ?? "";
      expect(policy.split("; ").map((directive) => directive.split(" ")[0])).toEqual(names);
      expect(policy).toMatch(/^[\w\s;':/.*-]+$/);
      for (const granted of Object.values(grantCsp(csp).csp) as string[][])
        for (const each of granted) expect(each).toMatch(/^(https?|wss?):\/\/(\*\.)?[a-z0-9.-]+(:\d+)?$/);
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 5000 : 300 },
  );
}, 120_000);

test("a long list is cut so that the address of the page stays short", () => {
  const domains = Array.from({ length: 500 }, (_, each) => `https://host-${each}.example.com`);
  const { csp, dropped } = grantCsp({ connectDomains: domains, resourceDomains: domains });
  expect(csp.connectDomains).toHaveLength(32);
  expect(dropped[0]).toEqual({
    list: "connectDomains",
    source: "https://host-32.example.com",
    why: "there are too many",
  });
  const long = Array.from(
    { length: 32 },
    (_, each) => `https://${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.x${each}.com`,
  );
  const lists = { connectDomains: long, resourceDomains: long, frameDomains: long, baseUriDomains: long };
  expect(JSON.stringify(grantCsp(lists).csp).length).toBeLessThan(5000);
});

test("the page says what was granted and what was dropped, and no text of an app can end its script", () => {
  const csp = { connectDomains: ["https://a.com", "</script><script>alert(1)</script>"] };
  const html = get({ csp: JSON.stringify(csp) }).bytes.toString();
  expect(html.match(/<\/script>/g)).toHaveLength(1);
  expect(html).toContain('"csp":{"connectDomains":["https://a.com"]}');
  expect(html).toContain("\\u003c/script>");
});

test("the other headers leave nothing open", () => {
  const { headers, status } = get({ permissions: JSON.stringify({ camera: {}, microphone: true, payment: {} }) });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  expect(headers["permissions-policy"]).toMatch(
    /^camera=\*, microphone=\(\), geolocation=\(\), clipboard-write=\(\), /,
  );
  expect(headers["permissions-policy"]?.match(/\*/g)).toHaveLength(1);
  const strict = get({ permissions: '{"camera":{}}' }, { permissions: [] });
  expect(strict.headers["permissions-policy"]).not.toContain("*");
});

test.each([
  ["no page", ""],
  ["a page that is not known", "http://127.0.0.1:9000"],
  ["a page with a path", `${page}/`],
  ["another way to write it", "HTTP://127.0.0.1:8000"],
  ["all pages", "*"],
  ["a directive", `${page}; script-src *`],
  ["nobody's origin", "null"],
])("%s may show an app", (_, shownIn) => {
  const { status, headers, bytes } = get({ host: shownIn }, { hosts: [page, ""] });
  expect(status).toBe(403);
  expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
  expect(bytes.toString()).not.toContain("<");
});

test("an IPv6 address is an error, because apps need host names", () => {
  const { status, bytes } = get({ host: "http://[::1]:8000" }, { hosts: () => true });
  expect([status, bytes.toString()]).toEqual([403, expect.stringContaining("IPv6")]);
});

test("there is one page, on the host names of apps, and nothing else", () => {
  const handler = sandboxEndpoint({ hosts: [page] });
  const url = `/sandbox?host=${encodeURIComponent(page)}`;
  const status = (request: { method?: string; host?: string; url?: string }) =>
    handler.handle({ method: "GET", host, url, ...request }).status;
  expect(status({})).toBe(200);
  expect(status({ method: "HEAD" })).toBe(200);
  expect(status({ method: "POST" })).toBe(405);
  for (const path of [
    "/",
    "/sandbox/",
    "/sandbox/x",
    "//sandbox",
    "/api/overview",
    "/mcp",
    "/sandbox.js",
    "/%73andbox",
    "",
  ])
    expect(status({ url: path })).toBe(404);
  const names = [
    "localhost:8000",
    "127.0.0.1:8000",
    "app.localhost",
    `${label}.localhost.evil.com`,
    `x.${label}.localhost`,
  ];
  const labels = [`${label}0.localhost`, "0123456789abcde.localhost", `${label.replace("0", "g")}.localhost`, ""];
  for (const name of [...names, ...labels]) {
    expect(handler.owns(name)).toBe(false);
    expect(status({ host: name })).toBe(404);
  }
  for (const name of [label, label.slice(16), label.toUpperCase()])
    expect(handler.owns(`${name}.localhost:1`)).toBe(true);
});

test("a public address has an origin for each app, or one for all of them", () => {
  const each = sandboxEndpoint({ hosts: [page], address: "https://{app}.apps.example.com" });
  expect(each.owns(`${label}.apps.example.com`)).toBe(true);
  expect(each.owns("apps.example.com")).toBe(false);
  expect(each.owns(`${label}.localhost`)).toBe(false);
  const one = sandboxEndpoint({ hosts: [page], address: "https://apps.example.com/" });
  expect(one.address).toBe("https://apps.example.com");
  expect([one.owns("apps.example.com"), one.owns(`${label}.apps.example.com`)]).toEqual([true, false]);
  const request = { method: "GET", url: `/sandbox?host=${encodeURIComponent(page)}` };
  const own = (handler: typeof one, host: string) => handler.handle({ ...request, host }).bytes.toString();
  expect(own(each, `${label}.apps.example.com`)).toContain('"hasOwnOrigin":true');
  expect(own(one, "apps.example.com")).toContain('"hasOwnOrigin":false');
});

test.each([
  "apps.example.com",
  "ftp://{app}.x.com",
  "https://x.com/{app}",
  "https://{app}",
  "https://a.{app}.com",
  "https://{app}x.com",
])("%s is no address for apps", (address) => {
  expect(() => sandboxEndpoint({ hosts: [], address })).toThrow(`The sandbox address "${address}" cannot be used`);
});
