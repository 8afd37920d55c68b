import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { AppToolResult } from "../../packages/core/src/app/browser/bridge/content.ts";
import type { View, ViewOptions } from "../../packages/core/src/app/browser/view/view.ts";
import type { Incomplete, ViewOf } from "../../packages/core/src/app/browser/view/view-of.ts";
import { tool } from "../../packages/core/src/tool/tool.ts";

const showTable = tool({
  name: "show_table",
  input: z.object({
    title: z.string(),
    columns: z.array(z.object({ name: z.string() })),
    limit: z.number().default(10),
  }),
  output: z.object({ rows: z.array(z.number()) }),
  run: () => ({ rows: [] }),
});
const refine = tool({
  name: "refine",
  input: z.object({ by: z.number() }),
  output: z.object({ rows: z.array(z.number()) }),
  run: () => ({ rows: [] }),
});
const refresh = tool({ name: "refresh", input: z.object({ hard: z.boolean().optional() }), run: () => "done" });
const reset = tool({ name: "reset", run: () => undefined });

type Table = ViewOf<typeof showTable, { refine: typeof refine; refresh: typeof refresh; reset: typeof reset }>;

test("a page's handlers know its tool's input and output", () => {
  type Handlers = Required<ViewOptions<Table>>;
  // A default is the server's to fill in: a page sees the arguments as they were given.
  expectTypeOf<Parameters<Handlers["onInput"]>[0]>().toEqualTypeOf<{
    title: string;
    columns: { name: string }[];
    limit?: number | undefined;
  }>();
  expectTypeOf<Parameters<Handlers["onResult"]>[0]>().toEqualTypeOf<AppToolResult<{ rows: number[] }>>();
  expectTypeOf<Parameters<Handlers["onPartialInput"]>[0]>().toExtend<{
    readonly title?: string | undefined;
    readonly columns?: readonly { readonly name?: string | undefined }[] | undefined;
  }>();
  expectTypeOf<Incomplete<{ a: string | null }>>().toEqualTypeOf<{ readonly a?: string | null | undefined }>();
});

test("the tools it calls have names, inputs and results", () => {
  expectTypeOf<keyof Table["tools"]>().toEqualTypeOf<"refine" | "refresh" | "reset">();
  const calls = async (view: View<Table>) => {
    const { structuredContent } = await view.callTool("refine", { by: 3 });
    expectTypeOf(structuredContent).toEqualTypeOf<{ rows: number[] } | undefined>();
    expectTypeOf((await view.callTool("refresh")).structuredContent).toEqualTypeOf<unknown>();
    await view.callTool("refresh", { hard: true }, { timeoutMs: 5, signal: AbortSignal.timeout(5) });
    await view.callTool("reset");
    // @ts-expect-error -- there is no such tool
    await view.callTool("remove", {});
    // @ts-expect-error -- this one needs an input
    await view.callTool("refine");
    // @ts-expect-error -- and that is not it
    await view.callTool("refine", { by: "three" });
    // @ts-expect-error -- no such display mode
    await view.requestDisplayMode("hologram");
  };
  expect(calls).toBeInstanceOf(Function);
});

test("a page without type arguments may call any tool", () => {
  const calls = async (view: View, other: View<ViewOf<typeof showTable>>) => {
    expectTypeOf((await view.callTool("anything", { at: 1 })).structuredContent).toEqualTypeOf<unknown>();
    await other.callTool("anything");
  };
  expect(calls).toBeInstanceOf(Function);
});

test("the whole client fits in three kilobytes", async () => {
  const entry = fileURLToPath(new URL("../../packages/core/src/app/browser/view/index.ts", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(3 * 1024);
});
