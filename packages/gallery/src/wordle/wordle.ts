import { environment } from "@biplane/core";
import { newGame, play, render, ruleText, finalScore } from "./game.ts";
import { words } from "./words.ts";

/**
 * Guess a secret five-letter word: TextArena's Wordle-v0 as OpenEnv wraps it and TRL's scripts read it. The observation
 * is one message with the whole transcript. The seed selects the word.
 */
export function wordle() {
  return environment({
    name: "wordle",
    version: "1.0.0",
    description: "Guess a secret five-letter word in six attempts.",
    start: ({ random }) => newGame(random.choice(words)),
    observe: ({ log }) => ({
      prompt: `[GAME] ${ruleText}`.trim(),
      messages: [{ sender_id: -1, content: log, category: "MESSAGE" }],
      current_player_id: 0,
      legal_players: [0],
      info: {},
    }),
    action: "word_guess",
    tools: (tool) => ({
      word_guess: tool({
        description: "Guess the word",
        input: {
          type: "object",
          properties: { message: { type: "string", description: "A word in square brackets, like [crane]" } },
          required: ["message"],
        },
        run: ({ message }, { state: game }) => play(game, message),
      }),
    }),
    reward: ({ after }) => (after.isOver ? finalScore(after) : 0),
    status: ({ isOver }) => ({ terminated: isOver }),
    publicState: ({ guesses }) => ({ env_id: "Wordle-v0", num_players: 1, turn: guesses.length }),
    render,
  });
}
