import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { callTool, code, connectEnvironment, listTools } from "biplane/client";
import { codeTool, pythonEngine } from "biplane/code";

const python = pythonEngine();
afterAll(() => python.close());

/** A file with a needle, for the examples of RFC 003. */
function files(): Environment {
  const subject = environment({
    name: "files",
    start: () => ({ reads: 0 }),
    observe: ({ reads }) => ({ reads }),
    tools: (tool) => ({
      read_text_file: tool({
        input: {
          type: "object",
          properties: { path: { type: "string" }, head: { type: "integer" } },
          required: ["path"],
        },
        run: ({ path, head }, { state }) => {
          state.reads++;
          return `${path} ${head}\na needle here\nhay`;
        },
      }),
    }),
    reward: () => 1,
  });
  codeTool(subject, { engines: [python] });
  return subject;
}

describe.each(["in process", "by URL", "over MCP"])("env.step %s", (way) => {
  const subject = files();
  let target: Environment | string = subject;
  beforeAll(async () => {
    const { url } = await subject.serve("http://127.0.0.1:0");
    if (way !== "in process") target = way === "over MCP" ? `${url}/mcp` : url;
  });
  afterAll(() => subject.close());

  test("calls a tool, lists the tools and runs code, as the RFC's two scenarios do", async () => {
    await using env = await connectEnvironment(target);
    await env.reset({ seed: 1 });
    const called = await env.step(callTool("read_text_file", { path: "~/file.txt", head: 100 }));
    expect(called).toMatchObject({ observation: expect.stringContaining("~/file.txt 100"), reward: 1, done: false });
    const listed = await env.step(listTools());
    expect(listed.observation).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: "read_text_file" })]),
    });
    const block = `
text = read_text_file('~/file.txt', head=100)
return [l for l in text.split("\\n") if "needle" in l]
`;
    expect((await env.step(code(block))).observation).toMatchObject({ result: ["a needle here"] });
  });
});
