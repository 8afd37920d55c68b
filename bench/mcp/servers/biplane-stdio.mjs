// Our server over stdio, with three tools that have `zod` or `json` schemas.
import { server, tool } from "biplane";

const fields = await (process.argv[2] === "zod" ? zodFields() : jsonFields());
const add = tool({ description: "Adds", input: fields, run: ({ a, b }) => ({ sum: a + b }) });
const multiply = tool({ description: "Multiplies", input: fields, run: ({ a, b }) => ({ product: a * b }) });
const divide = tool({ description: "Divides", input: fields, run: ({ a, b }) => ({ quotient: a / b }) });

await server({ name: "bench", version: "1.0.0", tools: { add, multiply, divide } }).serve("stdio");

async function zodFields() {
  const { z } = await import("zod");
  return z.object({ a: z.number(), b: z.number() });
}

function jsonFields() {
  return { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
}
