import { environment, server, tool } from "biplane";

/** A module that exports more than one server. */
const greeter = server({
  name: "greeter",
  limits: false,
  tools: [tool({ name: "greet", description: "Says hello", run: () => "Hello!" })],
});
const counter = environment({
  name: "counter",
  start: () => ({ count: 0 }),
  observe: ({ count }) => count,
  tools: (define) => ({
    count_up: define({ description: "Adds one", run: (_, { state }) => void state.count++ }),
  }),
});

export default [greeter, counter];
