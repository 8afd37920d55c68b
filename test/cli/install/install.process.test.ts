import { mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { hosts } from "../../../packages/biplane/src/cli/install/hosts.ts";
import type { DesktopHost } from "../../../packages/biplane/src/cli/install/hosts.ts";
import { biplane } from "../../support/project.ts";
import { commandLine, runIn } from "../command.ts";
import type { Ended } from "../command.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const all = Object.entries<DesktopHost>(hosts);
const module = new URL("../lamp.ts", import.meta.url).pathname;

/** Settings as a user has them: comments, another server, other keys. */
const settings: Readonly<Record<string, (key: string) => string>> = {
  json: (key) =>
    `// My settings\n{\n  "theme": "dark", // at night\n  "${key}": {\n    // the first\n    "other": { "command": "other" } // stays\n  }\n}\n`,
  toml: (key) =>
    `# My settings\nmodel = "gpt" # the best\n\n[${key}.other] # stays\ncommand = "other"\n\n# the end\n[tui]\ntheme = "dark"\n`,
  yaml: (key) =>
    `# My settings\nGOOSE_MODEL: gpt # the best\n${key}:\n  # the first\n  other:\n    type: builtin # stays\n    enabled: true\nlast: 1\n`,
};

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => parseJsonc(text),
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text),
};

/** A home folder with the settings of a host in it. */
async function homeOf(host: DesktopHost) {
  const folder = await temporaryFolder();
  const env = { HOME: folder.path, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", CODEX_HOME: "", CLAUDE_CONFIG_DIR: "" };
  const file = host.userFile({ platform: process.platform, home: folder.path, environment: env });
  const kind = file.slice(file.lastIndexOf(".") + 1);
  const text = settings[kind]?.(host.key) ?? "";
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o640 });
  const read = async () => parsers[kind]?.(await readFile(file, "utf8")) as Record<string, Record<string, Written>>;
  const run = (...words: string[]) => install(folder.path, words, env);
  /** As a process of its own, which writes how it was started. */
  const start = (...words: string[]) => biplane(["install", ...words], { cwd: folder.path, env });
  return { file, text, read, run, start, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

function install(cwd: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runIn(cwd, ["install", ...words], env);
}

interface Written {
  readonly command?: string;
  readonly cmd?: string;
  readonly args?: string[];
}

test("a process writes how it was started, and a client starts that", async () => {
  await using home = await homeOf(hosts.cursor);
  const { code, stdout, stderr } = await home.start("cursor", module, "--name", "lamp");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Added lamp in ${home.file}`);
  const written = await readFile(home.file, "utf8");
  const { command = "", args = [] } = (await home.read())[hosts.cursor.key]?.["lamp"] ?? {};
  expect({ command, args }).toEqual(started);
  const client = new Client({ name: "host", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toEqual([]);
  await client.close();
  expect(await home.run("cursor", "--undo")).toMatchObject({ code: 0 });
  expect(await home.run("cursor", module, "--name", "lamp")).toMatchObject({ code: 0, stderr: "" });
  expect(await readFile(home.file, "utf8")).toBe(written);
});

/** The command line that every host gets for the module. */
const started = commandLine("serve", module, "--stdio");

test.each(all)("%s: written, read back, and undone", async (id, host) => {
  await using home = await homeOf(host);
  const { code, stdout, stderr } = await home.run(id, module, "--name", "lamp");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(`Added lamp in ${home.file}`);
  const text = await readFile(home.file, "utf8");
  for (const comment of home.text.match(/(\/\/|#) .*/g) ?? []) expect(text).toContain(comment);
  expect((await stat(home.file)).mode & 0o777).toBe(0o640);
  const servers = (await home.read())[host.key];
  expect(Object.keys(servers ?? {})).toEqual(["other", "lamp"]);
  const { command, cmd, args = [] } = servers?.["lamp"] ?? {};
  expect({ command: command ?? cmd, args }).toEqual(started);
  expect((await home.run(id, module, "--name", "lamp")).stdout).toMatch(/ has lamp already: /);
  expect(await home.run(id, "--undo")).toMatchObject({ code: 0, stdout: expect.stringContaining("Removed lamp") });
  expect(await readFile(home.file, "utf8")).toBe(home.text);
  expect(await readdir(dirname(home.file))).not.toContainEqual(expect.stringMatching(/\.new$/));
});

test.each(all.filter(([, { http }]) => http !== undefined))("%s: a URL with a token", async (id, host) => {
  await using home = await homeOf(host);
  const url = "http://127.0.0.1:8000/mcp";
  expect(await home.run(id, url, "--name", "shop", "--bearer", "s3cret")).toMatchObject({ code: 0, stderr: "" });
  const written = JSON.stringify((await home.read())[host.key]?.["shop"]);
  expect(written).toContain(url);
  expect(written).toContain("Bearer s3cret");
  const variable = await home.run(id, url, "--name", "shop", "--bearer", "$SHOP_TOKEN");
  if (host.readsVariables) expect(JSON.stringify((await home.read())[host.key]?.["shop"])).toContain("SHOP_TOKEN");
  else expect(variable.stderr).toContain("SHOP_TOKEN is not set");
  if (host.readsVariables) expect((await home.run(id, "--undo")).stdout).toContain("Restored shop");
  expect((await home.run(id, "--undo")).stdout).toContain("Removed shop");
  expect(await readFile(home.file, "utf8")).toBe(home.text);
});

test("Claude Desktop gets a proxy for a URL, with the token in its environment", async () => {
  await using home = await homeOf(hosts["claude-desktop"]);
  await home.run("claude-desktop", "http://127.0.0.1:8000/mcp", "--bearer", "s3cret");
  const entry = (await home.read())["mcpServers"]?.["127-0-0-1-8000"];
  expect(entry).toMatchObject({ env: { BIPLANE_TOKEN: "s3cret" } });
  expect(entry?.args?.slice(-4)).toEqual(["proxy", "http://127.0.0.1:8000/mcp", "--bearer", "$BIPLANE_TOKEN"]);
});

test.each(all)("%s: a dry run shows the change and writes nothing", async (id, host) => {
  await using home = await homeOf(host);
  const { stdout } = await home.run(id, "frozen-lake", "--dry-run");
  expect(stdout).toMatch(/^\+.*frozen-lake/m);
  expect(stdout).toContain("Nothing was written");
  expect(await readFile(home.file, "utf8")).toBe(home.text);
});

test.each(all)("%s: a broken file is named with its position and left alone", async (id, host) => {
  await using home = await homeOf(host);
  const broken = `${home.text}\n[{"`;
  await writeFile(home.file, broken);
  const { code, stderr } = await home.run(id, "frozen-lake");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^biplane: \S+:\d+:\d+: the file .*Nothing was written\.\n$/s);
  expect(stderr).not.toContain("gpt");
  expect(await readFile(home.file, "utf8")).toBe(broken);
});

test("a file that changed after the install loses only the entry", async () => {
  await using home = await homeOf(hosts.cursor);
  await home.run("cursor", "frozen-lake");
  const changed = (await readFile(home.file, "utf8")).replace("dark", "light");
  await writeFile(home.file, changed);
  expect((await home.run("cursor", "--undo")).code).toBe(0);
  expect(await readFile(home.file, "utf8")).toBe(home.text.replace("dark", "light"));
  expect((await home.run("cursor", "--undo")).stderr).toMatch(/No install in .* is recorded/);
});

test("a file that did not exist is created for its owner only, and deleted again", async () => {
  await using folder = await temporaryFolder();
  const env = { HOME: folder.path, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
  const run = (...words: string[]) => install(folder.path, ["windsurf", ...words], env);
  const file = join(folder.path, ".codeium", "windsurf", "mcp_config.json");
  expect((await run("taxi")).code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await run("--undo")).code).toBe(0);
  await expect(stat(file)).rejects.toThrow("ENOENT");
});

test("a link to a file elsewhere stays a link", async () => {
  await using folder = await temporaryFolder();
  const env = { HOME: folder.path, XDG_STATE_HOME: "" };
  await mkdir(join(folder.path, ".cursor"));
  await writeFile(join(folder.path, "dotfile.json"), "{}\n");
  await symlink(join(folder.path, "dotfile.json"), join(folder.path, ".cursor", "mcp.json"));
  await install(folder.path, ["cursor", "taxi"], env);
  expect(await readFile(join(folder.path, "dotfile.json"), "utf8")).toContain("taxi");
});

test.each(all.filter(([, { http }]) => http !== undefined))("%s: the shown change hides values", async (id, host) => {
  await using home = await homeOf(host);
  const url = "http://127.0.0.1:8000/mcp";
  const run = async (...words: string[]) => (await home.run(id, ...words)).stdout;
  const added = await run(url, "--name", "shop", "--bearer", "s3cret");
  expect(added).toContain("+");
  expect(added).toContain("(hidden)");
  const beside = await run(url, "--name", "shop2", "--bearer", "0ther", "--dry-run");
  const undone = await run("--undo", "--dry-run");
  for (const shown of [added, beside, undone]) expect(shown).not.toMatch(/s3cret|0ther/);
  expect(JSON.stringify((await home.read())[host.key]?.["shop"])).toContain("s3cret");
});

test("settings of a project contain no token", async () => {
  await using folder = await temporaryFolder();
  const run = (bearer: string) =>
    install(folder.path, ["cursor", "http://127.0.0.1:8000/mcp", "--project", "--bearer", bearer]);
  const refused = await run("s3cret");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Pass '$NAME'")]);
  expect(refused.stderr).not.toContain("s3cret");
  expect(await readdir(folder.path)).toEqual([]);
  expect(await run("$SHOP_TOKEN")).toMatchObject({ code: 0, stdout: expect.stringContaining("${env:SHOP_TOKEN}") });
});

test("settings of a project name no path of this machine", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "biplane.yaml"), "name: shop\nenvironments: [frozen-lake]\n");
  const env = { HOME: folder.path, XDG_STATE_HOME: "" };
  const { stdout } = await install(folder.path, ["claude-code", "--project"], env);
  expect(stdout).toContain("Added shop");
  expect(JSON.parse(await readFile(join(folder.path, ".mcp.json"), "utf8"))).toEqual({
    mcpServers: {
      shop: { type: "stdio", command: "npx", args: ["biplane", "serve", "--config", "./biplane.yaml", "--stdio"] },
    },
  });
  const other = await install(folder.path, ["goose", "--project"], env);
  expect(other).toMatchObject({ code: 2, stderr: "biplane: Goose has no settings for a project. Omit --project.\n" });
});

test("errors say what to pass", async () => {
  await using folder = await temporaryFolder();
  const run = (...words: string[]) => install(folder.path, words, { HOME: folder.path });
  expect((await run("cursor")).stderr).toMatch(/There is no biplane.yaml here. Pass what to install/);
  expect((await run("cursr", "taxi")).stderr).toMatch(/"cursr" is not a host\./);
  expect((await run("cursor", "taxi", "--name", "a b")).stderr).toMatch(/--name must have 1 to 64 letters/);
  expect((await run("cursor", "./none.ts")).stderr).toMatch(/none.ts does not exist/);
  expect((await run()).stdout).toMatch(/cursor +\S+\/\.cursor\/mcp\.json/);
});
