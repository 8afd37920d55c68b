import { createHash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { exampleInput } from "../../../packages/biplane/src/cli/terminal/example-input.ts";
import { welcome } from "../../../packages/biplane/src/cli/terminal/welcome.ts";
import { widthOf } from "../../../packages/biplane/src/cli/terminal/width.ts";
import { gallery } from "@biplane/gallery";
import { server } from "biplane";
import { bearerTokens } from "biplane/governance";
import { tool } from "../../../packages/core/src/tool/tool.ts";
import { runToEnd } from "../../support/project.ts";
import { runHere } from "../command.ts";

const find = tool({
  name: "get_order",
  input: { type: "object", properties: { id: { type: "string", description: "Such as A-1." } }, required: ["id"] },
  annotations: { readOnlyHint: true },
  run: ({ id }) => `order ${id}`,
});
const many = Array.from({ length: 30 }, (_, at) => tool({ name: `some_tool_${at}`, run: () => at }));
const kit = server({ name: "kit", version: "1.0.0", tools: [...many, find] });
const lake = gallery["frozen-lake"]();
afterAll(() => Promise.all([kit.close(), lake.close()]));

const limits = { perPrincipal: { perSecond: 10, burst: 20 } };

/** How many rows a text takes on a screen, and the four that the setup code adds. */
const rows = (text: string) =>
  text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / 80)), 0);

test.each([
  ["a server", kit],
  ["an environment", lake],
])("what to do next with %s fits on a small screen", (_, served) => {
  const text = welcome({ served: [served], url: "http://127.0.0.1:8000", limits });
  expect(rows(text)).toBeLessThanOrEqual(24 - 5);
  expect(text).toContain("http://127.0.0.1:8000/mcp");
  expect(text).toMatch(/Admin page +http:\/\/127\.0\.0\.1:8000\/\n/);
  expect(text).toContain("Stop with Ctrl-C.");
});

test("the lines to copy work as they are", async () => {
  const { url } = await kit.serve("http://127.0.0.1:0");
  const [curl = ""] = /curl .*/.exec(welcome({ served: [kit], url, limits })) ?? [];
  const { stdout } = await runToEnd("/bin/sh", ["-c", curl], { cwd: "/" });
  expect(JSON.parse(stdout)).toMatchObject({ result: "order A-1" });
  const { url: lakeUrl } = await lake.serve("http://127.0.0.1:0");
  const [reset = ""] = /curl .*/.exec(welcome({ served: [lake], url: lakeUrl, limits })) ?? [];
  expect(JSON.parse((await runToEnd("/bin/sh", ["-c", reset], { cwd: "/" })).stdout)).toHaveProperty("observation");
  const [, words = ""] = /npx biplane call (.*)/.exec(welcome({ served: [lake], url: lakeUrl, limits })) ?? [];
  const called = await runHere("call", ...words.split(" "));
  expect(JSON.parse(called.stdout)).toMatchObject({ position: expect.any(Number) });
  expect(Array.from(lake.episodes, ({ seed, stepCount }) => [Number(seed), stepCount])).toEqual([[7, 1]]);
});

test("where callers need a token, the lines to copy send the one in $TOKEN", async () => {
  const token = "a-token-of-the-shop";
  const hash = `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const authenticate = bearerTokens([{ id: "shop", hash }]);
  const { url } = await kit.serve({ url: "http://127.0.0.1:0", authenticate });
  const text = welcome({ served: [kit], url, limits, needsToken: true });
  const [curl = ""] = /curl .*/.exec(text) ?? [];
  const { stdout } = await runToEnd("/bin/sh", ["-c", `TOKEN=${token}; ${curl}`], { cwd: "/" });
  expect(JSON.parse(stdout)).toMatchObject({ result: "order A-1" });
  expect(text).toContain("get_order id=A-1 --bearer '$TOKEN'\n");
  expect(text).toMatch(/install cursor http:\S+\/mcp --bearer '\$TOKEN'\n/);
  expect(text).toContain("in another terminal, with a token in $TOKEN:");
});

test("each of several servers is listed with its URL; trainer endpoints only if they are open", () => {
  const text = welcome({ served: [kit, lake], url: "ws://127.0.0.1:8000", limits });
  expect(text).toContain("Agents      http://127.0.0.1:8000/env/frozen-lake/mcp");
  expect(text).toContain("Trainers    http://127.0.0.1:8000/env/frozen-lake ");
  const shut = gallery["taxi"]().govern({ mode: "production" });
  expect(welcome({ served: [shut], url: "http://127.0.0.1:1", limits })).not.toMatch(/Trainers|reset|rollout/);
  expect(welcome({ served: [shut], url: "http://127.0.0.1:1", limits })).toContain(
    "npx biplane call http://127.0.0.1:1/mcp taxi_move action=",
  );
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
