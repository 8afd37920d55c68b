import { tool } from "../../../packages/core/src/tool/tool.ts";
import type { CodeContext, CodeHost, CodeResult } from "../../../packages/biplane/src/code/engine.ts";
import { z } from "zod";

/** A host that answers calls with functions. */
export function hostOf(tools: Record<string, (input: never) => unknown> = {}, signal?: AbortSignal): CodeHost {
  return {
    call: (name, input) => tools[name]?.(input as never),
    signal: signal ?? new AbortController().signal,
  };
}

/** Runs code that must not fail, and gives its value. */
export async function valueOf(context: CodeContext, code: string, host = hostOf()): Promise<unknown> {
  const { error, value } = await context.run(code, host);
  if (error) throw new Error(`${error.name}: ${error.message}\n${error.trace ?? ""}`);
  return value;
}

export function errorOf({ error }: CodeResult): { kind: string; name: string; message: string; code?: string } {
  if (!error) throw new Error("it did not fail");
  const { kind, name, message, code } = error;
  return { kind, name, message, ...(code !== undefined && { code }) };
}

export const readTextFile = tool({
  name: "read_text_file",
  description: "Read a file as text",
  input: z.object({ path: z.string().describe("Where it lies"), head: z.number().int().optional() }),
  output: z.string(),
  run: () => "",
});

export const getPage = tool({
  name: "get-page",
  description: "Fetch a page\nwith all that is on it",
  input: z.object({ url: z.string(), "max-items": z.number().default(3), class: z.enum(["a", "b"]).optional() }),
  run: () => "",
});

export const echo = tool({ name: "echo", input: z.object({ value: z.unknown() }), run: ({ value }) => value });

export const openTool = tool({
  name: "anything",
  input: { type: "object", additionalProperties: true },
  run: (input) => input,
});
