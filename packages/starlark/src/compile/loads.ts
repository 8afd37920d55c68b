import { spellingHint } from "../resolve/spelling.ts";
import { Failure } from "../runtime/failure.ts";
import type { Statement } from "../syntax/ast.ts";
import { completedNormally, type Execute } from "./compiled-function.ts";
import type { CompileContext } from "./context.ts";
import { compileWrite } from "./variables.ts";

/** `load("module", "name", other = "name")`: asks the host for the module and takes names from it. */
export function compileLoad(context: CompileContext, statement: Extract<Statement, { kind: "load" }>): Execute {
  const { module, at } = statement;
  const names = statement.names.map(({ local, original, originalAt }) => {
    return { original, originalAt, write: compileWrite(context, local) };
  });
  return (frame) => {
    frame.at = at;
    const { load } = frame.thread;
    if (!load) throw new Failure("load not implemented by this application");
    const globals = load(module);
    for (const { original, originalAt, write } of names) {
      const value = globals.get(original);
      frame.at = originalAt;
      if (value === undefined) {
        const hint = spellingHint(original, globals.keys());
        throw new Failure(`load: name ${original} not found in module ${module}${hint}`);
      }
      write(frame, value);
    }
    return completedNormally;
  };
}
