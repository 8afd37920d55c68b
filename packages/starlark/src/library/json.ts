import { prefixed, stringAt, takes } from "../builtins/arguments.ts";
import { Failure } from "../runtime/failure.ts";
import { encodeUtf8 } from "../utf8.ts";
import { moduleOf } from "./module-of.ts";
import { parseJson } from "./read-json.ts";
import { writeJson } from "./write-json.ts";

/** `json.encode(value)` and `json.decode(text)`. */
export const jsonModule = moduleOf("json", {
  encode: takes(1, 1, ({ name, thread, positional: [value = null] }) => {
    const { text, isCut } = prefixed(name, () => writeJson(thread, value, { maxBytes: maxTextBytes }));
    if (isCut) throw new Failure(`json.encode: the value is larger than ${maxTextBytes} bytes as JSON`);
    return encodeUtf8(text);
  }),
  decode: takes(1, 1, (call) => prefixed(call.name, () => parseJson(call.thread, stringAt(call, 0)))),
});

const maxTextBytes = 16 * 1024 * 1024;
