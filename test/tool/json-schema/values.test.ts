import { testSchemaTable } from "./schema-table.ts";

const everything = [null, true, 0, 1.5, "", "a", [], {}];
const without = (...left: unknown[]) => everything.filter((value) => !left.includes(value));
const parse = (text: string): unknown => JSON.parse(text);

testSchemaTable("boolean and empty schemas", [
  ["true accepts all", true, everything, []],
  ["false accepts nothing", false, [], everything],
  ["an empty schema accepts all", {}, everything, []],
  ["unknown keywords are ignored", { wibble: 1, "x-thing": { type: "string" }, constructor: 1 }, everything, []],
  ["annotations and format do not assert", { title: "t", default: 1, format: "email", examples: [1] }, everything, []],
]);

testSchemaTable("type", [
  ["string", { type: "string" }, ["", "a"], without("", "a")],
  [
    "integer includes 1.0 and large numbers",
    { type: "integer" },
    [0, -3, parse("1.0"), 1e300],
    [1.5, "1", NaN, Infinity],
  ],
  ["number", { type: "number" }, [0, 1.5, -2e-9], [...without(0, 1.5), NaN, Infinity]],
  ["boolean", { type: "boolean" }, [true, false], without(true)],
  ["null", { type: "null" }, [null], [...without(null), undefined]],
  ["array is not object", { type: "array" }, [[]], [{}, null, "[]"]],
  ["object is neither array nor null", { type: "object" }, [{}], [[], null]],
  ["a list of types", { type: ["string", "null"] }, ["", null], [0, [], {}]],
  ["number covers integer in a list", { type: ["integer", "number"] }, [1, 1.5], ["1"]],
  ["integer in a list leaves fractions out", { type: ["integer", "string"] }, [1, "x"], [1.5, true]],
]);

testSchemaTable("enum and const", [
  ["enum of scalars", { enum: ["a", 1, null, false] }, ["a", 1, null, false], ["b", "1", 0, true, [], undefined]],
  ["enum of containers", { enum: [[1, { a: 2 }], {}] }, [[1, { a: 2 }], {}], [[1], [1, { a: 3 }], { a: 2 }, []]],
  ["an empty enum accepts nothing", { enum: [] }, [], everything],
  ["const null", { const: null }, [null], [0, false, "", undefined]],
  ["const false is not 0", { const: false }, [false], [0, null, ""]],
  ["const 0 equals -0 and 0.0", { const: 0 }, [0, -0, parse("0.0")], [false, "0", [0]]],
  [
    "const object ignores the order of keys",
    { const: { a: 1, b: [2] } },
    [{ b: [2], a: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
  ],
  ["[false] is not [0]", { const: [false] }, [[false]], [[0], [[false]]]],
  ["enum and const together", { enum: [1, 2], const: 2 }, [2], [1, 3]],
  ["enum narrows type", { type: "string", enum: ["a", 1] }, ["a"], [1]],
  ["minLength still counts beside enum", { enum: ["a", "abc", 1], minLength: 2 }, ["abc", 1], ["a"]],
  [
    "const with an own __proto__ key",
    parse('{"const":{"__proto__":1}}') as object as never,
    [parse('{"__proto__":1}')],
    [{}],
  ],
]);

testSchemaTable("numbers", [
  ["minimum", { minimum: 1.5 }, [1.5, 2, "0", null], [1.4]],
  ["maximum", { maximum: 3 }, [3, -3, "9"], [3.01]],
  ["exclusiveMinimum", { exclusiveMinimum: 0 }, [0.1, "x"], [0, -1]],
  ["exclusiveMaximum", { exclusiveMaximum: 0 }, [-0.1, []], [0, 1]],
  ["minimum and exclusiveMaximum", { minimum: 0, exclusiveMaximum: 10 }, [0, 9.99], [-1, 10]],
  ["a range beside type integer", { type: "integer", minimum: 1, maximum: 3 }, [1, 2, 3], [0, 4, 1.5, "2"]],
  ["multipleOf integer", { multipleOf: 3 }, [0, -9, 3, "x"], [1, 3.5]],
  ["multipleOf fraction", { multipleOf: 1.5 }, [0, 4.5, -3], [35, 1]],
  ["multipleOf counts in decimal", { multipleOf: 0.0001 }, [0.0075, 1, 12.3456], [0.00751]],
  ["multipleOf 0.01 on money", { multipleOf: 0.01 }, [4.35, 19.99, 1.1, 0.07], [19.995]],
  ["multipleOf with very large and very small numbers", { multipleOf: 1e-8 }, [12391239123, 1e300], [1e-9]],
  ["multipleOf of a number beyond 2^53", { multipleOf: 2 }, [2 ** 60, 1e300], [3, 2 ** 53 - 1]],
]);

testSchemaTable("strings", [
  ["minLength", { minLength: 2 }, ["ab", "abc", 1], ["", "a"]],
  ["minLength 0", { minLength: 0 }, [""], []],
  ["maxLength", { maxLength: 2 }, ["", "ab", 123], ["abc"]],
  ["maxLength 0", { maxLength: 0 }, [""], ["a"]],
  ["lengths may be written 2.0", { maxLength: parse("2.0"), minLength: parse("1.0") }, ["a"], ["", "abc"]],
  ["minLength counts code points", { minLength: 2 }, ["💩💩", "a💩"], ["💩"]],
  ["maxLength counts code points", { maxLength: 2 }, ["💩💩"], ["💩💩💩", "ab💩"]],
  ["both bounds on mixed text", { minLength: 3, maxLength: 3 }, ["a💩b", "💩💩💩", "abc"], ["💩💩", "a💩", "💩💩💩💩"]],
  ["a lone surrogate is one character", { minLength: 2, maxLength: 2 }, ["\ud83d\ud83d", "a\udca9"], ["\ud83d"]],
  ["pattern is not anchored", { pattern: "b+" }, ["abc", "b", 5], ["ac", ""]],
  ["anchored pattern", { pattern: "^\\d{2}$" }, ["12"], ["123", "1", "ab"]],
  ["pattern is Unicode", { pattern: "^.$" }, ["💩", "é"], ["💩💩"]],
  ["pattern with Unicode properties", { pattern: "^\\p{Letter}+$" }, ["Größe"], ["a1"]],
  ["pattern that only parses without the u flag", { pattern: "^[\\w-.]+\\-$" }, ["a.b-"], ["a b-"]],
]);
