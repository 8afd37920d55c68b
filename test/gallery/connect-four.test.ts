import { expect, test } from "vitest";
import type { Environment, Episode } from "biplane";
import { connectFour } from "../../packages/gallery/src/connect-four/connect-four.ts";
import { train } from "./trainer.ts";

async function play(environment: Environment, columns: readonly number[]): Promise<Episode> {
  const episode = await environment.start();
  for (const column of columns) await environment.call(episode, "piece_drop", { column });
  return episode;
}

test("pieces fall to the lowest free row, 1 and -1 in turn", async () => {
  await using environment = connectFour();
  const episode = await environment.start();
  expect(episode.firstObservation).toEqual({
    board: Array.from({ length: 6 }, () => [0, 0, 0, 0, 0, 0, 0]),
    legal_actions: [0, 1, 2, 3, 4, 5, 6],
  });
  await environment.call(episode, "piece_drop", { column: 3 });
  const { board } = (await environment.call(episode, "piece_drop", { column: 3 })) as { board: number[][] };
  expect(board.slice(4)).toEqual([
    [0, 0, 0, -1, 0, 0, 0],
    [0, 0, 0, 1, 0, 0, 0],
  ]);
  expect(episode).toMatchObject({ last: { reward: 0 }, terminated: false });
});

test.each([
  ["down", [0, 1, 0, 1, 0, 1, 0]],
  ["across", [0, 0, 1, 1, 2, 2, 3]],
  ["across, closed from the middle", [0, 0, 1, 1, 3, 3, 2]],
  ["up to the right", [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]],
  ["up to the left", [6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3]],
])("four %s win", async (_, columns) => {
  await using environment = connectFour();
  const almost = await play(environment, columns.slice(0, -1));
  expect(almost).toMatchObject({ totalReward: 0, terminated: false });
  const won = await play(environment, columns);
  expect(won).toMatchObject({ last: { reward: 1 }, totalReward: 1, terminated: true, truncated: false });
  await expect(environment.call(won, "piece_drop", { column: 6 })).rejects.toMatchObject({ code: "EPISODE_ENDED" });
});

test("a line does not go on around the edge", async () => {
  await using environment = connectFour();
  const episode = await play(environment, [4, 4, 5, 5, 6, 6, 0]);
  expect(episode.terminated).toBe(false);
});

test("a full board without four is a draw", async () => {
  await using environment = connectFour();
  const pairs = [0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0];
  const columns = [
    ...pairs,
    ...pairs.map((column) => column + 2),
    ...pairs.map((column) => column + 4),
    6,
    6,
    6,
    6,
    6,
    6,
  ];
  const episode = await play(environment, columns);
  expect(episode).toMatchObject({ totalReward: 0, stepCount: 42, terminated: true });
  expect(environment.rules.observe(episode.state, episode.context)).toMatchObject({ legal_actions: [] });
});

test("a move into a full column costs 1 and ends the game", async () => {
  await using environment = connectFour();
  const episode = await play(environment, [2, 2, 2, 2, 2, 2]);
  expect(environment.rules.observe(episode.state, episode.context)).toMatchObject({
    legal_actions: [0, 1, 3, 4, 5, 6],
  });
  await environment.call(episode, "piece_drop", { column: 2 });
  expect(episode).toMatchObject({ last: { reward: -1 }, terminated: true });
});

test.each([{ column: 7 }, { column: -1 }, { column: 1.5 }, { column: "1" }, {}])(
  "%j is refused and is no step",
  async (input) => {
    await using environment = connectFour();
    const episode = await environment.start();
    await expect(environment.call(episode, "piece_drop", input)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(episode.stepCount).toBe(0);
  },
);

test("people see the board with its columns", async () => {
  await using environment = connectFour();
  const episode = await play(environment, [3, 4]);
  const picture = await environment.rules.options.render?.(episode.state, episode.context);
  expect(picture?.split("\n").slice(4)).toEqual([". . . . . . .", ". . . X O . .", "0 1 2 3 4 5 6"]);
});

test("a trainer plays both sides over a socket, and sees the board in the state", async () => {
  await using trainer = await train(connectFour());
  await trainer.reset({ seed: 1 });
  expect(await trainer.refused({ column: 9 })).toBe("VALIDATION_ERROR");
  for (const column of [0, 1, 0, 1, 0, 1]) {
    expect(await trainer.step({ column })).toMatchObject({ reward: 0, done: false });
  }
  expect(await trainer.state()).toMatchObject({ step_count: 6, next_player: 1 });
  const { observation, reward, done } = await trainer.step({ column: 0 });
  expect({ reward, done }).toEqual({ reward: 1, done: true });
  expect(Object.keys(observation)).toEqual(["board", "legal_actions"]);
  expect(await trainer.state()).toMatchObject({ step_count: 7, next_player: -1, board: observation["board"] });
  expect(await trainer.refused({ column: 0 })).toBe("EXECUTION_ERROR");
  expect(await trainer.reset()).toMatchObject({ observation: { legal_actions: [0, 1, 2, 3, 4, 5, 6] }, done: false });
});
