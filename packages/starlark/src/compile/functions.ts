import { orderParameters } from "../resolve/resolver.ts";
import type { Cell } from "../runtime/frame.ts";
import type { FunctionSyntax } from "../syntax/ast.ts";
import { StarlarkFunction } from "../values/callable.ts";
import type { CompiledFunction } from "./compiled-function.ts";
import type { CompileContext, Evaluate } from "./context.ts";
import { nativeDepthOf } from "./measure.ts";

/** Compiles a `def` or `lambda` to a closure that makes the function value. */
export function compileFunction(context: CompileContext, syntax: FunctionSyntax): Evaluate {
  const code = compileCode(context, syntax);
  const captured = syntax.scope?.captured ?? [];
  const plain = orderParameters(syntax).slice(0, code.parameterNames.length);
  const defaults = plain.map(({ defaultValue }) => defaultValue && context.expression(defaultValue));
  return (frame) => {
    frame.thread.allocate(functionBytes);
    return new StarlarkFunction(
      code,
      defaults.map((evaluate) => evaluate?.(frame)),
      captured.map((source): Cell => {
        if (source.from === "local") return frame.locals[source.variable.index] as Cell;
        return frame.callee.captured[source.index] as Cell;
      }),
    );
  };
}

const functionBytes = 128;

/** Native frames of a call beyond its body, with a reserve for a built-in in between. */
const framesAroundBody = 6;

export function compileCode(context: CompileContext, syntax: FunctionSyntax): CompiledFunction {
  const { name, parameters, body, at, scope } = syntax;
  const ordered = orderParameters(syntax);
  const plain = ordered.filter(({ kind }) => kind === "required" || kind === "optional");
  const starIndex = parameters.findIndex(({ kind }) => kind === "*");
  const beforeStar = starIndex < 0 ? parameters : parameters.slice(0, starIndex);
  const positionalCount = beforeStar.filter(({ kind }) => kind === "required" || kind === "optional").length;
  const hasStar = parameters.some(({ kind, identifier }) => kind === "*" && identifier !== undefined);
  const hasDoubleStar = parameters.some(({ kind }) => kind === "**");
  const locals = scope?.locals ?? [];
  const parameterNames = plain.map(({ identifier }) => identifier?.name ?? "");
  return {
    name,
    module: context.module,
    at,
    positionalCount,
    parameterNames,
    parameterIndexes: new Map(parameterNames.map((parameter, index) => [parameter, index])),
    hasStar,
    hasDoubleStar,
    isSimple: !hasStar && !hasDoubleStar && positionalCount === plain.length,
    localCount: locals.length,
    cellSlots: locals.filter(({ isCell }) => isCell).map(({ index }) => index),
    body: context.block(body),
    nativeFrames: nativeDepthOf(body) + framesAroundBody,
    activeCalls: 0,
  };
}
