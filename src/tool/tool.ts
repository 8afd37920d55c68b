import { BiplaneError, messageOf } from "../errors.ts";
import { foreignUi, toolUi } from "./app.ts";
import type { App, ToolUi, Visibility } from "./app.ts";
import type { Call } from "./call.ts";
import type { Reply } from "./content.ts";
import { compileInput, compileOutput } from "./schema.ts";
import type { AnySchema, CompiledSchema, JsonObject } from "./schema.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** A tool: a frozen value that any number of servers may hold. */
export interface Tool {
  /** Empty for a tool that takes its name from the key it is registered under. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly timeoutMs: number;
  readonly idempotent: boolean;
  readonly annotations: ToolAnnotations;
  readonly interactive: boolean;
  readonly task: "optional" | "required" | undefined;
  /** It only makes other calls: in an episode those are the steps, and it is none itself. */
  readonly composite?: boolean;
  readonly icons: readonly Icon[] | undefined;
  readonly meta: JsonObject | undefined;
  /** The page it is shown with, and who may call it. */
  readonly ui?: ToolUi | undefined;
  /** What another server says of its tool beyond all this, passed on as it came. */
  readonly more?: JsonObject;
  readonly run: (input: unknown, call: Call) => unknown;
}

export interface ToolOptions<In extends AnySchema | undefined, Out extends AnySchema | undefined, Seen = Call> {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** zod, any Standard Schema, or JSON Schema. Left out: the tool takes no arguments. */
  readonly input?: In;
  readonly output?: Out;
  /** How long `run` may take: 1,000 ms; an hour for a tool with `task`. */
  readonly timeoutMs?: number;
  /** Calling twice is as good as calling once. Only then may anyone retry or cache. */
  readonly idempotent?: boolean;
  readonly annotations?: ToolAnnotations;
  /** `run` may use `call.ask`. */
  readonly interactive?: boolean;
  /** The call may (or must) become a task that the caller polls. */
  readonly task?: "optional" | "required";
  /** It only makes other calls, such as by running code: in an episode those are the steps, and it is none itself. */
  readonly composite?: boolean;
  readonly icons?: readonly Icon[];
  readonly meta?: JsonObject;
  /** An interactive page for what the tool answers; or only who may call it: `{ visibility: ["app"] }`. */
  readonly ui?: App | { readonly visibility: readonly Visibility[] };
  readonly run: (input: InputOf<In>, call: Seen) => ReturnOf<Out> | Promise<ReturnOf<Out>>;
}

/** A tool that remembers, for the compiler alone, what goes in and what comes out. */
export interface TypedTool<Input, Output> extends Tool {
  readonly [typed]?: { readonly input: Input; readonly output: Output };
}

declare const typed: unique symbol;

/** What a caller gives a tool, and what it answers with. */
export type ToolInput<T> = T extends TypedTool<infer Input, infer _> ? Input : Record<string, unknown>;
export type ToolOutput<T> = T extends TypedTool<infer _, infer Output> ? Output : unknown;

/** Hints for hosts, in MCP's own words. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

type InputOf<In> = In extends StandardSchema<infer _, infer Parsed> ? Parsed : Record<string, unknown>;
export type GivenOf<In> = In extends StandardSchema<infer Given, infer _> ? Given : Record<string, unknown>;
export type AnsweredOf<Out> = Out extends StandardSchema<infer _, infer Parsed> ? Parsed : unknown;
type ReturnOf<Out> = Out extends StandardSchema<infer Given, infer _> ? Given | Reply : unknown;

/** Defines a tool. Its schemas are compiled here, once; what cannot work is an error here, not at the first call. */
export function tool<In extends AnySchema | undefined = undefined, Out extends AnySchema | undefined = undefined>(
  options: ToolOptions<In, Out>,
): TypedTool<GivenOf<In>, AnsweredOf<Out>> {
  const { name = "", title, description, idempotent = false, interactive = false, task, icons, meta } = options;
  if (name !== "") checkName(name);
  const timeoutMs = options.timeoutMs ?? (task ? 3_600_000 : 1000);
  if (!(timeoutMs > 0 && timeoutMs <= longestTimer)) {
    throw invalid(name, `timeoutMs must be between 1 and ${longestTimer}, not ${timeoutMs}`);
  }
  if (typeof options.run !== "function") throw invalid(name, "run must be a function");
  const ui = options.ui ? toolUi(name, options.ui) : foreignUi(meta);
  if (ui?.uri !== undefined && !description?.trim())
    throw invalid(name, "a tool with an app needs a description: models and hosts without pages have only the text");
  return Object.freeze({
    name,
    title,
    description,
    input: compile(name, "input", () => compileInput(options.input)),
    output: options.output && compile(name, "output", () => compileOutput(options.output as AnySchema)),
    timeoutMs,
    idempotent,
    annotations: Object.freeze({ ...(idempotent && { idempotentHint: true }), ...options.annotations }),
    interactive,
    task,
    ...(options.composite && { composite: true }),
    icons,
    meta,
    ...(ui && { ui }),
    run: options.run as Tool["run"],
  });
}

/** Node's timers count in 31 bits. */
const longestTimer = 2 ** 31 - 1;

/** The same tool under another name. */
export function renamed(tool: Tool, name: string): Tool {
  checkName(name);
  return tool.name === name ? tool : Object.freeze({ ...tool, name });
}

function checkName(name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return;
  throw invalid(name, "a name is 1 to 128 letters, digits, underscores, dots and hyphens");
}

function compile(name: string, side: "input" | "output", make: () => CompiledSchema): CompiledSchema {
  try {
    return Object.freeze(make());
  } catch (error) {
    throw invalid(name, `${side} schema: ${messageOf(error)}`, error);
  }
}

function invalid(name: string, why: string, cause?: unknown): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `tool ${JSON.stringify(name)}: ${why}`, { cause });
}
