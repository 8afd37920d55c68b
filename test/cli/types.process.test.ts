import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { typesModule } from "../../packages/biplane/src/cli/types/types-module.ts";
import { biplane, linkPackages, runToEnd } from "../support/project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runIn } from "./command.ts";

test("the module of a server is checked by the compiler, and calls its tools", async () => {
  await using folder = await temporaryFolder();
  const cwd = join(folder.path, "shop");
  await runIn(folder.path, ["init", "shop"]);
  await linkPackages(cwd);
  const { code, stderr } = await biplane(["types", "./src/server.ts", "--out", "src/shop.ts"], { cwd });
  expect([code, stderr]).toEqual([0, "Wrote the types of 2 tools to src/shop.ts\n"]);
  expect(await readFile(join(cwd, "src", "shop.ts"), "utf8")).toContain(
    "npx biplane types ./src/server.ts --out src/shop.ts",
  );
  await writeFile(
    join(cwd, "src", "use.ts"),
    `import { connect } from "biplane/client";
import shop from "./server.ts";
import { callTool } from "./shop.ts";

await using client = await connect(shop);
const order = await callTool(client, "get_order", { id: "A-1" });
const price: number = order.price;
// @ts-expect-error -- there is no such tool
await callTool(client, "get_orders", { id: "A-1" }).catch(() => undefined);
// @ts-expect-error -- the argument is missing
await callTool(client, "get_order", {}).catch((error: Error) => process.stderr.write(error.message));
process.stdout.write(String(price));
`,
  );
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  expect((await runToEnd(process.execPath, [tsc, "--noEmit"], { cwd })).stdout).toBe("");
  const ran = await runToEnd(process.execPath, ["--import", "tsx", "src/use.ts"], { cwd });
  expect(ran).toMatchObject({ code: 0, stdout: "40" });
  expect(ran.stderr).toContain("Invalid arguments for get_order");
}, 120_000);

test("a hostile server writes no code and takes a bounded time", async () => {
  const injected = '*/ globalThis.pwned = true; /* `${process.exit()}` "';
  const recursive = { $ref: "#", properties: {} };
  const tools = ["a b", "a-b", injected, "constructor", "__proto__", "1", ""].map((name) => ({
    name,
    description: `${injected}\n*/ pwned`,
    inputSchema: {
      type: "object",
      properties: { [injected]: { description: injected, enum: [injected, 1, null] }, self: { $ref: "#" } },
      required: [injected],
    },
    outputSchema: { $ref: "#/$defs/*/ pwned", $defs: { "*/ pwned": recursive } },
  }));
  const deep = Array.from({ length: 5000 }).reduce<object>((inner) => ({ type: "array", items: inner }), {});
  const wide = { anyOf: Array.from({ length: 100_000 }, (_, at) => ({ const: at })) };
  const all = [...tools, { name: "deep", inputSchema: deep }, { name: "wide", inputSchema: wide }];
  const text = typesModule(all as never, { server: { name: injected, version: "*/" }, command: injected });
  const { code } = transformSync(text, { loader: "ts", format: "esm" });
  await import(`data:text/javascript,${encodeURIComponent(code)}`);
  expect(globalThis).not.toHaveProperty("pwned");
  expect(text.length).toBeLessThan(200_000);
});
