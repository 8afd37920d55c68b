// Served by `biplane serve`: the same environment with and without durable steps, and a tool.
import { environment, server, tool } from "biplane";

const counter = (name, durability) =>
  environment({
    name,
    version: "1.0.0",
    durability,
    maxEpisodes: 2000,
    start: () => ({ count: 0, board: Array.from({ length: 42 }, () => 0) }),
    observe: ({ count }) => ({ count }),
    tools: (define) => ({ add: define({ run: (_, { state }) => ({ count: ++state.count }) }) }),
    reward: () => 1,
  });

export default [
  counter("durable", "step"),
  counter("memory", "memory"),
  server({ name: "tools", tools: [tool({ name: "hello", run: () => "hello" })] }),
];
