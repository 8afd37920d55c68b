import type { Bytes } from "../values/bytes.ts";
import { BytesView } from "../values/string-view.ts";
import { expectPositional } from "./arguments.ts";
import type { Method } from "./methods.ts";

export const bytesMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "elems",
    (call) => {
      expectPositional(call, 0);
      return new BytesView(call.receiver as Bytes);
    },
  ],
]);
