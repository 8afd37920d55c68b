import { tool } from "biplane";

/** Tools that an attack may call, some of which give back what is hard to take. */
export function toolsUnderAttack(): ReturnType<typeof tool>[] {
  const numbers = {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  };
  const one = (type?: string) => ({ type: "object", properties: { value: type ? { type } : {} }, required: ["value"] });
  return [
    tool({ name: "add", description: "Adds", input: numbers, run: ({ a, b }) => Number(a) + Number(b) }),
    tool({ name: "echo", description: "Says it again", input: one("string"), run: ({ value }) => value }),
    tool({ name: "slow", description: "Later", input: one(), run: async ({ value }) => value }),
    tool({
      name: "broken",
      description: "Fails",
      run: () => {
        throw new Error("broken");
      },
    }),
    tool({
      name: "poison",
      description: "Bad results",
      input: one("string"),
      run: ({ value }) => poisoned[String(value)]?.(),
    }),
  ];
}

const poisoned: Record<string, () => unknown> = {
  plain: () => ({ a: 1 }),
  proto: () =>
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}') as unknown,
  huge: () => "x".repeat(30_000_000),
  cyclic: () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    return cycle;
  },
  getter: () => ({
    get a() {
      throw new Error("a getter");
    },
  }),
  deep: () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 3000; depth++) deep = [deep];
    return deep;
  },
  bigint: () => ({ n: 1n }),
  thenable: () => JSON.parse('{"then": 5}') as unknown,
};
