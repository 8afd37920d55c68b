import type { Compiler } from "../compiler.ts";
import { fault, under } from "../fault.ts";
import { hasMember } from "../json-values.ts";
import { readRegExp } from "../keyword-values.ts";
import { dynamicTarget, spend } from "../run.ts";
import type { Check, JsonObject } from "../schema.ts";
import { childOf, childrenOf, type SchemaNode } from "../schema-document.ts";
import { unknownProperty } from "./objects.ts";

/** `unevaluatedProperties`. Must run after all other keywords have passed. */
export function unevaluatedPropertiesChecks(node: SchemaNode, compiler: Compiler): Check<JsonObject>[] {
  const rest = childOf(node, "unevaluatedProperties");
  if (rest === undefined || rest.schema === true) return [];
  const marks = marksOf(node, compiler);
  const check = compiler.checkOf(rest);
  return [
    (value) => {
      const evaluated: Evaluated = { all: false, tests: new Set() };
      for (const mark of marks) mark(value, evaluated);
      if (evaluated.all) return undefined;
      for (const key in value) {
        if (!spend(compiler.run, evaluated.tests.size + 1)) return compiler.run.exceeded;
        if (value[key] === undefined || isEvaluated(key, evaluated) || !Object.hasOwn(value, key)) continue;
        if (rest.schema === false) return unknownProperty(key);
        const found = check(value[key]);
        if (found !== undefined) return under(key, found);
      }
      return undefined;
    },
  ];
}

/** `unevaluatedItems`. Must run after all other keywords have passed. */
export function unevaluatedItemsChecks(node: SchemaNode, compiler: Compiler): Check<readonly unknown[]>[] {
  const rest = childOf(node, "unevaluatedItems");
  if (rest === undefined || rest.schema === true) return [];
  const marks = marksOf(node, compiler);
  const check = compiler.checkOf(rest);
  return [
    (value) => {
      const evaluated: Evaluated = { all: false, tests: new Set() };
      for (const mark of marks) mark(value, evaluated);
      if (evaluated.all) return undefined;
      for (let index = 0; index < value.length; index++) {
        if (!spend(compiler.run, evaluated.tests.size + 1)) return compiler.run.exceeded;
        if (isEvaluated(index, evaluated)) continue;
        if (rest.schema === false) return fault(`has an unexpected item at index ${index}`);
        const found = check(value[index]);
        if (found !== undefined) return under(index, found);
      }
      return undefined;
    },
  ];
}

/** Which properties or items of a value other keywords have evaluated. */
interface Evaluated {
  all: boolean;
  /** A key is evaluated if one of these returns true. A set, because many references may lead to the same keyword. */
  readonly tests: Set<(key: string | number) => boolean>;
}

/** Adds the keys that a keyword evaluates. The value is known to match the keyword's subschema. */
type Mark = (value: JsonObject | readonly unknown[], evaluated: Evaluated) => void;

function isEvaluated(key: string | number, { tests }: Evaluated): boolean {
  for (const test of tests) if (test(key)) return true;
  return false;
}

/**
 * The marks of a subschema, without its own `unevaluated…`. They test a second time which alternatives match, so that
 * schemas without `unevaluated…` do not have to remember it.
 */
function marksOf(node: SchemaNode, compiler: Compiler): Mark[] {
  return [
    ...memberMarks(node),
    ...itemMarks(node, compiler),
    ...combinationMarks(node, compiler),
    ...referenceMarks(node, compiler),
  ];
}

function memberMarks(node: SchemaNode): Mark[] {
  if (node.children.has("additionalProperties")) return [markAllProperties];
  const names = new Set<string | number>(childrenOf(node, "properties").map((child) => child.name));
  const marks: Mark[] = [];
  if (names.size > 0) marks.push(markTest((key) => names.has(key)));
  for (const { name, node: child } of childrenOf(node, "patternProperties")) {
    const pattern = readRegExp(name, child.path);
    marks.push(markTest((key) => typeof key === "string" && pattern.test(key)));
  }
  return marks;
}

function itemMarks(node: SchemaNode, { run, checkOf }: Compiler): Mark[] {
  if (node.children.has("items")) return [markAllItems];
  const count = childrenOf(node, "prefixItems").length;
  const marks: Mark[] = [];
  if (count > 0) marks.push(markTest((key) => typeof key === "number" && key < count));
  const contained = childOf(node, "contains");
  if (contained !== undefined && node.resource.dialect === "2020-12") {
    const check = checkOf(contained);
    marks.push((value, { tests }) => {
      if (!isArray(value) || !spend(run, value.length)) return;
      const fits = value.map((item) => check(item) === undefined);
      tests.add((key) => typeof key === "number" && fits[key] === true);
    });
  }
  return marks;
}

function markTest(test: (key: string | number) => boolean): Mark {
  return (_value, { tests }) => void tests.add(test);
}

function combinationMarks(node: SchemaNode, compiler: Compiler): Mark[] {
  const nodesIn = (...keywords: string[]) => keywords.flatMap((keyword) => childrenOf(node, keyword));
  const marksIn = (...keywords: string[]) => nodesIn(...keywords).map((child) => markOf(child.node, compiler));
  const marks = marksIn("allOf");
  for (const { node: branch } of nodesIn("anyOf", "oneOf")) {
    marks.push(markWhenFits(branch, { pass: [markOf(branch, compiler)], fail: [] }, compiler));
  }
  for (const { node: condition } of nodesIn("if")) {
    marks.push(markWhenFits(condition, { pass: marksIn("if", "then"), fail: marksIn("else") }, compiler));
  }
  for (const { name, node: dependent } of nodesIn("dependentSchemas")) {
    const mark = markOf(dependent, compiler);
    marks.push((value, evaluated) => {
      if (!isArray(value) && hasMember(value, name)) mark(value, evaluated);
    });
  }
  return marks;
}

function markWhenFits(node: SchemaNode, marks: { pass: Mark[]; fail: Mark[] }, { run, checkOf }: Compiler): Mark {
  const check = checkOf(node);
  return (value, evaluated) => {
    if (evaluated.all || !spend(run, 1)) return;
    for (const mark of check(value) === undefined ? marks.pass : marks.fail) mark(value, evaluated);
  };
}

function referenceMarks(node: SchemaNode, compiler: Compiler): Mark[] {
  const marks = node.references.map((target) => markOf(target, compiler));
  if (node.dynamicReference !== undefined) {
    marks.push((value, evaluated) => {
      const target = dynamicTarget(node, compiler.run);
      if (target !== undefined) markOf(target, compiler)(value, evaluated);
    });
  }
  return marks;
}

/** Built on first use and shared, because many references may lead to the same subschema. */
const builtMarks = new WeakMap<SchemaNode, readonly Mark[]>();

function markOf(node: SchemaNode, compiler: Compiler): Mark {
  const { run } = compiler;
  return (value, evaluated) => {
    if (evaluated.all || !spend(run, 1)) return;
    let marks = builtMarks.get(node);
    if (marks === undefined) builtMarks.set(node, (marks = [...restMarks(node), ...marksOf(node, compiler)]));
    run.scope?.push(node.resource);
    for (const mark of marks) mark(value, evaluated);
    run.scope?.pop();
  };
}

/** An `unevaluated…` keyword that passed has evaluated everything that was left. */
function restMarks(node: SchemaNode): Mark[] {
  const marks: Mark[] = [];
  if (node.children.has("unevaluatedProperties")) marks.push(markAllProperties);
  if (node.children.has("unevaluatedItems")) marks.push(markAllItems);
  return marks;
}

function markAllProperties(value: JsonObject | readonly unknown[], evaluated: Evaluated): void {
  if (!isArray(value)) evaluated.all = true;
}

function markAllItems(value: JsonObject | readonly unknown[], evaluated: Evaluated): void {
  if (isArray(value)) evaluated.all = true;
}

/** `Array.isArray` does not narrow a readonly array. */
function isArray(value: JsonObject | readonly unknown[]): value is readonly unknown[] {
  return Array.isArray(value);
}
