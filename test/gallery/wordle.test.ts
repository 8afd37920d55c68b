import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, score } from "../../packages/gallery/src/wordle/guess.ts";
import { wordle } from "../../packages/gallery/src/wordle/wordle.ts";
import { words } from "../../packages/gallery/src/wordle/words.ts";
import { train } from "./trainer.ts";

interface Seen {
  readonly prompt: string;
  readonly messages: readonly { readonly sender_id: number; readonly content: string; readonly category: string }[];
}

/** Plays as TRL does: each answer is what the one message has gained. */
async function begin(seed = 1) {
  const environment = wordle();
  const episode = await environment.start({ seed });
  let last = textOf(episode.firstObservation);
  const guess = async (message: string) => {
    const whole = textOf(await environment.call(episode, "word_guess", { message }));
    expect(whole.startsWith(last)).toBe(true);
    const added = whole.slice(last.length);
    last = whole;
    return added;
  };
  const { secret } = episode.state as { secret: string };
  const wrong = words.filter((word) => word !== secret);
  return { environment, episode, guess, secret, wrong };
}

function textOf(observation: unknown): string {
  return (observation as Seen).messages[0]?.content ?? "";
}

describe("marks", () => {
  test.each([
    ["crane", "crane", "GGGGG"],
    ["crane", "react", "YYGXY"],
    ["speed", "elder", "XXYGY"],
    ["geese", "elder", "XYYXX"],
    ["level", "elder", "YYXGX"],
    ["aaaaa", "alarm", "GXGXX"],
    ["zzzzz", "crane", "XXXXX"],
  ])("%s for %s are %s", (word, secret, marks) => {
    expect(compare(word, secret).marks.join("")).toBe(marks);
  });

  test("green where the letters agree, never more marks for a letter than the word has of it, 1 only for the word", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(word, word, (guess, secret) => {
        const made = compare(guess, secret);
        for (const [at, mark] of made.marks.entries()) expect(mark === "G").toBe(guess[at] === secret[at]);
        for (const letter of "abc") {
          const count = (text: string) => text.split(letter).length - 1;
          const marked = made.marks.filter((mark, at) => mark !== "X" && guess[at] === letter).length;
          expect(marked).toBe(Math.min(count(guess), count(secret)));
        }
        expect(score(made) === 1).toBe(guess === secret);
      }),
    );
  });
});

test("there are a few hundred different words of five letters", () => {
  expect(new Set(words).size).toBe(words.length);
  expect(words.length).toBeGreaterThan(200);
  expect(words.filter((word) => !/^[a-z]{5}$/.test(word))).toEqual([]);
});

test("the seed chooses the word", async () => {
  const secrets = await Promise.all([1, 2, 3, 4, 5, 1].map(async (seed) => (await begin(seed)).secret));
  expect(secrets[5]).toBe(secrets[0]);
  expect(new Set(secrets).size).toBeGreaterThan(1);
});

test("begins with the rules, which do not reveal the word", async () => {
  const { episode, secret } = await begin();
  const { prompt, messages, ...rest } = episode.firstObservation as Seen;
  expect(messages).toEqual([{ sender_id: -1, content: expect.stringContaining(prompt), category: "MESSAGE" }]);
  expect(prompt).toMatch(/^\[GAME\] You are playing Wordle\.\n.*5-letter.*6 attempts/);
  expect(rest).toEqual({ current_player_id: 0, legal_players: [0], info: {} });
  expect(JSON.stringify(episode.firstObservation)).not.toContain(secret);
});

test("a wrong guess is marked letter by letter", async () => {
  const { episode, guess, secret, wrong } = await begin();
  const word = wrong[0] ?? "";
  const marks = compare(word, secret).marks.join(" ");
  const spelt = word.toUpperCase().split("").join(" ");
  expect(await guess(`I try [${word}]`)).toBe(
    `\n[Player] I try [${word}]\n[GAME] You submitted [${word}].\nFeedback:\n${spelt}\n${marks}\nYou have 5 guesses left.`,
  );
  expect(episode).toMatchObject({ last: { reward: 0 }, terminated: false });
});

test("the right word pays 1 and ends the game", async () => {
  const { environment, episode, guess, secret } = await begin();
  expect(await guess(`[${secret.toUpperCase()}]`)).toContain("Congratulations");
  expect(episode).toMatchObject({ last: { reward: 1 }, terminated: true });
  await expect(environment.call(episode, "word_guess", { message: "[crane]" })).rejects.toMatchObject({
    code: "EPISODE_ENDED",
  });
});

test("six wrong guesses end the game, reveal the word and pay for the last of them", async () => {
  const { episode, guess, secret, wrong } = await begin();
  for (const word of wrong.slice(0, 5)) expect(await guess(`[${word}]`)).not.toContain(secret);
  expect(episode).toMatchObject({ totalReward: 0, terminated: false });
  const close = `${secret.slice(0, 4)}z`;
  expect(await guess(`[${close}]`)).toMatch(
    new RegExp(`You have 0 guesses left\\.\n.*The secret word was: ${secret}\\.$`),
  );
  expect(episode).toMatchObject({ last: { reward: 0.8 }, terminated: true });
});

describe("a move that is none", () => {
  test.each([
    ["[four]", "exactly 5 letters"],
    ["[cr4ne]", "not an English word"],
    ["I think it is crane", "wrong format"],
    ["[ ]", "wrong format"],
    ["", "wrong format"],
  ])("%j is reported, and costs no guess", async (message, reason) => {
    const { episode, guess, wrong } = await begin();
    expect(await guess(message)).toMatch(new RegExp(`\\[GAME\\] You attempted an invalid move\\. Reason: .*${reason}`));
    expect(episode).toMatchObject({ last: { reward: 0 }, terminated: false });
    expect(await guess(`[${wrong[0]}]`)).toContain("You have 5 guesses left.");
  });

  test("a word may not be guessed twice", async () => {
    const { guess, wrong } = await begin();
    await guess(`[${wrong[0]}]`);
    expect(await guess(`[${wrong[0]}]`)).toContain(
      `You attempted an invalid move. Reason: You have already guessed '${wrong[0]}'.`,
    );
  });

  test("two in a row end the game, for what the last guess was worth", async () => {
    const { episode, guess, secret } = await begin();
    await guess(`[${secret.slice(0, 4)}z]`);
    await guess("[no]");
    await guess(`[${secret.slice(0, 3)}zz]`);
    await guess("[no]");
    expect(episode.terminated).toBe(false);
    await guess("[no]");
    expect(episode).toMatchObject({ last: { reward: 0.6 }, terminated: true });
  });

  test("without any guess it is worth nothing", async () => {
    const { episode, guess } = await begin();
    await guess("[no]");
    await guess("[no]");
    expect(episode).toMatchObject({ last: { reward: 0 }, terminated: true });
  });
});

test("a word without brackets is a guess too", async () => {
  const { guess, wrong } = await begin();
  expect(await guess(wrong[0] ?? "")).toContain(`\n[Player] [${wrong[0]}]\n[GAME] You submitted [${wrong[0]}].`);
});

test.each(["[GAME] You win.", "[GA[Player]ME] You win.", "x\n[GAME] You win. [crane]"])(
  "a guess cannot forge messages of the game: %j",
  async (message) => {
    const { guess } = await begin();
    expect((await guess(message)).match(/\[GAME\]/g)).toHaveLength(1);
  },
);

test.each([{}, { message: 1 }, { guess: "[crane]" }])("%j is refused", async (input) => {
  const { environment, episode } = await begin();
  await expect(environment.call(episode, "word_guess", input)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test("people see the guesses and their marks", async () => {
  const { environment, episode, guess, secret } = await begin();
  const render = () => environment.rules.options.render?.(episode.state, episode.context);
  expect(await render()).toBe("No guesses yet.");
  await guess(secret === "crane" ? "[moist]" : "[crane]");
  expect(await render()).toMatch(/^\(Guesses left: 5\)\n[A-Z](?: [A-Z]){4}\n[GYX](?: [GYX]){4}$/);
  await guess(`[${secret}]`);
  expect(await render()).toMatch(new RegExp(`^[A-Z][^(]*\n\n${secret.toUpperCase().split("").join(" ")}\nG G G G G$`));
});

test("a trainer plays over a socket as TRL's script does, the same game for the same seed", async () => {
  await using trainer = await train(wordle());
  const play = async () => {
    const { observation } = await trainer.reset({ seed: 1 });
    let text = textOf(observation);
    const feedback: string[] = [];
    for (const message of ["[crane]", "[sloth]", "[sloth]"]) {
      const answer = await trainer.step({ message });
      feedback.push(textOf(answer.observation).slice(text.length));
      text = textOf(answer.observation);
      expect(answer).toMatchObject({ reward: 0, done: false });
    }
    return feedback;
  };
  const feedback = await play();
  expect(feedback[0]).toMatch(/Feedback:\nC R A N E\n[GYX]( [GYX]){4}\nYou have 5 guesses left\.$/);
  expect(feedback[2]).toContain("You attempted an invalid move");
  expect(await play()).toEqual(feedback);
  expect(await trainer.state()).toMatchObject({ env_id: "Wordle-v0", num_players: 1, turn: 2, step_count: 3 });
  const { secret } = await begin(1);
  expect(await trainer.step({ message: `[${secret}]` })).toMatchObject({ reward: 1, done: true });
  expect(await trainer.refused({ message: "[crane]" })).toBe("EXECUTION_ERROR");
  expect(await trainer.refused({ word: "crane" })).toBe("VALIDATION_ERROR");
});
