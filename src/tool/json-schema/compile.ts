import type { Compiler } from "./compiler.ts";
import { fault, inOrder } from "./fault.ts";
import { ALL_KINDS, isObject, KIND, kindOf, NUMBER_KINDS } from "./json-values.ts";
import { arrayChecks } from "./keywords/arrays.ts";
import { combinationChecks, referenceChecks } from "./keywords/combinations.ts";
import { objectChecks } from "./keywords/objects.ts";
import { numberChecks, stringChecks } from "./keywords/scalars.ts";
import { fixedValuesCheck, readFixedValues, readTypes, typeCheck, wrongType } from "./keywords/types.ts";
import { unevaluatedItemsChecks, unevaluatedPropertiesChecks } from "./keywords/unevaluated.ts";
import { linkReferences, refuseEmptyLoops } from "./references.ts";
import { type Run, startRun } from "./run.ts";
import type { Check, JsonObject, JsonSchema } from "./schema.ts";
import { readDocument, type SchemaNode } from "./schema-document.ts";

/**
 * Compiles a JSON Schema (2020-12, 2019-09 or draft-07) to a check. Throws an `Error` that says where the schema is
 * wrong. Schema and values may come from strangers: nothing is fetched or evaluated, and every check ends.
 */
export function compileSchema(schema: JsonSchema): Check {
  const { document, root } = readDocument(schema);
  const needsScope = linkReferences(document);
  refuseEmptyLoops(document);
  const run: Run = { levels: 0, work: 0, exceeded: undefined, scope: needsScope ? [] : undefined };
  const checkOf = createCompiler(run);
  // Also what no value can reach, so that a mistake anywhere in the schema is told now.
  for (const node of document.nodes.values()) checkOf(node);
  const check = checkOf(root);
  return (value) => {
    startRun(run);
    const found = check(value);
    return run.exceeded ?? found;
  };
}

function createCompiler(run: Run): Compiler["checkOf"] {
  const checks = new Map<SchemaNode, Check>();
  const compiler: Compiler = {
    run,
    checkOf(node) {
      let check = checks.get(node);
      if (check === undefined) checks.set(node, (check = compileNode(node, compiler)));
      return check;
    },
  };
  return compiler.checkOf;
}

/** Turns the keywords of one subschema into one check. */
function compileNode(node: SchemaNode, compiler: Compiler): Check {
  if (node.schema === true) return accept;
  if (node.schema === false) return () => notAllowed;
  const check = inOrder([
    ...valueChecks(node, compiler),
    ...referenceChecks(node, compiler),
    ...combinationChecks(node, compiler),
    ...forObjects(unevaluatedPropertiesChecks(node, compiler), accept),
    ...forArrays(unevaluatedItemsChecks(node, compiler), accept),
  ]);
  return node.path === node.resource.path ? insideResource(node, check, compiler.run) : check;
}

const accept: Check = () => undefined;
const notAllowed = fault("is not allowed");

/** `type`, `const`, `enum`, and the keywords that speak of one type of value only. */
function valueChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const types = readTypes(node);
  const strings = stringChecks(node);
  const numbers = numberChecks(node);
  const arrays = arrayChecks(node, compiler);
  const objects = objectChecks(node, compiler);
  const fixed = readFixedValues(node)?.filter((value) => (kindOf(value) & types) !== 0);
  if (fixed === undefined) {
    // One check then both asks for the type and looks inside.
    if (types === KIND.string && strings.length > 0) return forStrings(strings, wrongType(types));
    if (types === KIND.integer && numbers.length > 0) return forIntegers(numbers, wrongType(types));
    if (types === NUMBER_KINDS && numbers.length > 0) return forNumbers(numbers, wrongType(types));
    if (types === KIND.array && arrays.length > 0) return forArrays(arrays, wrongType(types));
    if (types === KIND.object && objects.length > 0) return forObjects(objects, wrongType(types));
  }
  const checks: Check[] = [];
  if (fixed !== undefined) checks.push(fixedValuesCheck(fixed));
  else if (types !== ALL_KINDS) checks.push(typeCheck(types));
  if (types & KIND.string) checks.push(...forStrings(strings, accept));
  if (types & NUMBER_KINDS) checks.push(...forNumbers(numbers, accept));
  if (types & KIND.array) checks.push(...forArrays(arrays, accept));
  if (types & KIND.object) checks.push(...forObjects(objects, accept));
  return checks;
}

function forStrings(checks: readonly Check<string>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = inOrder(checks);
  return [(value) => (typeof value === "string" ? check(value) : otherwise(value))];
}

function forNumbers(checks: readonly Check<number>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = inOrder(checks);
  return [(value) => (typeof value === "number" ? check(value) : otherwise(value))];
}

function forIntegers(checks: readonly Check<number>[], otherwise: Check): Check[] {
  const check = inOrder(checks);
  return [(value) => (typeof value === "number" && Number.isInteger(value) ? check(value) : otherwise(value))];
}

function forArrays(checks: readonly Check<readonly unknown[]>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = inOrder(checks);
  return [(value) => (Array.isArray(value) ? check(value) : otherwise(value))];
}

function forObjects(checks: readonly Check<JsonObject>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = inOrder(checks);
  return [(value) => (isObject(value) ? check(value) : otherwise(value))];
}

/** `$dynamicRef` depends on the resources a check has come through. */
function insideResource(node: SchemaNode, check: Check, { scope }: Run): Check {
  if (scope === undefined) return check;
  return (value) => {
    scope.push(node.resource);
    const found = check(value);
    scope.pop();
    return found;
  };
}
