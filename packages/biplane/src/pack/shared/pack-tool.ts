import { reply, text, tool } from "@biplane/core";
import type { Call, Reply, Tool, ToolOptions } from "@biplane/core";
import type { JsonObject, ValueOf } from "@biplane/core/internal";
import type { Members } from "../../schema/builders.ts";
import { withDefaults } from "../../schema/value-reader.ts";

export interface PackToolOptions<In extends JsonObject, Out extends JsonObject | undefined> extends Omit<
  ToolOptions<undefined, undefined>,
  "input" | "output" | "run"
> {
  readonly name: string;
  /** (default: no arguments) */
  readonly input?: In;
  readonly output?: Out;
  readonly run: (input: ValueOf<In, true>, call: Call) => ResultOf<Out> | Promise<ResultOf<Out>>;
}

type ResultOf<Out> = Reply | (Out extends JsonObject ? ValueOf<Out> : never);

/** Defines a tool of a pack. Its `run` gets the input with the defaults of its schema. */
export function packTool<
  const In extends JsonObject = { readonly type: "object" },
  const Out extends JsonObject | undefined = undefined,
>({ input, output, run, ...options }: PackToolOptions<In, Out>): Tool {
  return tool<JsonObject, JsonObject>({
    ...options,
    ...(input && { input }),
    ...(output && { output }),
    run: (given, call) => run(withDefaults(given, input ?? {}) as ValueOf<In, true>, call),
  });
}

/** A reply with a text for people and models, and the same as data. */
export function textReply(shown: string, structured: Readonly<Record<string, unknown>>): Reply {
  return reply(text(shown), { structured });
}

/** Hints of a tool that reads and changes nothing. */
export const readsLocally = {
  idempotent: true,
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

/** The schema of arguments of which none is required. */
export function allOptional<const Fields extends Members>(properties: Fields) {
  return { type: "object", properties } as const;
}
