import type { Bytes } from "../values/bytes.ts";
import { BytesView } from "../values/string-view.ts";
import { takes, type BuiltinTable } from "./arguments.ts";

export const bytesMethods: BuiltinTable = {
  elems: takes(0, 0, ({ receiver }) => new BytesView(receiver as Bytes)),
};
