import { BiplaneError, messageOf } from "../errors.ts";
import { foreignUi, toolUi } from "./app.ts";
import type { App, ToolUi } from "./app.ts";
import type { Call } from "./call.ts";
import type { Reply } from "./content.ts";
import type { Icon } from "./icon.ts";
import type { Visibility } from "./mcp-apps.ts";
import { compileInput, compileOutput } from "./schema.ts";
import type { AnySchema, CompiledSchema, JsonObject } from "./schema.ts";
import { checkOptions } from "./check-options.ts";
import type { OptionNames } from "./check-options.ts";
import type { ValueOf } from "./json-schema/value-of.ts";
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
  /** It only makes other calls. In an episode those are the steps. */
  readonly composite?: boolean;
  readonly icons: readonly Icon[] | undefined;
  readonly meta: JsonObject | undefined;
  /** Its app page, and who may call it. */
  readonly ui?: ToolUi | undefined;
  /** Further fields from another server, passed on unchanged. */
  readonly more?: JsonObject;
  readonly run: (input: unknown, call: Call) => unknown;
}

/** The definition of a tool. */
export interface ToolOptions<In extends AnySchema | undefined, Out extends AnySchema | undefined, Seen = Call> {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** zod, any Standard Schema, or JSON Schema (default: no arguments). */
  readonly input?: In;
  readonly output?: Out;
  /** Checks `format` in plain JSON Schemas, such as `email` and `date-time` (default: false). */
  readonly checkFormats?: boolean;
  /** Time limit for `run`, in milliseconds (default: 30,000; an hour with `task`). Raise it for tools that call slow APIs. */
  readonly timeoutMs?: number;
  /** Repeating a call has no further effect, so clients may retry it (default: false). */
  readonly idempotent?: boolean;
  readonly annotations?: ToolAnnotations;
  /** `run` may use `call.ask`. */
  readonly interactive?: boolean;
  /** The call may (`optional`) or must (`required`) become a task that the caller polls. */
  readonly task?: "optional" | "required";
  /** It only makes other calls, for example by running code. In an episode those are the steps. */
  readonly composite?: boolean;
  readonly icons?: readonly Icon[];
  readonly meta?: JsonObject;
  /** An app page for the result, or just who may call the tool: `{ visibility: ["app"] }`. */
  readonly ui?: App | { readonly visibility: readonly Visibility[] };
  readonly run: (input: InputOf<In>, call: Seen) => ReturnOf<Out> | Promise<ReturnOf<Out>>;
}

/** A tool with its input and output types, for the compiler only. */
export interface TypedTool<Input, Output> extends Tool {
  readonly [typed]?: { readonly input: Input; readonly output: Output };
}

declare const typed: unique symbol;

/** The types a caller sees: what a tool takes and what it returns. */
export type ToolInput<T> = T extends TypedTool<infer Input, infer _> ? Input : Record<string, unknown>;
export type ToolOutput<T> = T extends TypedTool<infer _, infer Output> ? Output : unknown;

/** MCP's tool annotations. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** JSON Schema only validates, so its given and parsed types are the same. */
type ObjectSchema = { readonly type: "object"; readonly properties: object };

type InputOf<In> =
  In extends StandardSchema<infer _, infer Parsed>
    ? Parsed
    : In extends ObjectSchema
      ? ValueOf<In>
      : Record<string, unknown>;
export type GivenOf<In> =
  In extends StandardSchema<infer Given, infer _>
    ? Given
    : In extends ObjectSchema
      ? ValueOf<In>
      : Record<string, unknown>;
export type AnsweredOf<Out> =
  Out extends StandardSchema<infer _, infer Parsed> ? Parsed : Out extends ObjectSchema ? ValueOf<Out> : unknown;
type ReturnOf<Out> =
  Out extends StandardSchema<infer Given, infer _>
    ? Given | Reply
    : Out extends ObjectSchema
      ? ValueOf<Out> | Reply
      : unknown;

/** Defines a tool and compiles its schemas. A tool that cannot work throws here, not at the first call. */
export function tool<
  const In extends AnySchema | undefined = undefined,
  const Out extends AnySchema | undefined = undefined,
>(options: ToolOptions<In, Out>): TypedTool<GivenOf<In>, AnsweredOf<Out>> {
  const { name = "", title, description, idempotent = false, interactive = false, task, icons, meta } = options;
  checkOptions(`Tool ${JSON.stringify(name)}`, options, toolOptionNames);
  if (name !== "") checkName(name);
  const timeoutMs = options.timeoutMs ?? (task ? 3_600_000 : 30_000);
  if (!(timeoutMs > 0 && timeoutMs <= maxTimerMs)) {
    throw invalid(name, `timeoutMs must be between 1 and ${maxTimerMs}, not ${timeoutMs}.`);
  }
  if (typeof options.run !== "function") throw invalid(name, "run must be a function.");
  const formats = { checkFormats: options.checkFormats ?? false };
  const ui = options.ui ? toolUi(name, options.ui) : foreignUi(meta);
  if (ui?.uri !== undefined && !description?.trim())
    throw invalid(name, "a tool with an app needs a description, because models and hosts without apps see only text.");
  return Object.freeze({
    name,
    title,
    description,
    input: compile(name, "input", () => compileInput(options.input, formats)),
    output: options.output && compile(name, "output", () => compileOutput(options.output as AnySchema, formats)),
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

const toolOptionNames: OptionNames<ToolOptions<undefined, undefined>> = {
  name: true,
  title: true,
  description: true,
  input: true,
  output: true,
  checkFormats: true,
  timeoutMs: true,
  idempotent: true,
  annotations: true,
  interactive: true,
  task: true,
  composite: true,
  icons: true,
  meta: true,
  ui: true,
  run: true,
};

/** Node's timers are limited to 31 bits. */
const maxTimerMs = 2 ** 31 - 1;

/** The same tool under another name. */
export function renamed(tool: Tool, name: string): Tool {
  checkName(name);
  return tool.name === name ? tool : Object.freeze({ ...tool, name });
}

function checkName(name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return;
  throw invalid(name, "its name must be 1 to 128 letters, digits, underscores, dots or hyphens.");
}

function compile(name: string, side: "input" | "output", make: () => CompiledSchema): CompiledSchema {
  try {
    return Object.freeze(make());
  } catch (error) {
    throw invalid(name, `${side} schema: ${messageOf(error)}`, error);
  }
}

function invalid(name: string, why: string, cause?: unknown): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `Tool ${JSON.stringify(name)}: ${why}`, { cause });
}
