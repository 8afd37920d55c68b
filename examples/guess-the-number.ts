import { environment } from "biplane";
import { z } from "zod";

const guessing = environment({
  name: "guess-the-number",
  version: "1.0.0",
  description: "Find a secret number in as few guesses as possible",
  config: z.object({ highest: z.number().int().min(2).default(100) }),
  start: ({ config, random }) => ({ secret: random.integers(1, config.highest + 1), hint: "Guess", tries: 0 }),
  observe: ({ hint, tries }) => ({ hint, tries }),
  tools: (tool) => ({
    guess: tool({
      description: "Guess the number",
      input: z.object({ number: z.number().int() }),
      run: ({ number }, { state }) => {
        state.tries++;
        state.hint = number < state.secret ? "higher" : number > state.secret ? "lower" : "right";
      },
    }),
  }),
  reward: ({ after }) => ({ found: after.hint === "right" ? 1 : 0, tries: -0.05 }),
  status: ({ hint, tries }) => ({ terminated: hint === "right", truncated: tries >= 20 }),
});

export default guessing;

// Play in this process with binary search. The agent sees what `observe` returns; the trainer also sees the reward.
const episode = await guessing.start({ seed: 7 });
let [low, high] = [1, 100];
while (!episode.isOver) {
  const number = Math.floor((low + high) / 2);
  const { hint } = (await guessing.call(episode, "guess", { number })) as { hint: string };
  console.log(number, hint, episode.last.reward);
  if (hint === "higher") low = number + 1;
  else high = number - 1;
}
console.log("total", episode.totalReward?.toFixed(2), "in", episode.stepCount);

// prints:
// 50 higher -0.05
// 75 higher -0.05
// 88 higher -0.05
// 94 higher -0.05
// 97 lower -0.05
// 95 right 0.95
// total 0.70 in 6
