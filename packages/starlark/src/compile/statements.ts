import { Failure } from "../runtime/failure.ts";
import type { Statement } from "../syntax/ast.ts";
import { isIterable, iterate } from "../values/iterate.ts";
import { List } from "../values/list.ts";
import { Range } from "../values/range.ts";
import { isTrue } from "../values/truth.ts";
import { typeName } from "../values/value.ts";
import { compileAugmented } from "./augmented.ts";
import {
  completedByBreak,
  completedByContinue,
  completedByReturn,
  completedNormally,
  type Completion,
  type Execute,
} from "./compiled-function.ts";
import type { CompileContext } from "./context.ts";
import { compileFunction } from "./functions.ts";
import { compileLoad } from "./loads.ts";
import { costOf, costOfStatement } from "./measure.ts";
import { compileTarget, type Assign } from "./targets.ts";
import { compileWrite } from "./variables.ts";

/** A block of statements. Their steps are counted once, at the start. */
export function compileBlock(context: CompileContext, statements: readonly Statement[], extraCost = 0): Execute {
  const cost = statements.reduce((total, statement) => total + costOfStatement(statement), extraCost);
  const compiled = statements.map((statement) => compileStatement(context, statement));
  const [first, second] = compiled;
  if (first && compiled.length === 1) {
    return (frame) => {
      frame.thread.charge(cost);
      return first(frame);
    };
  }
  if (first && second && compiled.length === 2) {
    return (frame) => {
      frame.thread.charge(cost);
      return first(frame) || second(frame);
    };
  }
  return (frame) => {
    frame.thread.charge(cost);
    for (let index = 0; index < compiled.length; index++) {
      const completion = compiled[index]?.(frame) ?? completedNormally;
      if (completion !== completedNormally) return completion;
    }
    return completedNormally;
  };
}

function compileStatement(context: CompileContext, statement: Statement): Execute {
  switch (statement.kind) {
    case "expression": {
      const evaluate = context.expression(statement.expression);
      return (frame) => {
        evaluate(frame);
        return completedNormally;
      };
    }
    case "assign":
      return compileAssign(context, statement);
    case "augment":
      return compileAugmented(context, statement);
    case "return": {
      const evaluate = statement.value && context.expression(statement.value);
      return (frame) => {
        frame.result = evaluate ? evaluate(frame) : null;
        return completedByReturn;
      };
    }
    case "pass":
      return () => completedNormally;
    case "break":
      return () => completedByBreak;
    case "continue":
      return () => completedByContinue;
    case "if":
      return compileIf(context, statement);
    case "for":
      return compileFor(context, statement);
    case "while":
      return compileWhile(context, statement);
    case "def": {
      const create = compileFunction(context, statement.function);
      const write = compileWrite(context, statement.identifier);
      return (frame) => {
        write(frame, create(frame));
        return completedNormally;
      };
    }
    case "load":
      return compileLoad(context, statement);
  }
}

function compileAssign(context: CompileContext, statement: Extract<Statement, { kind: "assign" }>): Execute {
  const evaluate = context.expression(statement.value);
  const { target } = statement;
  if (target.kind === "identifier" && target.binding?.kind === "local" && !target.binding.variable.isCell) {
    const { index } = target.binding.variable;
    return (frame) => {
      frame.locals[index] = evaluate(frame);
      return completedNormally;
    };
  }
  const assign = compileTarget(context, target, statement.at);
  return (frame) => {
    assign(frame, evaluate(frame));
    return completedNormally;
  };
}

function compileIf(context: CompileContext, statement: Extract<Statement, { kind: "if" }>): Execute {
  const branches = statement.branches.map(({ condition, body }) => {
    return { condition: context.expression(condition), body: context.block(body) };
  });
  const otherwise = statement.otherwise && context.block(statement.otherwise);
  const [only] = branches;
  if (only && branches.length === 1) {
    const { condition, body } = only;
    return (frame) => {
      if (isTrue(condition(frame))) return body(frame);
      return otherwise ? otherwise(frame) : completedNormally;
    };
  }
  return (frame) => {
    for (const { condition, body } of branches) if (isTrue(condition(frame))) return body(frame);
    return otherwise ? otherwise(frame) : completedNormally;
  };
}

function compileFor(context: CompileContext, statement: Extract<Statement, { kind: "for" }>): Execute {
  const iterable = context.expression(statement.iterable);
  const assign: Assign = compileTarget(context, statement.target, statement.at);
  const body = context.block(statement.body, 1);
  const { at } = statement;
  return (frame) => {
    const elements = iterable(frame);
    frame.at = at;
    let last: Completion = completedNormally;
    if (elements instanceof Range) {
      const { start, step, length } = elements;
      for (let index = 0; index < length; index++) {
        assign(frame, start + index * step);
        last = body(frame);
        if (last === completedByBreak || last === completedByReturn) break;
      }
    } else {
      if (!isIterable(elements)) throw new Failure(`${typeName(elements)} value is not iterable`);
      if (elements instanceof List && elements.elements.length === 0) return completedNormally;
      iterate(elements, (element) => {
        assign(frame, element);
        last = body(frame);
        return last !== completedByBreak && last !== completedByReturn;
      });
    }
    return last === completedByReturn ? completedByReturn : completedNormally;
  };
}

function compileWhile(context: CompileContext, statement: Extract<Statement, { kind: "while" }>): Execute {
  const condition = context.expression(statement.condition);
  const body = context.block(statement.body);
  const cost = costOf(statement.condition);
  return (frame) => {
    for (;;) {
      frame.thread.charge(cost);
      if (!isTrue(condition(frame))) return completedNormally;
      const completion = body(frame);
      if (completion === completedByReturn) return completedByReturn;
      if (completion === completedByBreak) return completedNormally;
    }
  };
}
