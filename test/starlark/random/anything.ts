import fc from "fast-check";
import { binaryOperator, bytes, float, int, name, oneOf, string } from "./literals.ts";
import { builtin, callArguments, collectionMethod, stringMethod } from "./templates.ts";

/** Expressions of any type anywhere, most of which fail. */
export const { expression: anything } = fc.letrec<{ expression: string; leaf: string }>((tie) => {
  const inner = tie("expression");
  const three = fc.tuple(inner, inner, inner);
  const filled = (templates: fc.Arbitrary<string>): fc.Arbitrary<string> => {
    return fc.tuple(templates, three).map(([template, values]) => fill(template, values));
  };
  return {
    leaf: fc.oneof(
      { weight: 4, arbitrary: name },
      { weight: 4, arbitrary: int },
      { weight: 1, arbitrary: float },
      { weight: 3, arbitrary: string },
      { weight: 1, arbitrary: bytes },
      { weight: 1, arbitrary: fc.constantFrom("None", "True", "False", "[]", "{}", "()", "set()", "len", "f0") },
    ),
    expression: fc.oneof(
      { maxDepth: 3, depthIdentifier: "expression" },
      { weight: 5, arbitrary: tie("leaf") },
      {
        weight: 5,
        arbitrary: fc.tuple(inner, binaryOperator, inner).map(([x, operator, y]) => `(${x}${operator}${y})`),
      },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom("-", "+", "~", "not "), inner).map(([op, x]) => `(${op}${x})`) },
      { weight: 2, arbitrary: fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`) },
      {
        weight: 1,
        arbitrary: fc.array(inner, { minLength: 1, maxLength: 3 }).map((items) => `(${items.join(", ")},)`),
      },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.tuple(inner, inner), { maxLength: 3 })
          .map((items) => `{${items.map(([key, value]) => `${key}: ${value}`).join(", ")}}`),
      },
      {
        weight: 2,
        arbitrary: filled(fc.constantFrom("{0}[{1}]", "{0}[{1}:{2}]", "{0}[:{1}]", "{0}[::{1}]", "{0}[{1}:]")),
      },
      { weight: 1, arbitrary: filled(fc.constantFrom("({0} if {1} else {2})", "(lambda x, y={0}: (x, y, {1}))({2})")) },
      { weight: 4, arbitrary: filled(builtin) },
      {
        weight: 4,
        arbitrary: fc.tuple(fc.oneof(string, inner), filled(stringMethod)).map(([x, call]) => `(${x}).${call}`),
      },
      { weight: 4, arbitrary: fc.tuple(inner, filled(collectionMethod)).map(([x, call]) => `(${x}).${call}`) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom("f0", "f1"), filled(callArguments)).map(([f, x]) => `${f}(${x})`),
      },
      {
        weight: 1,
        arbitrary: filled(
          oneOf(`
            [x for x in {0}]  [(x, {0}) for x in {1} if x]  {x: {0} for x in {1}}  [x + y for x in {0} for y in {1}]
            [x for x in {0} if x in {1}]  [x * 2 for x in range(3)]  {k: v for k, v in {0}}
          `),
        ),
      },
      { weight: 1, arbitrary: fc.tuple(string, inner).map(([format, x]) => `(${format} % ${x})`) },
      { weight: 1, arbitrary: fc.tuple(percentFormat(), inner, inner).map(([f, x, y]) => `(${f} % (${x}, ${y}))`) },
    ),
  };
});

function percentFormat(): fc.Arbitrary<string> {
  const verb = fc.constantFrom("%s", "%d", "%r", "%x", "%o", "%X", "%e", "%f", "%g", "%c", "%%", "%i", "%z");
  return fc.tuple(verb, verb).map(([first, second]) => `"${first} ${second}"`);
}

function fill(template: string, values: readonly string[]): string {
  return template.replaceAll(/\{(\d)\}/g, (_match, index: string) => values[Number(index)] ?? "0");
}
