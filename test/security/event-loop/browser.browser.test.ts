import { afterAll, beforeAll, expect, test } from "vitest";
import { findChromium } from "../../support/find-chromium.ts";
import type { LocalSite } from "../../pack/net/local-site.ts";
import { findHolds, isSoak } from "./find-holds.ts";
import type { HostileCase } from "./find-holds.ts";
import { HeldServer } from "./held-server.ts";
import { pages } from "./hostile-files.ts";
import { openPackSite } from "./pack-site.ts";
import type { Said } from "./pack-site.ts";
import { callTool } from "./pack-server.ts";
import type { Json } from "./pack-server.ts";

let site: LocalSite;
let say: (said: Said) => void;
let server: HeldServer;
beforeAll(async () => {
  ({ site, say } = await openPackSite());
  const browser = { executablePath: findChromium().path, allow: ["127.0.0.1"] };
  server = await HeldServer.start({
    config: () => `policyDefault: allow\npolicies: []\npacks: ${JSON.stringify({ browser })}\n`,
  });
}, 120_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** A call of each tool of the pack. The page is opened anew before each. */
const calls: Readonly<Record<string, Json>> = {
  browser_open: {},
  browser_read: { max_length: 200_000 },
  browser_click: { element: 1 },
  browser_type: { element: 1, text: "text", submit: true },
  browser_screenshot: {},
  browser_back: {},
  browser_close: {},
};

test("every tool of the browser has a case", async () => {
  const { tools } = (await (await fetch(`${server.url}/mcp/capabilities`)).json()) as { tools: { name: string }[] };
  expect(Object.keys(calls).sort()).toEqual(tools.map(({ name }) => name).sort());
});

test("no page holds the event loop", { timeout: isSoak ? 3_600_000 : 240_000 }, async () => {
  let asked = 0;
  const open = () => callTool(server, "browser_open", JSON.stringify({ url: `${site.url}/${++asked}` }));
  const names = Object.keys(calls);
  const cases = Object.entries({
    ...pages,
    "many links": (size: number) => "<a href=x>a</a>".repeat(size / 15),
  }).flatMap(([kind, make], at): HostileCase[] =>
    (isSoak ? names : [names[at % names.length] as string]).map((tool) => ({
      name: `${tool} of ${kind}`,
      limit: 2 ** 20,
      prepare: async (size) => {
        say({ body: `<!doctype html><input><a href=/>a</a>${make(size)}`, type: "text/html; charset=utf-8" });
        await open();
      },
      send: () => (tool === "browser_open" ? open() : callTool(server, tool, JSON.stringify(calls[tool]))),
    })),
  );
  expect(await findHolds(server, isSoak ? cases : cases.filter((_, at) => at % 10 === 0))).toEqual([]);
});
