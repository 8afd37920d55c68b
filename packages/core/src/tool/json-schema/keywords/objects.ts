import type { Compiler } from "../compiler.ts";
import { fault, plural, pointerToken, quoteName, under } from "../fault.ts";
import { hasMember, presentKeys } from "../json-values.ts";
import { readCount, readNameLists, readStrings, readRegExp } from "../keyword-values.ts";
import { spend, type SchemaRun } from "../run.ts";
import type { Check, JsonObject, SchemaFault } from "../schema.ts";
import { childOf, childrenOf, type SchemaNode } from "../schema-document.ts";

type ObjectCheck = Check<JsonObject>;

export function objectChecks(node: SchemaNode, compiler: Compiler): ObjectCheck[] {
  return [
    ...memberChecks(node, compiler),
    ...countChecks(node),
    ...nameChecks(node, compiler),
    ...dependencyChecks(node, compiler),
  ];
}

function countChecks(node: SchemaNode): ObjectCheck[] {
  const min = readCount(node, "minProperties") ?? 0;
  const max = readCount(node, "maxProperties") ?? Infinity;
  if (min === 0 && max === Infinity) return [];
  return [
    (value) => {
      const count = presentKeys(value).length;
      if (count < min) return fault(`must have at least ${plural(min, "property")}, got ${count}`);
      return count > max ? fault(`must have at most ${plural(max, "property")}, got ${count}`) : undefined;
    },
  ];
}

function nameChecks(node: SchemaNode, { run, checkOf }: Compiler): ObjectCheck[] {
  const names = childOf(node, "propertyNames");
  if (names === undefined) return [];
  const check = checkOf(names);
  return [
    (value) => {
      for (const key of presentKeys(value)) {
        if (!spend(run, 1)) return run.exceeded;
        const found = check(key);
        if (found !== undefined) return fault(`has property name ${quoteName(key)}, which ${found.message}`);
      }
      return undefined;
    },
  ];
}

function dependencyChecks(node: SchemaNode, { run, checkOf }: Compiler): ObjectCheck[] {
  const checks: ObjectCheck[] = [];
  for (const [name, needed] of readNameLists(node, "dependentRequired")) {
    checks.push((value) => {
      if (!spend(run, 1)) return run.exceeded;
      if (!hasMember(value, name)) return undefined;
      if (!spend(run, needed.length)) return run.exceeded;
      const missing = needed.find((key) => !hasMember(value, key));
      if (missing === undefined) return undefined;
      return fault(`must have property ${quoteName(missing)} because it has ${quoteName(name)}`);
    });
  }
  for (const child of childrenOf(node, "dependentSchemas")) {
    const check = checkOf(child.node);
    checks.push((value) => {
      if (!spend(run, 1)) return run.exceeded;
      return hasMember(value, child.name) ? check(value) : undefined;
    });
  }
  return checks;
}

/** `required`, `properties`, `patternProperties` and `additionalProperties`, which interact. */
function memberChecks(node: SchemaNode, compiler: Compiler): ObjectCheck[] {
  const required = new Set(readStrings(node, "required"));
  const members = childrenOf(node, "properties").map(({ name, node: child }, index) => ({
    name,
    index,
    pointer: `/${pointerToken(name)}`,
    check: compiler.checkOf(child),
    isRequired: required.delete(name),
  }));
  const patterns = childrenOf(node, "patternProperties").map(({ name, node: child }) => ({
    pattern: readRegExp(name, child.path),
    check: compiler.checkOf(child),
  }));
  const additional = additionalCheck(node, compiler);
  const checks: ObjectCheck[] = [];
  if (required.size > 0) checks.push(requiredCheck([...required], compiler.run));
  if (patterns.length > 0) {
    if (members.length > 0) checks.push(propertiesCheck(members, undefined, compiler.run));
    checks.push(patternsCheck({ known: new Set(members.map(({ name }) => name)), patterns, additional }, compiler.run));
  } else if (members.length > 0 || additional !== undefined) {
    checks.push(propertiesCheck(members, additional, compiler.run));
  }
  return checks;
}

interface Member {
  readonly name: string;
  readonly index: number;
  readonly pointer: string;
  readonly check: Check;
  readonly isRequired: boolean;
}

/** Checks a member that no other keyword covers. */
type AdditionalCheck = (name: string, inner: unknown) => SchemaFault | undefined;

export function unknownProperty(name: string): SchemaFault {
  return fault(`has unknown property ${quoteName(name)}`);
}

function additionalCheck(node: SchemaNode, { checkOf }: Compiler): AdditionalCheck | undefined {
  const additional = childOf(node, "additionalProperties");
  if (additional === undefined || additional.schema === true) return undefined;
  if (additional.schema === false) return unknownProperty;
  const check = checkOf(additional);
  return (name, inner) => {
    const found = check(inner);
    return found && under(name, found);
  };
}

function requiredCheck(names: readonly string[], run: SchemaRun): ObjectCheck {
  return (value) => {
    if (!spend(run, names.length)) return run.exceeded;
    for (const name of names) if (!hasMember(value, name)) return missingProperty(name);
    return undefined;
  };
}

function missingProperty(name: string): SchemaFault {
  return fault(`must have property ${quoteName(name)}`);
}

/**
 * Iterates over the value's keys and expects them in schema order, which saves look-ups. Since only present keys are
 * read, `constructor` and `__proto__` are ordinary keys.
 */
function propertiesCheck(
  members: readonly Member[],
  additional: AdditionalCheck | undefined,
  run: SchemaRun,
): ObjectCheck {
  const byName = new Map(members.map((member) => [member.name, member]));
  const required = members.filter((member) => member.isRequired);
  return (value) => {
    let next = 0;
    let missing = required.length;
    for (const key in value) {
      if (!spend(run, 1)) return run.exceeded;
      const inner = value[key];
      if (inner === undefined) continue;
      const guess = next < members.length ? members[next] : undefined;
      const member = guess !== undefined && guess.name === key ? guess : byName.get(key);
      if (member === undefined) {
        const found = additional?.(key, inner);
        if (found !== undefined && Object.hasOwn(value, key)) return found;
        continue;
      }
      next = member.index + 1;
      if (member.isRequired) missing--;
      const found = member.check(inner);
      if (found !== undefined) return { path: member.pointer + found.path, message: found.message };
    }
    return missing === 0 ? undefined : findMissing(value, required);
  };
}

function findMissing(value: JsonObject, required: readonly Member[]): SchemaFault | undefined {
  const member = required.find(({ name }) => !hasMember(value, name));
  return member && missingProperty(member.name);
}

interface Patterns {
  readonly known: ReadonlySet<string>;
  readonly patterns: readonly { readonly pattern: RegExp; readonly check: Check }[];
  readonly additional: AdditionalCheck | undefined;
}

function patternsCheck({ known, patterns, additional }: Patterns, run: SchemaRun): ObjectCheck {
  return (value) => {
    for (const key of presentKeys(value)) {
      if (!spend(run, patterns.length)) return run.exceeded;
      let isKnown = known.has(key);
      for (const { pattern, check } of patterns) {
        if (!pattern.test(key)) continue;
        isKnown = true;
        const found = check(value[key]);
        if (found !== undefined) return under(key, found);
      }
      const found = isKnown ? undefined : additional?.(key, value[key]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
