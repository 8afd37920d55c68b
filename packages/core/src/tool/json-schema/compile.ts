import type { Compiler } from "./compiler.ts";
import { fault, allChecks } from "./fault.ts";
import { ALL_KINDS, KIND, jsonKind, NUMBER_KINDS } from "./json-values.ts";
import { arrayChecks } from "./keywords/arrays.ts";
import { combinationChecks, referenceChecks } from "./keywords/combinations.ts";
import { objectChecks } from "./keywords/objects.ts";
import { numberChecks, stringChecks } from "./keywords/scalars.ts";
import { fixedValuesCheck, readFixedValues, readTypes, typeCheck, wrongType } from "./keywords/types.ts";
import { unevaluatedItemsChecks, unevaluatedPropertiesChecks } from "./keywords/unevaluated.ts";
import { linkReferences, refuseEmptyLoops } from "./references.ts";
import { OWN_WORK, type SchemaRun, startRun } from "./run.ts";
import type { Check, JsonObject, JsonSchema } from "./schema.ts";
import { readDocument, type SchemaNode } from "./schema-document.ts";
import { isRecord } from "../../is-record.ts";

/**
 * Compiles a JSON Schema (2020-12, 2019-09 or draft-07) to a check; throws if the schema is invalid. Schema and values
 * may be hostile: nothing is fetched or evaluated, and every check terminates.
 *
 * Not ajv, which evaluates source text that it makes of the schema, takes some 15 times as long to compile one, and
 * puts no bound on the work of a hostile schema. The tests compare the results of both.
 */
export function compileSchema(schema: JsonSchema, options: SchemaOptions = {}): Check {
  const { document, root } = readDocument(schema);
  const needsScope = linkReferences(document);
  refuseEmptyLoops(document);
  const { maxWork = OWN_WORK, checkFormats = false } = options;
  const run: SchemaRun = { levels: 0, work: 0, maxWork, exceeded: undefined, scope: needsScope ? [] : undefined };
  const checkOf = createCompiler(run, checkFormats);
  // Compile unreachable subschemas too, to report all mistakes now.
  for (const node of document.nodes.values()) checkOf(node);
  const check = checkOf(root);
  return (value) => {
    startRun(run);
    const found = check(value);
    return run.exceeded ?? found;
  };
}

export interface SchemaOptions {
  readonly maxWork?: number;
  /** Checks `format`, which is else only an annotation (default: false). */
  readonly checkFormats?: boolean;
}

function createCompiler(run: SchemaRun, checkFormats: boolean): Compiler["checkOf"] {
  const checks = new Map<SchemaNode, Check>();
  const compiler: Compiler = {
    run,
    checkFormats,
    checkOf(node) {
      let check = checks.get(node);
      if (check === undefined) checks.set(node, (check = compileNode(node, compiler)));
      return check;
    },
  };
  return compiler.checkOf;
}

/** Combines the keywords of one subschema into one check. */
function compileNode(node: SchemaNode, compiler: Compiler): Check {
  if (node.schema === true) return accept;
  if (node.schema === false) return () => notAllowed;
  const check = allChecks([
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

/** `type`, `const`, `enum`, and the keywords for one type of value. */
function valueChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const types = readTypes(node);
  const strings = stringChecks(node, compiler);
  const numbers = numberChecks(node);
  const arrays = arrayChecks(node, compiler);
  const objects = objectChecks(node, compiler);
  const { run } = compiler;
  const fixed = readFixedValues(node)?.filter((value) => (jsonKind(value) & types) !== 0);
  if (fixed === undefined) {
    // A single check tests the type and the content.
    if (types === KIND.string && strings.length > 0) return forStrings(strings, wrongType(types));
    if (types === KIND.integer && numbers.length > 0) return forIntegers(numbers, wrongType(types));
    if (types === NUMBER_KINDS && numbers.length > 0) return forNumbers(numbers, wrongType(types));
    if (types === KIND.array && arrays.length > 0) return forArrays(arrays, wrongType(types));
    if (types === KIND.object && objects.length > 0) return forObjects(objects, wrongType(types));
  }
  const checks: Check[] = [];
  if (fixed !== undefined) checks.push(fixedValuesCheck(fixed, run));
  else if (types !== ALL_KINDS) checks.push(typeCheck(types));
  if (types & KIND.string) checks.push(...forStrings(strings, accept));
  if (types & NUMBER_KINDS) checks.push(...forNumbers(numbers, accept));
  if (types & KIND.array) checks.push(...forArrays(arrays, accept));
  if (types & KIND.object) checks.push(...forObjects(objects, accept));
  return checks;
}

function forStrings(checks: readonly Check<string>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = allChecks(checks);
  return [(value) => (typeof value === "string" ? check(value) : otherwise(value))];
}

function forNumbers(checks: readonly Check<number>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = allChecks(checks);
  return [(value) => (typeof value === "number" ? check(value) : otherwise(value))];
}

function forIntegers(checks: readonly Check<number>[], otherwise: Check): Check[] {
  const check = allChecks(checks);
  return [(value) => (typeof value === "number" && Number.isInteger(value) ? check(value) : otherwise(value))];
}

function forArrays(checks: readonly Check<readonly unknown[]>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = allChecks(checks);
  return [(value) => (Array.isArray(value) ? check(value) : otherwise(value))];
}

function forObjects(checks: readonly Check<JsonObject>[], otherwise: Check): Check[] {
  if (checks.length === 0) return [];
  const check = allChecks(checks);
  return [(value) => (isRecord(value) ? check(value) : otherwise(value))];
}

/** `$dynamicRef` depends on the resources a check has passed through. */
function insideResource(node: SchemaNode, check: Check, { scope }: SchemaRun): Check {
  if (scope === undefined) return check;
  return (value) => {
    scope.push(node.resource);
    const found = check(value);
    scope.pop();
    return found;
  };
}
