import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LocalSite } from "../net/local-site.ts";
import { hasChromium, page } from "./browsing.ts";

const canLook = hasChromium && process.platform === "linux";
let site: LocalSite;
const folder = mkdtempSync(join(tmpdir(), "biplane-test-"));
beforeAll(async () => {
  site = await LocalSite.open((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(page("Here", "text"));
  }, "127.0.0.2");
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The environments of all processes whose home is in this test's folder. */
function browsers(): string[] {
  return readdirSync("/proc").flatMap((id) => {
    try {
      const environment = /^\d+$/.test(id) ? readFileSync(`/proc/${id}/environ`, "utf8") : "";
      return environment.includes(`HOME=${folder}/`) ? [environment] : [];
    } catch {
      return []; // it has ended meanwhile, or is somebody else's
    }
  });
}

async function openInChild() {
  const script = fileURLToPath(new URL("browser-child.ts", import.meta.url));
  const args = ["--import", "tsx", "--conditions", "biplane-source", script, `${site.url}/`];
  const env = { ...process.env, TMPDIR: folder, BROWSER_TEST_SECRET: "not-for-the-browser" };
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  expect(line).toContain("Title: Here");
  return child;
}

describe.skipIf(!canLook)("the browser's processes", () => {
  test("know nothing of our environment, and end with the pack, as do their files", async () => {
    const child = await openInChild();
    const running = browsers();
    expect(running.length).toBeGreaterThan(1);
    for (const environment of running) expect(environment).not.toContain("not-for-the-browser");
    child.stdin.write("close\n");
    expect(await once(child, "exit")).toEqual([0, null]);
    await vi.waitFor(() => expect(browsers()).toEqual([]), { timeout: 5000 });
    expect(readdirSync(folder).filter((name) => name.startsWith("biplane-"))).toEqual([]);
  }, 30_000);

  test("end even when ours is killed", async () => {
    const child = await openInChild();
    child.kill("SIGKILL");
    await once(child, "exit");
    await vi.waitFor(() => expect(browsers()).toEqual([]), { timeout: 10_000 });
  }, 30_000);
});
