import { environment } from "biplane";
import { make, rollout, rubric, scoreTraces, scriptedAgent, success, summarize, taskRows } from "biplane/rollout";
import type { Trace } from "biplane/rollout";
import { z } from "zod";

const sums = environment({
  name: "sums",
  version: "1.0.0",
  config: z.object({ a: z.number().default(1), b: z.number().default(1) }),
  start: ({ config }) => ({ ...config, answer: null as number | null }),
  observe: ({ a, b }) => ({ question: `${a} + ${b}` }),
  tools: (tool) => ({
    sum_answer: tool({
      description: "Answer the question",
      input: z.object({ value: z.number() }),
      run: ({ value }, { state }) => void (state.answer = value),
    }),
  }),
  rubric: {
    right: { weight: 2, score: ({ after: { a, b, answer } }) => (answer === a + b ? 1 : 0) },
    whole: { weight: 0.5, score: ({ after: { answer } }) => (Number.isInteger(answer) ? 1 : 0) },
    calls: { weight: -0.1, score: () => 1 },
  },
  status: ({ answer }) => ({ terminated: answer !== null }),
  tasks: {
    train: [
      { id: "small", seed: 1, config: { a: 2, b: 3 }, system_prompt: "Add.", user_prompt_template: "{a} + {b} = ?" },
      { id: "large", seed: 2, config: { a: 20, b: 30 } },
    ],
    test: async () => [{ id: "unseen", config: { a: 7, b: 8 } }],
  },
});

// It is right at "small" every time, and at "large" every other time.
const agent = scriptedAgent((view, { index, repetition }) => {
  const right = index === 0 ? 5 : 50;
  return { tool: "sum_answer", input: { value: index === 1 && repetition % 2 === 1 ? 0.5 : right } };
});

const envs = await make(sums, { rows: await taskRows(sums, "train") });
const traces: Trace[] = [];
for await (const { trace } of rollout(envs, { agent, repetitions: 4, concurrency: 1 })) traces.push(trace);
await envs.close();
await sums.close();

for (const { rowId, repetition, messages, steps, totalReward } of traces)
  console.log(rowId, repetition, messages.at(0)?.content, JSON.stringify(steps[0]?.parts), totalReward?.toFixed(1));

// A scorer looks at whole traces. This one is the weighted mean of two.
const graded = rubric({ solved: { weight: 3, scorer: success }, short: { scorer: ({ steps }) => 1 / steps.length } });
const scored = await scoreTraces(traces, graded);
console.log(scored.map(({ score }) => score.score).join(" "));

// Above 0 is a pass unless you say otherwise.
console.log(summarize(scored).passAt);
console.log(summarize(scored, { pass: 0.5 }).passAt);

// prints:
// small 0 Add. {"right":2,"whole":0.5,"calls":-0.1} 2.4
// small 1 Add. {"right":2,"whole":0.5,"calls":-0.1} 2.4
// small 2 Add. {"right":2,"whole":0.5,"calls":-0.1} 2.4
// small 3 Add. {"right":2,"whole":0.5,"calls":-0.1} 2.4
// large 0 {"question":"20 + 30"} {"right":2,"whole":0.5,"calls":-0.1} 2.4
// large 1 {"question":"20 + 30"} {"right":0,"whole":0,"calls":-0.1} -0.1
// large 2 {"question":"20 + 30"} {"right":2,"whole":0.5,"calls":-0.1} 2.4
// large 3 {"question":"20 + 30"} {"right":0,"whole":0,"calls":-0.1} -0.1
// 1 1 1 1 1 0.25 1 0.25
// { '1': 1, '2': 1, '4': 1 }
// { '1': 0.75, '2': 0.9166666666666666, '4': 1 }
