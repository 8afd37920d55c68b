import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { server } from "biplane";
import { pageEndpoint } from "../../packages/biplane/src/admin/page-endpoint.ts";
import { listen } from "../support/serving.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-page-"));
mkdirSync(join(folder, "assets"));
writeFileSync(join(folder, "index.html"), "<!doctype html><title>Biplane</title>");
writeFileSync(join(folder, "assets", "main-1234.js"), "export {};");

test("the page and its files are served under a policy of their own, and nothing else of the folder's surroundings", async () => {
  await using gateway = await listen(server({ name: "s", version: "1" }), {
    page: pageEndpoint({ folder, frames: "http://*.localhost:*" }),
  });
  const page = await fetch(gateway.base);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<title>Biplane</title>");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-src http://*.localhost:*");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(page.headers.get("cache-control")).toBe("no-cache");
  const script = await fetch(`${gateway.base}/assets/main-1234.js`);
  expect(script.headers.get("content-type")).toContain("text/javascript");
  expect(script.headers.get("cache-control")).toContain("immutable");
  for (const path of ["/assets/", "/assets/none.js", "/index.html", "/assets/..%2f..%2fetc/passwd"])
    expect([path, (await fetch(gateway.base + path)).status]).toEqual([path, 404]);
  expect((await fetch(gateway.base, { method: "POST" })).status).toBe(404);
  expect((await fetch(`${gateway.base}/healthz`)).status).toBe(200);
});

test("a browser that accepts compression gets it compressed", () => {
  const handler = pageEndpoint({ folder });
  const packed = handler.handle("/", "gzip, deflate, br");
  expect(packed?.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
  expect(gunzipSync(packed?.bytes ?? new Uint8Array()).toString()).toContain("<title>Biplane</title>");
  expect(handler.handle("/")?.headers).not.toHaveProperty("content-encoding");
});

test("without a built page, the response says how to build it", () => {
  const { status, bytes } = pageEndpoint({ folder: join(folder, "nowhere") }).handle("/") ?? {};
  expect([status, String(bytes)]).toEqual([503, "The page is not built. Run npm run build.\n"]);
});
