import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { server, tool } from "biplane";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer } from "../../packages/biplane/src/code/code-tool.ts";
import { openStore } from "biplane/store";
import { bundledScript } from "../support/bundled-script.ts";

const programs = {
  javascript: "await note('first'); await pay(); await note('second')",
  python: "note('first')\npay()\nnote('second')",
  starlark: "note('first')\npay()\nnote('second')",
};

test.each(Object.entries(programs))(
  "an agent whose %s ended with its process, while it waited for approval, learns once what it had done",
  async (language, code) => {
    const folder = await mkdtemp(join(tmpdir(), "biplane-lost-"));
    const file = join(folder, "store.db");
    const child = spawn(process.execPath, [script, file, language, code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");

    await using store = await openStore(file);
    await using engine = javascriptEngine({ isolation: "thread" });
    const gateway = server({ name: "kit", version: "1.0.0", store, tools: [tool({ name: "note", run: () => "" })] });
    codeTool(gateway, { engines: [engine] });
    const run = async (principal?: object) =>
      (await gateway.call("run_code", { code: "1" }, { ...principal })) as CodeAnswer;
    expect((await run()).lost).toBeUndefined(); // it still runs

    child.kill("SIGKILL");
    await once(child, "exit");
    const outsider = { principal: { kind: "token", id: "somebody else", scopes: [] } };
    expect((await run(outsider)).lost).toBeUndefined();
    const { lost } = await run();
    expect(lost).toMatchObject([
      {
        language,
        code,
        calls: [
          { tool: "note", input: { text: "first" }, outcome: "done" },
          { tool: "pay", outcome: "waiting" },
        ],
      },
    ]);
    expect((await run()).lost).toBeUndefined();
    expect(await store.list("code-actions")).toEqual([]);
    await rm(folder, { recursive: true });
  },
);

const script = bundledScript(new URL("lost-child.ts", import.meta.url), ["sqlite", "javascript", "python", "starlark"]);
