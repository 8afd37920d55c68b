import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { connect } from "biplane/client";
import { Container, containerFault } from "../support/container.ts";
import { freePort } from "../support/free-port.ts";
import { skipWithout } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const clone = fileURLToPath(new URL("../../", import.meta.url));
const fault = process.env["BIPLANE_SOAK"]
  ? containerFault()
  : "BIPLANE_SOAK=1, because it installs and builds the clone";

test(
  "deploy/Dockerfile builds the clone, and what it builds serves the config of the fleet",
  { ...skipWithout(fault === undefined, fault ?? ""), timeout: 900_000 },
  async () => {
    await using folder = await temporaryFolder();
    await copyClone(folder.path);
    const port = String(await freePort());
    const dockerfile = await readFile(join(folder.path, "deploy", "Dockerfile"), "utf8");
    await using container = await Container.build(folder.path, dockerfile.replaceAll("8000", port));
    const config = await readFile(join(folder.path, "deploy", "biplane.yaml"), "utf8");
    await mkdir(join(container.root, "etc", "biplane"));
    await writeFile(join(container.root, "etc", "biplane", "biplane.yaml"), config.replaceAll("8000", port));
    const token = "a".repeat(48);
    const server = await container.serve({
      BIPLANE_CONFIG: "/etc/biplane/biplane.yaml",
      BIPLANE_AGENT_TOKEN: token,
      BIPLANE_MONITOR_TOKEN: "b".repeat(48),
    });
    expect(await container.isHealthy()).toBe(true);
    expect((await fetch(`http://127.0.0.1:${port}/mcp/capabilities`)).status).toBe(401);
    await using client = await connect(`http://127.0.0.1:${port}/mcp`, { bearer: token });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["lake_move"]);
    expect((await stat(join(container.root, "data", "store.db"))).uid).toBe(1000);
    await server.stop();
  },
);

/** What a fresh clone has. */
async function copyClone(target: string): Promise<void> {
  const listed = execFileSync("git", ["-C", clone, "ls-files", "-z"], { encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const path of listed.split("\0").filter((each) => each !== "")) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(clone, path), join(target, path));
  }
}
