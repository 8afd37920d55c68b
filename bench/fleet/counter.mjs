import { environment } from "biplane";

/** An environment with a small state and one tool, `add`, that counts its steps. */
export function counter(options) {
  return environment({
    version: "1.0.0",
    start: () => ({ count: 0, board: Array.from({ length: 42 }, () => 0) }),
    observe: ({ count }) => ({ count }),
    tools: (define) => ({ add: define({ run: (_, { state }) => ({ count: ++state.count }) }) }),
    reward: () => 1,
    ...options,
  });
}
