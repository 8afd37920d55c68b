import type { Compiler } from "../compiler.ts";
import { clip, fault, allChecks, plural, showJson, under } from "../fault.ts";
import { describeJsonKind, describeMask, hasMember, jsonKind } from "../json-values.ts";
import { dynamicTarget, enterSubschema, leaveSubschema, spend, type SchemaRun } from "../run.ts";
import type { Check, JsonObject, SchemaFault } from "../schema.ts";
import { childOf, childrenOf, type SchemaNode } from "../schema-document.ts";
import { acceptedKinds, fixedValuesCheck, readFixedValues } from "./types.ts";
import { isRecord } from "../../../is-record.ts";

/** `$ref` and `$dynamicRef`. */
export function referenceChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const checks = node.references.map((target) => referenceCheck(node, target, compiler));
  if (node.dynamicReference !== undefined) checks.push(dynamicCheck(node, compiler));
  return checks;
}

function referenceCheck(node: SchemaNode, target: SchemaNode, { run, checkOf }: Compiler): Check {
  // Summed over nested references, this is the depth of the check in subschemas.
  const levels = node.depth - target.depth + 1;
  // Resolved late, because the target may be the schema that is being compiled.
  let check: Check | undefined;
  return (value) => {
    check ??= checkOf(target);
    if (!spend(run, 1) || !enterSubschema(run, levels)) return run.exceeded;
    run.scope?.push(target.resource);
    const found = check(value);
    run.scope?.pop();
    leaveSubschema(run, levels);
    return found;
  };
}

function dynamicCheck(node: SchemaNode, compiler: Compiler): Check {
  const checks = new Map<SchemaNode, Check>();
  return (value) => {
    const target = dynamicTarget(node, compiler.run);
    if (target === undefined) return undefined;
    let check = checks.get(target);
    if (check === undefined) checks.set(target, (check = referenceCheck(node, target, compiler)));
    return check(value);
  };
}

/** `allOf`, `anyOf`, `oneOf`, `not` and `if`. */
export function combinationChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const all = childrenOf(node, "allOf").map((child) => compiler.checkOf(child.node));
  const any = alternativesOf(node, "anyOf", compiler);
  const one = alternativesOf(node, "oneOf", compiler);
  const checks = all.length > 0 ? [allOfCheck(all, compiler)] : [];
  if (any.length > 0) checks.push(anyOfCheck(any, compiler));
  if (one.length > 0) checks.push(oneOfCheck(one, compiler));
  return [...checks, ...notChecks(node, compiler), ...conditionChecks(node, compiler)];
}

function alternativesOf(node: SchemaNode, keyword: string, { run, checkOf }: Compiler): Alternative[] {
  return childrenOf(node, keyword).map((child) => ({
    node: child.node,
    run,
    check: checkOf(child.node),
    kinds: acceptedKinds(child.node),
    tags: undefined,
  }));
}

function allOfCheck(all: readonly Check[], { run }: Compiler): Check {
  const check = allChecks(all);
  return (value) => {
    return spend(run, all.length) ? check(value) : run.exceeded;
  };
}

/** Skips alternatives for other kinds of values, so most unions are decided without building a fault. */
function anyOfCheck(alternatives: readonly Alternative[], { run }: Compiler): Check {
  return (value) => {
    if (!spend(run, alternatives.length)) return run.exceeded;
    const kind = jsonKind(value);
    let mismatches: Mismatch[] | undefined;
    for (const alternative of alternatives) {
      if ((alternative.kinds & kind) === 0 && kind !== 0) continue;
      const found = alternative.check(value);
      if (found === undefined) return undefined;
      mismatches ??= [];
      mismatches.push({ alternative, found });
    }
    return explainMismatch(value, alternatives, mismatches);
  };
}

function oneOfCheck(alternatives: readonly Alternative[], { run }: Compiler): Check {
  return (value) => {
    if (!spend(run, alternatives.length)) return run.exceeded;
    const kind = jsonKind(value);
    let mismatches: Mismatch[] | undefined;
    let match = -1;
    for (let index = 0; index < alternatives.length; index++) {
      const alternative = alternatives[index];
      if (alternative === undefined || ((alternative.kinds & kind) === 0 && kind !== 0)) continue;
      const found = alternative.check(value);
      if (found !== undefined) {
        mismatches ??= [];
        mismatches.push({ alternative, found });
      } else if (match === -1) match = index;
      else return fault(`must match exactly one alternative, but matches alternatives ${match + 1} and ${index + 1}`);
    }
    return match === -1 ? explainMismatch(value, alternatives, mismatches) : undefined;
  };
}

function notChecks(node: SchemaNode, { checkOf }: Compiler): Check[] {
  const refused = childOf(node, "not");
  if (refused === undefined) return [];
  const check = checkOf(refused);
  return [(value) => (check(value) === undefined ? fault(`must not match ${showJson(refused.schema)}`) : undefined)];
}

function conditionChecks(node: SchemaNode, { checkOf }: Compiler): Check[] {
  const condition = childOf(node, "if");
  const thenNode = childOf(node, "then");
  const elseNode = childOf(node, "else");
  if (condition === undefined || (thenNode === undefined && elseNode === undefined)) return [];
  const check = checkOf(condition);
  const thenCheck = thenNode && checkOf(thenNode);
  const elseCheck = elseNode && checkOf(elseNode);
  return [(value) => (check(value) === undefined ? thenCheck?.(value) : elseCheck?.(value))];
}

/** One branch of `anyOf` or `oneOf`. */
interface Alternative {
  readonly node: SchemaNode;
  readonly run: SchemaRun;
  readonly check: Check;
  /** The kinds of values it may accept. */
  readonly kinds: number;
  /** Computed on first use. */
  tags: Tags | undefined;
}

/** Properties with fixed values, such as `kind`. */
type Tags = ReadonlyMap<string, { readonly values: readonly unknown[]; readonly check: Check }>;

/** Why a value does not match an alternative. */
interface Mismatch {
  readonly alternative: Alternative;
  readonly found: SchemaFault;
}

/** Above this, the search for tags costs more than it explains. */
const MAX_TAGGED = 50;
const MAX_LISTED = 3;

/** The fault if no alternative matches: that of the intended alternative if it is clear, else a list. */
function explainMismatch(
  value: unknown,
  alternatives: readonly Alternative[],
  mismatches: readonly Mismatch[] | undefined,
): SchemaFault {
  if (mismatches === undefined) return wrongKind(value, alternatives);
  const tagged = isRecord(value) && mismatches.length <= MAX_TAGGED ? explainByTag(value, mismatches) : undefined;
  return tagged ?? explainByDepth(mismatches);
}

function wrongKind(value: unknown, alternatives: readonly Alternative[]): SchemaFault {
  const kinds = alternatives.reduce((mask, alternative) => mask | alternative.kinds, 0);
  return fault(kinds === 0 ? "is not allowed" : `must be ${describeMask(kinds)}, got ${describeJsonKind(value)}`);
}

/** Unions of objects are often distinguished by one property that each alternative fixes. */
function explainByTag(value: JsonObject, mismatches: readonly Mismatch[]): SchemaFault | undefined {
  const tagsOf = ({ alternative }: Mismatch) => (alternative.tags ??= findTags(alternative));
  const [first] = mismatches;
  if (first === undefined) return undefined;
  const names = [...tagsOf(first).keys()];
  const name = names.find((name) => hasMember(value, name) && mismatches.every((one) => tagsOf(one).has(name)));
  if (name === undefined) return undefined;
  const meant = mismatches.filter((one) => tagsOf(one).get(name)?.check(value[name]) === undefined);
  if (meant.length > 0) return explainByDepth(meant);
  const known = new Set(mismatches.flatMap((one) => tagsOf(one).get(name)?.values ?? []));
  const found = fixedValuesCheck([...known], first.alternative.run)(value[name]);
  return found && under(name, found);
}

function findTags({ node, run }: Alternative): Tags {
  const tags = new Map<string, { values: readonly unknown[]; check: Check }>();
  let holder: SchemaNode | undefined = node;
  for (let hops = 0; hops < 5 && holder !== undefined; hops++) {
    for (const { name, node: member } of childrenOf(holder, "properties")) {
      const values = readFixedValues(member);
      if (values !== undefined) tags.set(name, { values, check: fixedValuesCheck(values, run) });
    }
    holder = holder.references[0];
  }
  return tags;
}

/** The alternative with the deepest fault matched furthest. If there are several, list them. */
function explainByDepth(mismatches: readonly Mismatch[]): SchemaFault {
  const different = [...new Map(mismatches.map(({ found }) => [describe(found), found])).values()];
  const deepest = Math.max(...different.map(depthOf));
  const [first, second] = different.filter((found) => depthOf(found) === deepest);
  if (first !== undefined && second === undefined) return first;
  const listed = different.slice(0, MAX_LISTED).map((found) => clip(describe(found), 100));
  const more = different.length > MAX_LISTED ? "; …" : "";
  return fault(`must match one of ${plural(mismatches.length, "alternative")}: ${listed.join("; ")}${more}`);
}

function depthOf({ path }: SchemaFault): number {
  return path.split("/").length;
}

function describe({ path, message }: SchemaFault): string {
  return path === "" ? message : `${path} ${message}`;
}
