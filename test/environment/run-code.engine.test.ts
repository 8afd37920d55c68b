import { expect, test } from "vitest";
import { environment } from "biplane";
import { codeTool, javascriptEngine } from "biplane/code";

const counter = () =>
  environment({
    name: "counter",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({
      count_up: tool({
        description: "Adds one",
        run: (_, call) => {
          call.state.count++;
        },
      }),
    }),
    status: ({ count }) => ({ terminated: count >= 2 }),
  });

test("an environment takes run_code", async () => {
  const env = counter();
  const engine = javascriptEngine();
  codeTool(env, { engines: [engine] });
  const episode = await env.start();
  const answer = await env.call(episode, "run_code", { code: "await count_up(); (await count_up()).count" });
  expect(answer).toMatchObject({ result: 2 });
  await env.close();
  await engine.close();
});
