import fc from "fast-check";

/** One of the words of a text, which are two spaces or a line apart. */
export function oneOf(words: string): fc.Arbitrary<string> {
  return fc.constantFrom(...words.trim().split(/\s*\n\s*|\s{2,}/));
}

/** A variable that every random program begins with. */
export const name = fc.constantFrom("a", "b", "c", "d", "e", "s", "g", "h", "n", "r", "t");

export const int = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -9, max: 12 }).map(String) },
  { weight: 2, arbitrary: fc.integer().map(String) },
  {
    weight: 2,
    arbitrary: oneOf(`
      9007199254740991  9007199254740993  -9223372036854775808  18446744073709551616
      4294967295  -2147483649  0x7f  0o17  0b101
    `),
  },
);

export const float = fc.oneof(
  fc.constantFrom("0.0", "-0.0", "1.5", "2.0", "1e100", "1e-7", "3.14159", "123456789.0", "1e16", "0.1", "2.5e-10"),
  fc.constantFrom('float("nan")', 'float("inf")', 'float("-inf")'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `float("${value}")`),
);

export const string = fc.oneof(
  fc.constantFrom('""', '"abc"', '"Hello, World"', '"a,b,,c"', '" x  y "', '"é世😀"', '"12"', '"%s-%d"', '"{}{}"'),
  fc.constantFrom('"\\n\\t\\0"', "'it\\'s'", 'r"\\d"', '"x" * 3', '"\\u00e9".elems()[0]', '"banana"', '"ABC"'),
  fc.string({ maxLength: 6 }).map((value) => JSON.stringify(value.replaceAll(/[^ -~]/g, "?"))),
);

export const bytes = fc.constantFrom('b""', 'b"abc"', 'b"\\xff\\x00"', 'bytes("é")', "bytes([1, 2, 255])");

export const binaryOperator = fc.constantFrom(
  ..."+,-,*,/,//,%,==,!=,<,<=,>,>=,|,&,^,<<,>>,in,not in,and,or".split(",").map((operator) => ` ${operator} `),
);
