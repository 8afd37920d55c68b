export { universe } from "../builtins/universe.ts";
export { resolve } from "../resolve/resolver.ts";
export type { Statement } from "./ast.ts";
export { Cursor } from "./cursor.ts";
export { completeDialect } from "./dialect.ts";
export { parse } from "./parser.ts";
export { Source } from "./source.ts";
