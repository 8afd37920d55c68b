import { createNamespace } from "../../../starlark/index.ts";
import { textArgument } from "./arguments.ts";
import { readJson } from "./read-json.ts";
import { writeJson } from "./write-json.ts";

/** `json.encode(value)` and `json.decode(text)`. */
export function jsonModule(): unknown {
  return createNamespace("json", {
    encode: (...args: unknown[]) => {
      if (args.length !== 1) throw new Error(`takes exactly one argument, got ${args.length}`);
      return writeJson(args[0], { maxLength: longestText });
    },
    decode: (...args: unknown[]) => {
      if (args.length !== 1) throw new Error(`takes exactly one argument, got ${args.length}`);
      return readJson(textArgument(args[0], "the JSON text"));
    },
  });
}

const longestText = 16 * 1024 * 1024;
