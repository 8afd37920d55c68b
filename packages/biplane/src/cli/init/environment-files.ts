import type { ProjectParts, SourceLanguage } from "./project.ts";

/** An environment: guess a number, with a reward that prefers few guesses. */
export function environmentFiles(name: string, { suffix, types }: SourceLanguage): ProjectParts {
  const entry = `src/environment.${suffix}`;
  const test = `test/environment.test.${suffix}`;
  return {
    entry,
    test,
    evaluation: `--env ./${entry} --rows eval/rows.jsonl --agent ./eval/agent.${suffix} --threshold 0.5`,
    packages: ["biplane", "zod"],
    config: trainingRules,
    about: `## Train on it

While \`npm start\` runs, the Python clients of OpenEnv and Eval Protocol, and TRL, connect to http://127.0.0.1:8000. From the terminal:

\`\`\`sh
npx biplane rollout --env ./${entry} --agent random -n 20
npx biplane rollout --env ./${entry} --rows eval/rows.jsonl --model gpt-4o-mini   # after: npx biplane secrets set OPENAI_API_KEY
npx biplane show last
npx biplane replay last
\`\`\`
`,
    files: {
      [entry]: `import { environment } from "biplane";
import { z } from "zod";

/** Guess a number. The agent sees what \`observe\` returns, never the state, the reward or the ending. */
export default environment({
  name: ${JSON.stringify(name)},
  version: "0.1.0",
  description: "Find a secret number in as few guesses as possible",
  config: z.object({ highest: z.number().int().min(2).max(100).default(100) }),
  start: ({ config, random }) => ({
    secret: random.integers(1, config.highest + 1),
    low: 1,
    high: config.highest,
    tries: 0,
    isFound: false,
  }),
  observe: ({ low, high, tries, isFound }) => ({
    hint: isFound ? "You found it." : \`It is between \${low} and \${high}.\`,
    low,
    high,
    tries,
  }),
  tools: (tool) => ({
    guess: tool({
      description: "Guess the number",
      input: z.object({ number: z.number().int().min(1).max(100) }),
      run: ({ number }, { state }) => {
        state.tries++;
        state.isFound = number === state.secret;
        if (number < state.secret) state.low = Math.max(state.low, number + 1);
        if (number > state.secret) state.high = Math.min(state.high, number - 1);
      },
    }),
  }),
  reward: ({ after }) => ({ found: after.isFound ? 1 : 0, tries: -0.05 }),
  status: ({ isFound, tries }) => ({ terminated: isFound, truncated: tries >= 20 }),
});
`,
      [test]: `import assert from "node:assert/strict";
import { after, test } from "node:test";
import game from "../${entry}";

after(() => game.close());

test("a guess narrows the range", async () => {
  const episode = await game.start({ seed: 7 });
  const seen = await game.call(episode, "guess", { number: 50 });
  assert.deepEqual(seen, { hint: "It is between 51 and 100.", low: 51, high: 100, tries: 1 });
  assert.equal(episode.last.reward, -0.05);
});

test("binary search finds the number within seven guesses and ends the episode", async () => {
  const episode = await game.start({ seed: 7 });
  let [low, high] = [1, 100];
  while (!episode.isOver) {
    const seen = await game.call(episode, "guess", { number: Math.floor((low + high) / 2) });
    ({ low, high } = ${types("seen as { low: number; high: number }") || "seen"});
  }
  assert.ok(episode.stepCount <= 7);
  assert.ok((episode.totalReward ?? 0) > 0.6);
});

test("the same seed gives the same game", async () => {
  const play = async () => {
    const episode = await game.start({ seed: 3, config: { highest: 10 } });
    return game.call(episode, "guess", { number: 5 });
  };
  assert.deepEqual(await play(), await play());
});
`,
      "eval/rows.jsonl": rows,
      [`eval/agent.${suffix}`]: `${types('import type { AgentView } from "biplane/rollout";\n\n')}/** A scripted agent instead of a model: binary search. */
export default function agent({ observation }${types(": AgentView")}) {
  const { low, high } = ${types("observation as { low: number; high: number }") || "observation"};
  return { tool: "guess", input: { number: Math.floor((low + high) / 2) } };
}
`,
    },
  };
}

const trainingRules = `
# Policies. They also apply to the steps of an episode; without policies, every call is allowed.
# policies:
#   - { tool: guess, arguments: { number: { max: 90 } }, allow: true }
#   - { tool: guess, deny: "{arguments.number} is too high" }

# On this machine, trainers need no credentials. For other machines, create a token for each
# (biplane token new --id gpu-1 --kind trainer) and add the printed entry here:
# auth:
#   tokens: []
`;

const rows = [7, 42, 123, 456]
  .map((seed, at) => ({
    id: `game-${seed}`,
    system_prompt: "Find the secret number with the tool guess, in as few guesses as possible.",
    user_prompt_template: "{observation[hint]}",
    environment_context: { seed, highest: at % 2 === 0 ? 100 : 50 },
  }))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("");
