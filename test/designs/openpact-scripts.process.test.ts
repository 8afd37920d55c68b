import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { biplane, program } from "../support/project.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-openpact-scripts-"));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "scripts"));
writeFileSync(
  join(folder, "scripts/weather.star"),
  'def get_weather(city):\n    return {"city": city, "temp_c": 15.5, "condition": "Cloudy"}\n',
);
writeFileSync(join(folder, "scripts/new_feature.star"), "result = 1\n");

interface Answer {
  readonly id: number;
  readonly result?: { content: { text: string }[]; isError?: boolean };
  readonly error?: { code: number; message: string };
}

/** Writes the config, sends the messages to `biplane serve --stdio`, and gives the answers by their ids. */
async function serve(config: string, messages: readonly string[]): Promise<Map<number, Answer>> {
  writeFileSync(join(folder, "biplane.yaml"), config);
  const input = messages.map((message) => `${message.replaceAll("\n", " ")}\n`).join("");
  const { stdout, stderr } = await biplane(["serve", "--stdio"], { cwd: folder, input });
  const answers = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Answer]));
  if (answers.length === 0) throw new Error(stderr);
  return new Map(answers.map((answer) => [answer.id, answer]));
}

test("an unapproved script is answered with one sentence, letter by letter", async () => {
  const answers = await serve("packs: { script: { root: ./scripts } }\n", [
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"script_run","arguments":{"name":"new_feature"}}}',
  ]);
  expect(answers.get(3)).toMatchObject({
    result: {
      content: [
        {
          type: "text",
          text: "Error: Script 'new_feature.star' is pending approval. An administrator must review and approve this script before it can be executed.",
        },
      ],
      isError: true,
    },
  });
});

test("a script on the allowlist by its name runs at once", async () => {
  const answers = await serve("packs: { script: { root: ./scripts, allowlist: [weather] } }\n", [
    `{
  "jsonrpc": "2.0",
  "id": 2,
  "method": "tools/call",
  "params": {
    "name": "script_run",
    "arguments": {
      "name": "weather",
      "function": "get_weather",
      "args": ["London"]
    }
  }
}`,
  ]);
  const { result } = answers.get(2) ?? expect.fail("there is no answer");
  expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual({ city: "London", temp_c: 15.5, condition: "Cloudy" });
});

test("over stdio every request counts, where limits are set", async () => {
  const config = "packs: { script: { root: ./scripts } }\nlimits: { perPrincipal: { perSecond: 0.001, burst: 4 } }\n";
  const messages = Array.from({ length: 6 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
  const answers = await serve(config, messages);
  expect(answers.get(3)?.error).toBeUndefined();
  expect(answers.get(5)).toMatchObject({
    error: { code: -32000, message: "Rate limit exceeded. Please try again later." },
  });
});

test("the config of OpenCode, which is YAML, names servers to connect to", async () => {
  writeFileSync(
    join(folder, "opencode.yaml"),
    `# OpenCode MCP config
mcp:
  servers:
    openpact:
      command: "./openpact"
      args: ["--mcp"]
`,
  );
  writeFileSync(join(folder, "biplane.yaml"), "packs: { script: { root: ./scripts } }\n");
  // In place of OpenPact's own program, which takes --mcp.
  const start = `test "$1" = --mcp && exec ${process.execPath} ${program} serve --stdio`;
  writeFileSync(join(folder, "openpact"), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  const { code, stdout } = await biplane(["tools", "opencode.yaml#openpact"], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining("script_run(")]);
});
