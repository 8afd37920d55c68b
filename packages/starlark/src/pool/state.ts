import { StarlarkError } from "../errors.ts";
import { Failure } from "../runtime/failure.ts";
import { Thread } from "../runtime/thread.ts";
import { Builtin } from "../values/callable.ts";
import { typeName, type Value } from "../values/value.ts";
import { Decoder, Encoder, asArray, asText } from "./codec.ts";

/** Encodes globals for a later evaluation, as JSON text. Throws if they take more than `maxBytes`. */
export function encodeState(thread: Thread, globals: ReadonlyMap<string, Value>, maxBytes: number): Uint8Array {
  let bytes = 0;
  const encoder = new Encoder({
    spend: (added, value) => {
      if (value !== undefined) thread.charge(1);
      bytes += typeof value === "string" ? 0 : added; // its text is counted on its own
      if (bytes > maxBytes) throw tooLarge(maxBytes);
    },
    encodeFunction: ({ name }) => ["function", name],
    encodeObject: (object) => {
      throw new StarlarkError("conversion", `cannot keep a ${typeName(object)}`);
    },
  });
  const names = Array.from(globals, ([name, value]) => [name, encoder.item(value)] as const);
  // Every character of a Starlark string is a byte, so the text is Latin-1.
  const text = JSON.stringify({ format, names, nodes: encoder.nodes });
  if (text.length > maxBytes) throw tooLarge(maxBytes);
  return Uint8Array.from(Buffer.from(text, "latin1"));
}

/**
 * Decodes a state, which may come from outside. It does not count towards the limits of the program, because one that
 * could be made must be usable.
 */
export function decodeState(state: Uint8Array): Map<string, Value> {
  try {
    const text = Buffer.from(state.buffer, state.byteOffset, state.byteLength).toString("latin1");
    const { format: given, names, nodes } = JSON.parse(text) as Record<string, unknown>;
    if (given !== format) throw new RangeError("it has another format");
    const thread = new Thread({ limits: { steps: Infinity, memoryBytes: Infinity } });
    const decoder = new Decoder(thread, goneFunction);
    for (const node of asArray(nodes)) decoder.add(asArray(node));
    return new Map(asArray(names).map((entry) => [asText(asArray(entry)[0]), decoder.item(asArray(entry)[1])]));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StarlarkError("conversion", `this is not the state of a Starlark program: ${why}`);
  }
}

const format = "starlark-state-1";

function tooLarge(maxBytes: number): Failure {
  return new Failure(`the state takes more than ${maxBytes} bytes`, "limit");
}

/** Functions belong to the program that defined them. */
function goneFunction([tag, given]: readonly unknown[]): Builtin {
  if (tag !== "function") throw new RangeError("a reference leads nowhere");
  const name = asText(given);
  return new Builtin(name, () => {
    throw new Failure(`${name} was defined by an earlier program and is not kept`);
  });
}
