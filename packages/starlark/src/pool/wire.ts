import { StarlarkError } from "../errors.ts";
import type { Thread } from "../runtime/thread.ts";
import { Range } from "../values/range.ts";
import type { Value } from "../values/value.ts";
import { Decoder, Encoder, type EncoderOptions, type Item, type Node, type TaggedItem } from "./codec.ts";

/** A Starlark value encoded for `postMessage`. */
export interface Wire {
  readonly item: Item;
  readonly nodes: readonly Node[];
}

export interface WireFunctions extends Omit<EncoderOptions, "spend"> {
  readonly decode: (item: TaggedItem) => Value;
  /** Bytes that the message can still have (default: unlimited). */
  readonly budget?: { left: number };
}

/** Maximum size of one message of a worker. A shared string is free for the program, but is sent once per use. */
export const maxMessageBytes = 64 * 1024 * 1024;

export function encodeWire(value: Value, { budget, ...functions }: WireFunctions): Wire {
  const spend = (bytes: number, part?: Value): void => {
    // A range is sent whole, because the host makes it a list.
    const all = part instanceof Range ? bytes * (1 + part.length) : bytes;
    if (budget && (budget.left -= all) < 0)
      throw new StarlarkError("conversion", `cannot convert values with more than ${maxMessageBytes} bytes`);
  };
  const encoder = new Encoder({ ...functions, spend });
  return { item: encoder.item(value), nodes: encoder.nodes };
}

export function decodeWire(thread: Thread, { item, nodes }: Wire, { decode }: WireFunctions): Value {
  const decoder = new Decoder(thread, decode);
  for (const node of nodes) decoder.add(node);
  return decoder.item(item);
}
