import { server, tool } from "biplane";
import { z } from "zod";

const greet = tool({
  name: "greet",
  input: z.object({ name: z.string() }),
  run: ({ name }) => `Hello, ${name}!`,
});
await server({ name: "hello", tools: [greet] }).serve("http://127.0.0.1:8000");
