import { environment } from "biplane";
import type { Environment } from "biplane";

/** An environment with one tool for each thing a step can be. */
export function counter(
  options: { maxEpisodes?: number; idleMs?: number; durability?: "step" | "memory" } = {},
): Environment {
  return environment({
    name: "counter",
    version: "1.0.0",
    description: "Count up to a goal",
    config: { type: "object", properties: { goal: { type: "integer", minimum: 1 }, limit: { type: "integer" } } },
    start: ({ config, random }) => ({
      count: 0,
      bonus: random.integers(1, 10),
      goal: Number(config["goal"] ?? 5),
      limit: Number(config["limit"] ?? 100),
    }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({
      add: tool({
        description: "Add to the count",
        input: { type: "object", properties: { by: { type: "integer", minimum: 1 } } },
        run: ({ by = 1 }, { state }) => {
          state.count += by;
          return { count: state.count };
        },
      }),
      wait: tool({
        description: "Add one, slowly",
        run: async (_, call) => {
          call.state.count++;
          await new Promise((resolve) => setImmediate(resolve));
          return { count: call.state.count };
        },
      }),
      look: tool({
        description: "Look",
        annotations: { readOnlyHint: true },
        run: (_, { state }) => ({ count: state.count }),
      }),
      quiet: tool({
        description: "Add one and say nothing",
        run: (_, { state }) => {
          state.count++;
        },
      }),
      roll: tool({
        description: "Add a random number",
        run: (_, { state, random }) => {
          const rolled = random.integers(1, 7);
          state.count += rolled;
          return { rolled };
        },
      }),
      spoil: tool({
        description: "Change everything, then fail",
        run: (_, { state, random }) => {
          state.count = 1000;
          random.random();
          throw new Error("Spoiled");
        },
      }),
      compute: tool({
        description: "Change everything, and compute for longer than allowed",
        timeoutMs: 1,
        run: (_, { state, random }) => {
          state.count = 1000;
          random.random();
          const until = performance.now() + 5;
          while (performance.now() < until);
        },
      }),
      hang: tool({
        description: "Change everything, then never end",
        timeoutMs: 20,
        run: async (_, { state }) => {
          state.count = 1000;
          await new Promise(() => undefined);
        },
      }),
    }),
    reward: ({ before, after, tool }) => ({ progress: after.count - before.count, style: tool === "roll" ? 0.5 : 0 }),
    status: ({ count, goal, limit }, { stepCount }) => ({ terminated: count >= goal, truncated: stepCount >= limit }),
    info: ({ goal }) => ({ goal }),
    publicState: ({ bonus }) => ({ bonus }),
    render: ({ count, goal }) => `${count}/${goal}`,
    tasks: {
      train: [
        { id: "short", seed: 1, config: { goal: 2 } },
        { id: "long", seed: 2 },
      ],
      test: () => [{ id: "only" }],
    },
    ...options,
  });
}
