// Served by `biplane serve`: the same environment with and without durable steps, and a tool.
import { server, tool } from "biplane";
import { counter } from "./counter.mjs";

export default [
  counter({ name: "durable", durability: "step", maxEpisodes: 2000 }),
  counter({ name: "memory", durability: "memory", maxEpisodes: 2000 }),
  server({ name: "tools", tools: [tool({ name: "hello", run: () => "hello" })] }),
];
