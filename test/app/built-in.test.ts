import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { builtInApp, tableApp } from "../../packages/core/src/app/built-in.ts";
import type { BuiltInAppName } from "../../packages/core/src/app/built-in.ts";

const names: readonly BuiltInAppName[] = ["approvals", "connect-four", "frozen-lake", "lunar-lander", "table"];

test.each(names)("the page of %s is small and self-contained: it loads nothing and talks only to its host", (name) => {
  const { html, uri, meta } = builtInApp(name);
  expect(uri).toMatch(new RegExp(`^ui://${name}@[0-9a-f]{12}$`));
  expect(gzipSync(html).length).toBeLessThan(12_000);
  expect(html).not.toMatch(/\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import)\s*\(/);
  const addresses = html.match(/https?:\/\/[^"'`\s)]+/g) ?? [];
  expect(addresses.filter((each) => each !== "http://www.w3.org/2000/svg")).toEqual([]);
  expect(meta["ui"] ?? {}).not.toHaveProperty("csp");
});

test("equal options return the same app, and other options another app of the same page", () => {
  expect(tableApp()).toBe(tableApp());
  const titled = tableApp({ title: "Orders", visibility: ["app"] });
  expect(titled).toMatchObject({ title: "Orders", visibility: ["app"], html: tableApp().html });
  expect(titled.uri).not.toBe(tableApp().uri);
  expect(titled).toBe(tableApp({ visibility: ["app"], title: "Orders" }));
});
