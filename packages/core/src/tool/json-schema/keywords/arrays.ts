import type { Compiler } from "../compiler.ts";
import { findEqualItems } from "../json-values.ts";
import { fault, plural, under } from "../fault.ts";
import { readCount, readFlag } from "../keyword-values.ts";
import { spend } from "../run.ts";
import type { Check } from "../schema.ts";
import { childOf, childrenOf, type SchemaNode } from "../schema-document.ts";

type ArrayCheck = Check<readonly unknown[]>;

export function arrayChecks(node: SchemaNode, compiler: Compiler): ArrayCheck[] {
  return [
    ...countChecks(node),
    ...itemChecks(node, compiler),
    ...containsChecks(node, compiler),
    ...uniqueChecks(node, compiler),
  ];
}

function countChecks(node: SchemaNode): ArrayCheck[] {
  const min = readCount(node, "minItems") ?? 0;
  const max = readCount(node, "maxItems") ?? Infinity;
  const checks: ArrayCheck[] = [];
  if (min > 0) {
    checks.push(({ length }) =>
      length >= min ? undefined : fault(`must have at least ${plural(min, "item")}, got ${length}`),
    );
  }
  if (max < Infinity) {
    checks.push(({ length }) =>
      length <= max ? undefined : fault(`must have at most ${plural(max, "item")}, got ${length}`),
    );
  }
  return checks;
}

function itemChecks(node: SchemaNode, { run, checkOf }: Compiler): ArrayCheck[] {
  const prefix = childrenOf(node, "prefixItems").map((child) => checkOf(child.node));
  const rest = childOf(node, "items");
  const checks: ArrayCheck[] = [];
  if (prefix.length > 0) checks.push(prefixCheck(prefix));
  if (rest?.schema === false) {
    const max = prefix.length;
    checks.push((value) => (value.length <= max ? undefined : fault(`must have at most ${plural(max, "item")}`)));
  } else if (rest !== undefined && rest.schema !== true) {
    const check = checkOf(rest);
    checks.push((value) => {
      for (let index = prefix.length; index < value.length; index++) {
        if (!spend(run, 1)) return run.exceeded;
        const found = check(value[index]);
        if (found !== undefined) return under(index, found);
      }
      return undefined;
    });
  }
  return checks;
}

function prefixCheck(prefix: readonly Check[]): ArrayCheck {
  return (value) => {
    for (let index = 0; index < value.length; index++) {
      const found = prefix[index]?.(value[index]);
      if (found !== undefined) return under(index, found);
      if (index >= prefix.length) break;
    }
    return undefined;
  };
}

function containsChecks(node: SchemaNode, { run, checkOf }: Compiler): ArrayCheck[] {
  const min = readCount(node, "minContains") ?? 1;
  const max = readCount(node, "maxContains") ?? Infinity;
  const contained = childOf(node, "contains");
  if (contained === undefined) return [];
  const check = checkOf(contained);
  const enough = max === Infinity ? min : max + 1;
  return [
    (value) => {
      let count = 0;
      for (let index = 0; index < value.length && count < enough; index++) {
        if (!spend(run, 1)) return run.exceeded;
        if (check(value[index]) === undefined) count++;
      }
      if (count < min) return fault(`must have at least ${plural(min, "item")} matching "contains", got ${count}`);
      return count > max ? fault(`must have at most ${plural(max, "item")} matching "contains"`) : undefined;
    },
  ];
}

function uniqueChecks(node: SchemaNode, { run }: Compiler): ArrayCheck[] {
  if (!readFlag(node, "uniqueItems")) return [];
  return [
    (value) => {
      const equal = findEqualItems(value, run);
      return equal && fault(`must not have equal items, but items ${equal[0]} and ${equal[1]} are equal`);
    },
  ];
}
