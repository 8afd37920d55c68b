import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readServers } from "biplane/client";
import { readJsonc } from "../../../packages/biplane/src/config/jsonc.ts";
import { parseServers } from "../../../packages/core/src/client/config/read-servers.ts";
import type { ReadServersOptions } from "../../../packages/core/src/client/config/read-servers.ts";
import { needs } from "../../support/needs.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-servers-"));
});
afterAll(async () => rm(folder, { recursive: true }));

const environment = { TOKEN: "hunter22", EMPTY: "", PATH: "/bin", TRICK: "${TOKEN} $(reboot); --flag" };
const parse = (value: unknown, options: ReadServersOptions = {}) =>
  parseServers(typeof value === "string" ? value : JSON.stringify(value), {
    parse: readJsonc,
    file: "/home/me/servers.json",
    environment,
    userHome: "/home/me",
    ...options,
  });

describe("files of hosts are read as they are", () => {
  test("Claude Desktop's", async () => {
    const { servers, faults } = await parse({
      globalShortcut: "Ctrl+Space",
      mcpServers: {
        filesystem: { command: "npx", args: ["-y", "server-filesystem", "/tmp"] },
        git: { command: "uvx", args: ["mcp-server-git"], env: { TOKEN: "abc" }, disabled: false },
      },
    });
    expect(faults).toEqual([]);
    expect(servers).toEqual({
      filesystem: { command: "npx", args: ["-y", "server-filesystem", "/tmp"], env: {} },
      git: { command: "uvx", args: ["mcp-server-git"], env: { TOKEN: "abc" } },
    });
  });

  test("VS Code's, with comments, inputs, an env file and the workspace's folder", async () => {
    await mkdir(join(folder, ".vscode"));
    await writeFile(join(folder, ".env"), 'export FROM_FILE="a b"\n# no\nBOTH=file\n');
    const file = join(folder, ".vscode", "mcp.json");
    await writeFile(
      file,
      `{
        // asked once
        "inputs": [
          { "type": "promptString", "id": "key", "description": "The key", "password": true, },
          { "type": "pickString", "id": "size", "options": ["s", { "label": "Large", "value": "l" }], "default": "s" },
        ],
        "servers": {
          "remote": { "type": "http", "url": "https://example.com/mcp", "headers": { "X-Key": "\${input:key}" } },
          "old": { "type": "sse", "url": "https://example.com/sse?k=\${input:key}" },
          "local": {
            "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/a.js", "\${input:size}", "\${userHome}"],
            "envFile": "\${workspaceFolder}/.env", "env": { "BOTH": "entry", "NUMBER": 5, "OFF": null },
            "dev": { "watch": "**" }, "gallery": true,
          },
        },
      }`,
    );
    const asked: unknown[] = [];
    const input: NonNullable<ReadServersOptions["input"]> = (question) => {
      asked.push([question.id, question.password, question.options]);
      return question.fallback ?? "typed";
    };
    const { servers, faults, warnings } = await readServers(file, { environment, userHome: "/home/me", input });
    expect([faults, warnings]).toEqual([[], []]);
    expect(asked).toEqual([
      ["key", true, undefined],
      ["size", false, ["s", "l"]],
    ]);
    expect(servers).toEqual({
      remote: { url: "https://example.com/mcp", headers: { "X-Key": "typed" } },
      old: { url: "https://example.com/sse?k=typed" },
      local: {
        command: "node",
        args: [`${folder}/a.js`, "s", "/home/me"],
        env: { FROM_FILE: "a b", BOTH: "entry", NUMBER: "5" },
        cwd: folder,
      },
    });
  });

  test("Cursor's, with its own way to name variables", async () => {
    const { servers } = await parse(
      { mcpServers: { a: { command: "node", args: ["${workspaceFolder}/a.js"], env: { T: "Bearer ${env:TOKEN}" } } } },
      { file: "/home/ada/project/.cursor/mcp.json" } as ReadServersOptions,
    );
    expect(servers["a"]).toEqual({
      command: "node",
      args: ["/home/ada/project/a.js"],
      env: { T: "Bearer hunter22" },
      cwd: "/home/ada/project",
    });
  });

  test("Eval Protocol's, whose env is a list of names", async () => {
    const { servers, faults } = await parse({
      mcpServers: {
        listed: { command: "server", env: ["TOKEN"] },
        web: { url: "https://example.com/mcp", authorization: "Bearer $TOKEN" },
        missing: { command: "server", env: ["NOT_THERE"] },
      },
    });
    expect(servers["listed"]?.env).toEqual({ TOKEN: "hunter22" });
    expect(servers["web"]?.headers).toEqual({ authorization: "Bearer hunter22" });
    expect(faults[0]?.error.message).toMatch(/missing\.env\[0\] names NOT_THERE, which is not set/);
  });
});

describe("OpenCode's files are read", () => {
  const readYamlFile = async (text: string) => {
    const file = join(folder, "opencode.yaml");
    await writeFile(file, text);
    return readServers(file, { environment, userHome: "/home/me" });
  };

  test("in YAML, with a command and its arguments", async () => {
    const { servers, faults, warnings } = await readYamlFile(`# OpenCode MCP config
mcp:
  servers:
    openpact:
      command: "./openpact"
      args: ["--mcp"]
`);
    expect([faults, warnings]).toEqual([[], []]);
    expect(servers).toEqual({ openpact: { command: "./openpact", args: ["--mcp"], env: {} } });
  });

  test.each(["mcp", "mcp.servers"])("with a list as the command, under %s", async (place) => {
    const written = {
      files: { type: "local", command: ["npx", "-y", "server-files"], environment: { KEY: "${TOKEN}" }, enabled: true },
      web: { type: "remote", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
      off: { type: "local", command: ["npx"], enabled: false },
    };
    const { servers, faults, warnings } = await parse({ mcp: place === "mcp" ? written : { servers: written } });
    expect([faults, warnings]).toEqual([[], []]);
    expect(servers).toEqual({
      files: { command: "npx", args: ["-y", "server-files"], env: { KEY: "hunter22" } },
      web: { url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
    });
  });

  test("with what is wrong at its place, and no value shown", async () => {
    const { faults } = await readYamlFile("mcpServers:\n  a:\n    url: ftp://x?key=hunter22\n");
    expect(faults[0]?.error.message).toMatch(/opencode\.yaml:3:10: mcpServers\.a\.url must begin with http:\/\//);
    expect(faults[0]?.error.message).not.toContain("hunter22");
    await expect(readYamlFile("mcp: [\n")).rejects.toThrow(/opencode\.yaml:\d+:\d+: the file is not valid YAML/);
  });
});

test("disabled servers are left out unless one is asked for by name", async () => {
  const file = {
    mcpServers: { on: { command: "a" }, off: { command: "b", disabled: true }, no: { command: "c", enabled: false } },
  };
  const all = await parse(file);
  expect([Object.keys(all.servers), all.disabled]).toEqual([["on"], ["off", "no"]]);
  expect(Object.keys((await parse(file, { only: ["off"] })).servers)).toEqual(["off"]);
  await expect(parse(file, { only: ["onn"] })).rejects.toThrow('"onn" is not one of them; did you mean on?');
});

describe("a mistake is reported with its position", () => {
  const text = `{
  "mcpServers": {
    "good": { "command": "a" },
    "typo": { "comand": "a" },
    "both": { "command": "a", "url": "http://x" },
    "kind": { "type": "htp", "url": "http://x" },
    "unset": { "command": "a", "env": { "KEY": "sk-live-1234 \${TOKN}" } },
    "scheme": { "url": "file:///etc/passwd" },
    "login": { "url": "http://me:hunter22@x" },
    "args": { "command": "a", "args": "one two" },
    "header": { "url": "http://x", "headers": { "A: b\\r\\nC": "d" } },
    "asked": { "command": "\${input:nobody}" }
  }
}`;
  test("and one that is wrong leaves the others be", async () => {
    const { servers, faults } = await parse(text);
    expect(Object.keys(servers)).toEqual(["good"]);
    const told = Object.fromEntries(faults.map(({ name, error }) => [name, error.message.split("\n")[0]]));
    expect(told).toEqual({
      typo: "/home/me/servers.json:4:15: mcpServers.typo.comand is not a known key; did you mean command?",
      both: "/home/me/servers.json:5:5: mcpServers.both has both a command and a url; remove one, or set the type",
      kind: "/home/me/servers.json:6:23: mcpServers.kind.type is not a known type; did you mean http?",
      unset:
        "/home/me/servers.json:7:48: mcpServers.unset.env.KEY refers to TOKN, which is not set; did you mean TOKEN?",
      scheme: expect.stringContaining("8:24: mcpServers.scheme.url must begin with http://") as string,
      login: expect.stringContaining("9:23: mcpServers.login.url contains a user name or password") as string,
      args: expect.stringContaining("mcpServers.args.args must be a list of strings") as string,
      header: expect.stringContaining("is not a valid header name") as string,
      asked: expect.stringContaining('needs an answer to the input "nobody"') as string,
    });
  });

  test("and what may be secret is not shown", async () => {
    const { faults } = await parse(text);
    const told = faults.map(({ error }) => error.message).join("\n");
    expect(told).not.toMatch(/sk-live|hunter22/);
  });

  test.each([
    [{ mcpServer: {} }, "1:2: mcpServer is not a key for servers; did you mean mcpServers?"],
    [[], "1:1: the file must be an object"],
    [{ mcpServers: [] }, "mcpServers must be an object of servers by name"],
    [{ mcpServers: { a: {} }, servers: { a: {} } }, "servers.a is defined twice"],
    [
      '{"mcpServers": {"a": {"env": {"KEY": \'sk-live-1\'}}}}',
      "1:38: the file has a word or sign that is not JSON; write texts and keys in double quotes",
    ],
  ])("%j", async (file, message) => {
    await expect(parse(file)).rejects.toThrow(message);
  });

  test("a pipe, which is not read", needs("mkfifo"), async () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await expect(readServers(join(folder, "pipe"))).rejects.toThrow("it is not a file");
    const { faults } = await parse({ mcpServers: { a: { command: "a", envFile: join(folder, "pipe") } } });
    expect(faults[0]?.error.message).toContain("it is not a file");
  });

  test("a file that is not there, or is a folder", async () => {
    await expect(readServers(join(folder, "nothing.json"))).rejects.toThrow(/nothing\.json does not exist/);
    await expect(readServers(folder)).rejects.toThrow("it is a folder");
  });

  test("a misspelled key gets a hint", async () => {
    const { servers, warnings } = await parse({
      mcpServers: { a: { command: "x", arg: ["y"], autoApprove: [], timeout: 5 } },
    });
    expect(Object.keys(servers)).toEqual(["a"]);
    expect(warnings).toEqual([expect.stringContaining("mcpServers.a.arg is not a known key; did you mean args?")]);
  });
});

describe("a value does no more than it says", () => {
  test("the value of a variable is not expanded, split or run", async () => {
    const { servers } = await parse({
      mcpServers: { a: { command: "x", args: ["${TRICK}", "$${TOKEN}", "`id`", "$TOKEN"] } },
    });
    expect(servers["a"]?.args).toEqual(["${TOKEN} $(reboot); --flag", "${TOKEN}", "`id`", "$TOKEN"]);
  });

  test("defaults stand in for what is not set or empty", async () => {
    const { servers } = await parse({
      mcpServers: { a: { command: "x", args: ["${NOPE:-a b}", "${EMPTY:-c}", "${EMPTY}"] } },
    });
    expect(servers["a"]?.args).toEqual(["a b", "c", ""]);
  });

  test.each([
    [{ command: "a\0b" }, "NUL character"],
    [{ command: "a", env: { "A=B": "c" } }, "is not a valid variable name"],
    [{ url: "http://x", headers: { A: "b\nC: d" } }, "line break"],
    [{ command: "${command:reboot}" }, "which is not known"],
    [{ command: "a", envFile: "/dev/zero" }, "it is not a file"],
    [{ command: "a", envFile: "nothing.env" }, "which does not exist"],
    ["a", "must be an object"],
    [{ command: 5 }, "must be a string"],
    [{ command: "" }, "is empty"],
  ])("%j is refused", async (entry, message) => {
    const { servers, faults } = await parse({ mcpServers: { a: entry } });
    expect(servers).toEqual({});
    expect(faults[0]?.error.message).toContain(message);
  });
});
