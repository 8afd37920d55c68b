import { afterAll, expect, test } from "vitest";
import { exampleInput } from "../../../src/cli/terminal/example-input.ts";
import { welcome } from "../../../src/cli/terminal/welcome.ts";
import { widthOf } from "../../../src/cli/terminal/width.ts";
import { gallery } from "../../../src/gallery/gallery.ts";
import { server } from "../../../src/server/server.ts";
import { tool } from "../../../src/tool/tool.ts";
import { runToEnd } from "../../support/project.ts";

const find = tool({
  name: "get_order",
  input: { type: "object", properties: { id: { type: "string", description: "Such as A-1." } }, required: ["id"] },
  annotations: { readOnlyHint: true },
  run: ({ id }) => `order ${String(id)}`,
});
const many = Array.from({ length: 30 }, (_, at) => tool({ name: `some_tool_${at}`, run: () => at }));
const desk = server({ name: "desk", version: "1.0.0", tools: [...many, find] });
const lake = (gallery["frozen-lake"] as () => ReturnType<NonNullable<(typeof gallery)["taxi"]>>)();
afterAll(() => Promise.all([desk.close(), lake.close()]));

/** How many rows a text takes on a screen, and the four that the setup code adds. */
const rows = (text: string) =>
  text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / 80)), 0);

test.each([
  ["a server", desk],
  ["an environment", lake],
])("what to do next with %s fits on a small screen", (_, served) => {
  const text = welcome([served], "http://127.0.0.1:8000");
  expect(rows(text)).toBeLessThanOrEqual(24 - 5);
  expect(text).toContain("http://127.0.0.1:8000/mcp");
  expect(text).toMatch(/the page: +http:\/\/127\.0\.0\.1:8000\/\n/);
  expect(text).toContain("Stop with Ctrl-C.");
});

test("the lines to copy work as they are", async () => {
  const { url } = await desk.serve("http://127.0.0.1:0");
  const [curl = ""] = /curl .*/.exec(welcome([desk], url)) ?? [];
  const { stdout } = await runToEnd("/bin/sh", ["-c", curl], { cwd: "/" });
  expect(JSON.parse(stdout)).toMatchObject({ result: "order A-1" });
  const { url: lakeUrl } = await lake.serve("http://127.0.0.1:0");
  const [reset = ""] = /curl .*/.exec(welcome([lake], lakeUrl)) ?? [];
  expect(JSON.parse((await runToEnd("/bin/sh", ["-c", reset], { cwd: "/" })).stdout)).toHaveProperty("observation");
  // A call by itself belongs to no episode.
  expect(welcome([lake], lakeUrl)).not.toContain("npx biplane call");
});

test("of several, each is told where it is; trainers only where they may come in", () => {
  const text = welcome([desk, lake], "ws://127.0.0.1:8000");
  expect(text).toContain("agents    http://127.0.0.1:8000/env/frozen-lake/mcp");
  expect(text).toContain("trainers  http://127.0.0.1:8000/env/frozen-lake ");
  const shut = (gallery["taxi"] as () => typeof lake)().govern({ mode: "production" });
  expect(welcome([shut], "http://127.0.0.1:1")).not.toMatch(/trainers|reset|rollout/);
  expect(welcome([shut], "http://127.0.0.1:1")).toContain("npx biplane inspect http://127.0.0.1:1/mcp");
});

test("examples are made of what the schema says", () => {
  const properties = {
    a: { type: "string", default: "x" },
    b: { enum: ["LEFT", "RIGHT"] },
    c: { type: "integer", minimum: 3 },
    d: { type: "array", items: { type: "boolean" }, minItems: 1 },
    e: { type: "object", properties: { f: { const: 5 } }, required: ["f"] },
    g: { type: "string" },
    optional: { type: "string" },
  };
  const required = ["a", "b", "c", "d", "e", "g", "missing"];
  expect(exampleInput({ type: "object", properties, required })).toEqual({
    a: "x",
    b: "LEFT",
    c: 3,
    d: [false],
    e: { f: 5 },
    g: "…",
    missing: "…",
  });
});
