import { expectPositional, prefixed, stringAt } from "../builtins/arguments.ts";
import { Failure } from "../runtime/failure.ts";
import { encodeUtf8 } from "../utf8.ts";
import { Builtin } from "../values/callable.ts";
import { namespaceOf } from "../values/namespace.ts";
import { parseJson } from "./read-json.ts";
import { writeJson } from "./write-json.ts";

/** `json.encode(value)` and `json.decode(text)`. */
export const jsonModule = namespaceOf(
  "json",
  new Map([
    [
      "encode",
      new Builtin("json.encode", (call) => {
        expectPositional(call, 1);
        const { text, isCut } = prefixed(call.name, () => {
          return writeJson(call.thread, call.positional[0] ?? null, { maxBytes: maxTextBytes });
        });
        if (isCut) throw new Failure(`json.encode: the value is larger than ${maxTextBytes} bytes as JSON`);
        return encodeUtf8(text);
      }),
    ],
    [
      "decode",
      new Builtin("json.decode", (call) => {
        expectPositional(call, 1);
        return prefixed(call.name, () => parseJson(call.thread, stringAt(call, 0)));
      }),
    ],
  ]),
);

const maxTextBytes = 16 * 1024 * 1024;
