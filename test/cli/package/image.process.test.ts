import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import { Container, containerFault } from "../../support/container.ts";
import { freePort } from "../../support/free-port.ts";
import { skipWithout } from "../../support/needs.ts";
import { biplane, runToEnd } from "../../support/project.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runIn } from "../command.ts";

test("image writes a Dockerfile once, and says where", async () => {
  await using folder = await publishedProject();
  const image = (...words: string[]) => runIn(folder.path, ["image", "--env", "echo", ...words]);
  const { code, stdout, stderr } = await image("--trainers");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Wrote Dockerfile, .dockerignore in ${folder.path}`);
  const text = await readFile(join(folder.path, "Dockerfile"), "utf8");
  expect(text).toContain("EXPOSE 8000");
  expect(text).toContain('"--open-trainer-endpoints"');
  expect((await image("--trainers")).stderr).toMatch(/Dockerfile already exists. Pass --force/);
  expect((await image("--trainers", "--force")).code).toBe(0);
});

test("a Hugging Face Space gets the front matter that it needs", async () => {
  await using folder = await publishedProject();
  await runIn(folder.path, ["image", "--env", "taxi", "--trainers", "--space"]);
  const readme = await readFile(join(folder.path, "README.md"), "utf8");
  expect(readme).toMatch(/^---\ntitle: "taxi"\nsdk: docker\napp_port: 8000\n/);
  expect(readme).toContain("  - openenv\n");
});

/** A project that installs Biplane from the registry, so that nothing is packed for it. */
async function publishedProject(): ReturnType<typeof temporaryFolder> {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, "package.json"), JSON.stringify({ dependencies: { biplane: "^0.1.0" } }));
  return folder;
}

test.each([
  ["no credentials", "policies: []\n", /has no credentials of agents, which production mode needs/],
  ["no policies", "auth: { tokens: [{ id: a, token: '${TOKEN}' }] }\n", /has no policies, which production mode needs/],
])("a config with %s is refused before an image is built", async (_, config, reason) => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "biplane.yaml"), `environments: [echo]\n${config}`);
  const { code, stderr } = await runIn(folder.path, ["image"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(reason);
  expect(await readdir(folder.path)).toEqual(["biplane.yaml"]);
});

test("a file outside of the project, and one that is none, are refused", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "in"));
  await writeFile(join(folder.path, "out.js"), "");
  const image = (...words: string[]) => runIn(join(folder.path, "in"), ["image", ...words]);
  expect((await image("../out.js")).stderr).toMatch(/is outside of/);
  expect((await image("taxi")).stderr).toMatch(/pass --env taxi/);
  expect((await image()).stderr).toMatch(/There is no biplane.yaml here/);
});

const fault = containerFault();
describe("every instruction in a root file system", skipWithout(fault === undefined, fault ?? ""), () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => void (folder = await temporaryFolder()));
  afterAll(() => folder[Symbol.asyncDispose]());

  test("a project with a lock file, made from a clone, runs in production", async () => {
    const project = join(folder.path, "shop");
    expect((await runIn(folder.path, ["init", "shop", "--javascript"])).code).toBe(0);
    const install = ["install", "--package-lock-only", "--prefer-offline", "--no-audit", "--no-fund"];
    expect((await runToEnd("npm", install, { cwd: project, timeoutMs: 120_000 })).code).toBe(0);
    const config = await readFile(join(project, "biplane.yaml"), "utf8");
    await writeFile(
      join(project, "biplane.yaml"),
      `${config}\nauth: { tokens: [{ id: agent, token: "\${BIPLANE_AGENT_TOKEN}" }] }\npolicies: []\npolicyDefault: allow\n`,
    );
    expect(await biplane(["image"], { cwd: project, timeoutMs: 240_000 })).toMatchObject({ code: 0, stderr: "" });
    const port = await freePort();
    const dockerfile = (await readFile(join(project, "Dockerfile"), "utf8")).replaceAll("8000", String(port));
    const lock = await readFile(join(project, ".biplane-packages", "package-lock.json"), "utf8");
    expect(lock).not.toContain('"link": true');
    // From a clone, the image gets the packages of the clone, and git does not.
    const packed = await readdir(join(project, ".biplane-packages"));
    expect(packed.filter((name) => name.endsWith(".tgz"))).toHaveLength(4);
    expect(await readFile(join(project, ".biplane-packages", ".gitignore"), "utf8")).toBe("*\n");
    await using container = await Container.build(project, dockerfile);

    // The first start asks for what is missing.
    const refused = await container.run();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("BIPLANE_AGENT_TOKEN");

    const token = "a".repeat(48);
    const server = await container.serve({ BIPLANE_AGENT_TOKEN: token });
    expect(await container.isHealthy()).toBe(true);
    expect((await fetch(`http://127.0.0.1:${port}/mcp/capabilities`)).status).toBe(401);
    await using client = await connect(`http://127.0.0.1:${port}/mcp`, { bearer: token });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["get_order", "refund_order"]);
    expect((await fetch(`http://127.0.0.1:${port}/reset`, { method: "POST" })).status).toBe(401);
    const { uid } = await stat(join(container.root, "data", "store.db"));
    expect(uid).toBe(1000);
    await server.stop();
    expect(await container.isHealthy()).toBe(false);
  }, 600_000);

  const isSoak = process.env["BIPLANE_SOAK"] === "1";
  const second = skipWithout(isSoak, "BIPLANE_SOAK=1, because it builds a second image");
  test("built-in environments in an empty folder serve trainers", { ...second, timeout: 600_000 }, async () => {
    const project = join(folder.path, "taxi");
    const words = ["image", "--env", "taxi", "--trainers", "--folder", "taxi"];
    expect(await biplane(words, { cwd: folder.path, timeoutMs: 240_000 })).toMatchObject({ code: 0 });
    const port = await freePort();
    const dockerfile = (await readFile(join(project, "Dockerfile"), "utf8")).replaceAll("8000", String(port));
    await using container = await Container.build(project, dockerfile);
    const server = await container.serve();
    expect(await container.isHealthy()).toBe(true);
    const reset = await fetch(`http://127.0.0.1:${port}/reset`, { method: "POST", body: '{"seed":1}' });
    expect(await reset.json()).toMatchObject({ done: false });
    await server.stop();
  });
});
