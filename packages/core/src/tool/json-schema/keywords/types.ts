import { fault, schemaError, showJson } from "../fault.ts";
import {
  ALL_KINDS,
  describeJsonKind,
  describeMask,
  equalsConstant,
  KIND,
  jsonKind,
  maskOfTypes,
  nestsDeeperThan,
  NUMBER_KINDS,
  typeNames,
} from "../json-values.ts";
import { spend, type SchemaRun } from "../run.ts";
import type { Check, SchemaFault } from "../schema.ts";
import { childrenOf, type SchemaNode } from "../schema-document.ts";

/** The kinds that `type` accepts. */
export function readTypes(node: SchemaNode): number {
  const { type } = node.keywords;
  if (type === undefined) return ALL_KINDS;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  const mask = maskOfTypes(names);
  if (mask !== undefined && mask !== 0) return mask;
  const wrongName = names.find((name) => !typeNames.includes(name)) ?? type;
  throw schemaError(`${node.path}/type`, `${showJson(wrongName)} is not a type; the types are ${typeNames.join(", ")}`);
}

/** A check for values that have none of these kinds. */
export function wrongType(mask: number): (value: unknown) => SchemaFault {
  return (value) => fault(`must be ${describeMask(mask)}, got ${describeJsonKind(value)}`);
}

/** Accepts values of these kinds. */
export function typeCheck(mask: number): Check {
  const wrong = wrongType(mask);
  switch (mask) {
    case KIND.string:
      return (value) => (typeof value === "string" ? undefined : wrong(value));
    case KIND.boolean:
      return (value) => (typeof value === "boolean" ? undefined : wrong(value));
    case KIND.integer:
      return (value) => (Number.isInteger(value) ? undefined : wrong(value));
    case NUMBER_KINDS:
      return (value) => (typeof value === "number" && Number.isFinite(value) ? undefined : wrong(value));
    default:
      return (value) => ((jsonKind(value) & mask) === 0 ? wrong(value) : undefined);
  }
}

/** The kinds of values that may match a subschema, judged by its keywords alone. */
export function acceptedKinds(node: SchemaNode, depthLeft = 50): number {
  if (typeof node.schema === "boolean") return node.schema ? ALL_KINDS : 0;
  if (depthLeft === 0) return ALL_KINDS;
  node.acceptedKinds ??= findAcceptedKinds(node, depthLeft - 1);
  return node.acceptedKinds;
}

function findAcceptedKinds(node: SchemaNode, depthLeft: number): number {
  const anyOf = (nodes: readonly SchemaNode[]) =>
    nodes.reduce((mask, branch) => mask | acceptedKinds(branch, depthLeft), 0);
  let kinds = readTypes(node) & kindsAmong(readFixedValues(node));
  for (const part of [...node.references, ...nodesIn(node, "allOf")]) kinds &= acceptedKinds(part, depthLeft);
  for (const branches of [nodesIn(node, "anyOf"), nodesIn(node, "oneOf")]) {
    if (branches.length > 0) kinds &= anyOf(branches);
  }
  return kinds;
}

function kindsAmong(values: readonly unknown[] | undefined): number {
  return values === undefined ? ALL_KINDS : values.reduce((mask: number, value) => mask | jsonKind(value), 0);
}

function nodesIn(node: SchemaNode, keyword: string): SchemaNode[] {
  return childrenOf(node, keyword).map((child) => child.node);
}

/** The values allowed by `const` and `enum`, or `undefined` if both are missing. */
export function readFixedValues(node: SchemaNode): readonly unknown[] | undefined {
  const { const: constant, enum: values } = node.keywords;
  if (constant === undefined && values === undefined) return undefined;
  if (values !== undefined && !Array.isArray(values)) throw schemaError(`${node.path}/enum`, "it must be an array");
  if (nestsDeeperThan(constant, MAX_DEPTH) || nestsDeeperThan(values, MAX_DEPTH)) {
    throw schemaError(node.path, `a value in "const" or "enum" is nested deeper than ${MAX_DEPTH} levels`);
  }
  if (constant === undefined) return values;
  return values === undefined ? [constant] : values.filter((value) => equalsConstant(value, constant));
}

const MAX_DEPTH = 100;
const MAX_LISTED = 10;

/** Accepts values that equal one of these. */
export function fixedValuesCheck(values: readonly unknown[], run: SchemaRun): Check {
  let mismatch: SchemaFault | undefined;
  const [only] = values;
  if (values.length === 1 && isScalar(only)) {
    return (value) => (value === only ? undefined : (mismatch ??= mismatchOf(values)));
  }
  const scalars = new Set(values.filter(isScalar));
  const containers = values.filter((value) => !isScalar(value));
  return (value) => {
    if (scalars.has(value)) return undefined;
    if (!isScalar(value) && containers.some((container) => isEqual(value, container, run))) return undefined;
    if (run.exceeded !== undefined) return run.exceeded;
    return (mismatch ??= mismatchOf(values));
  };
}

/** Comparing a value takes longer than visiting it. */
const COMPARING_WORK = 10;

function isEqual(value: unknown, constant: unknown, run: SchemaRun): boolean {
  return spend(run, COMPARING_WORK) && equalsConstant(value, constant, () => spend(run, COMPARING_WORK));
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function mismatchOf(values: readonly unknown[]): SchemaFault {
  if (values.length === 0) return fault("is not allowed, because no value is");
  const listed = values.slice(0, MAX_LISTED).map(showJson);
  if (values.length === 1) return fault(`must be ${listed[0]}`);
  const more = values.length - MAX_LISTED;
  return fault(`must be one of ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`);
}
