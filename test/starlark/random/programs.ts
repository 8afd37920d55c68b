import fc from "fast-check";
import { anything } from "./anything.ts";
import { int, name } from "./literals.ts";
import { typed } from "./typed.ts";

/** Programs that are mostly well formed and often fail, built from every part of the language. */
export function randomProgram(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.array(functionDefinition, { minLength: 2, maxLength: 2 }),
      fc.array(statement, { minLength: 2, maxLength: 8 }),
    )
    .map(([functions, statements]) => {
      const named = functions.map((body, index) => `def f${index}${body}`);
      return [prelude, ...named, ...statements.map((lines) => lines.join("\n"))].join("\n");
    });
}

const prelude = [
  'a = 3; b = [1, 2, 3]; c = "hello"; d = {"x": 1, 2: "y"}; e = (1, "t", None)',
  's = set([1, "b", 2]); g = 1.5; h = b"bytes"; n = None; r = range(2, 11, 3); t = True',
].join("\n");

const expression = fc.oneof({ weight: 9, arbitrary: typed.any }, { weight: 1, arbitrary: anything });

const target = fc.oneof(
  { weight: 5, arbitrary: name },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a, b", "[a, c]", "(a, (b, c))", "b[0]", 'd["k"]', "b[-1]", "d[e]", "e[0]", "c.x"),
  },
  { weight: 1, arbitrary: fc.tuple(name, anything).map(([x, index]) => `${x}[${index}]`) },
);

/** Assignments that keep the type of the variable, so that what follows still means something. */
const retyped: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.constantFrom("a = ", "a += ", "a -= ", "a *= ", "a ^= ", "d[1] = ", "b[0:1] and b[0] or 1 + "), typed.int)
    .map(join),
  fc.tuple(fc.constantFrom("c = ", "c += ", 'd["x"] = '), typed.string).map(join),
  fc.tuple(fc.constantFrom("b = ", "b += ", "b = b + "), typed.list).map(join),
  fc.tuple(fc.constantFrom("d = ", "d |= "), typed.dict).map(join),
  fc.tuple(fc.constantFrom("s = ", "s |= ", "s &= ", "s ^= "), typed.set).map(join),
  fc.tuple(fc.constantFrom("e = ", "e += "), typed.tuple).map(join),
  typed.any.map((value) => `b.append(${value})`),
  typed.list.map((value) => `b.extend(${value})`),
  fc.tuple(typed.int, typed.any).map(([index, value]) => `b.insert(${index} % 4, ${value})`),
  fc
    .tuple(
      fc.constantFrom(
        "b.pop()",
        "b.clear()",
        "d.clear()",
        "s.discard(1)",
        "s.add('q')",
        "d.pop('x', None)",
        "d.update(z=1)",
        "d.setdefault(7)",
      ),
      fc.constant(""),
    )
    .map(join),
);

const simple: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(expression, { minLength: 1, maxLength: 2 }).map((items) => `print(${items.join(", ")})`),
  },
  { weight: 6, arbitrary: retyped },
  { weight: 1, arbitrary: fc.tuple(target, expression).map(([left, right]) => `${left} = ${right}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(name, fc.constantFrom("+=", "-=", "*=", "//=", "%=", "|=", "&=", "^=", "<<=", ">>=", "/="), expression)
      .map(([left, operator, right]) => `${left} ${operator} ${right}`),
  },
);

const statement: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 8, arbitrary: simple.map((line) => [line]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(expression, simple, simple)
      .map(([condition, yes, no]) => [`if ${condition}:`, `  ${yes}`, "else:", `  ${no}`]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("i", "i", "i", "i, j", "a"),
        fc.oneof(typed.list, typed.dict, expression),
        simple,
        fc.constantFrom("pass", "continue", "break"),
        simple,
      )
      .map(([variables, iterable, first, jump, last]) => [
        `for ${variables} in ${iterable}:`,
        `  ${first}`,
        `  if ${variables.slice(0, 1)} == 2: ${jump}`,
        `  ${last}`,
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(int, simple)
      .map(([count, body]) => ["k = 0", `while k < 3 and k < ${count}:`, "  k += 1", `  ${body}`]),
  },
);

const functionDefinition = fc
  .tuple(
    fc.constantFrom("()", "(p)", "(p, q)", "(p, q=1)", "(*p)", "(p, *q)", "(**p)", "(p, q=2, *r, **s)", "(p, *, q)"),
    fc.array(simple, { maxLength: 2 }),
    expression,
  )
  .map(([parameters, body, result]) => {
    const names = ["p", "q"].filter((parameter) => new RegExp(`\\b${parameter}\\b`).test(parameters));
    const seen = names.length === 0 ? "0" : names.join(", ");
    return [`${parameters}:`, ...body.map((line) => `  ${line}`), `  return (${seen}, ${result})`].join("\n");
  });

function join(parts: readonly string[]): string {
  return parts.join("");
}
