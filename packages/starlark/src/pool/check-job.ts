import { universe } from "../builtins/universe.ts";
import { resolve } from "../resolve/resolver.ts";
import { completeDialect } from "../syntax/dialect.ts";
import { parse } from "../syntax/parser.ts";
import { Source } from "../syntax/source.ts";
import type { CheckJob, FromWorker } from "./messages.ts";

/** Parses and resolves a program. Throws its first static error. */
export function checkJob({ file, source: text, dialect, names }: CheckJob): FromWorker {
  const source = new Source(file, text);
  resolve(parse(source), {
    source,
    dialect: completeDialect(dialect),
    isPredeclared: (name) => names.includes(name),
    isUniversal: (name) => universe.has(name),
  });
  return { kind: "checked" };
}
