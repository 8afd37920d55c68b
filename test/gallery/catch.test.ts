import { expect, test } from "vitest";
import { catchBall } from "../../packages/gallery/src/catch/catch.ts";
import { train } from "./trainer.ts";
import type { Json } from "./trainer.ts";

/** The ball's column at the beginning, read as TRL reads it. */
function ballColumn(observation: unknown): number {
  return (observation as { info_state: number[] }).info_state.indexOf(1) % 5;
}

test("the playthrough that OpenSpiel keeps: ball in column 1, caught at the end", async () => {
  await using environment = catchBall();
  let seed = 0;
  let episode = await environment.start({ seed });
  while (ballColumn(episode.firstObservation) !== 1) episode = await environment.start({ seed: ++seed });
  const empty = ".....\n";
  expect(await environment.call(episode, "paddle_move", { action_id: 1 })).toBe(
    `${empty}.o...\n${empty.repeat(7)}..x..`,
  );
  for (const action of [0, 0, 1, 1, 0, 0]) await environment.call(episode, "paddle_move", { action_id: action });
  expect(episode).toMatchObject({ totalReward: 0, terminated: false });
  expect(await environment.call(episode, "paddle_move", { action_id: 2 })).toBe(`${empty.repeat(8)}.o...\n.x...`);
  expect(await environment.call(episode, "paddle_move", { action_id: 1 })).toBe(`${empty.repeat(9)}.x...`);
  expect(episode).toMatchObject({ last: { reward: 1 }, terminated: true, stepCount: 9 });
  await expect(environment.call(episode, "paddle_move", { action_id: 1 })).rejects.toMatchObject({
    code: "EPISODE_ENDED",
  });
});

test("a missed ball costs 1", async () => {
  await using environment = catchBall();
  const episode = await environment.start({ seed: 5 });
  const away = ballColumn(episode.firstObservation) < 2 ? 2 : 0;
  for (let step = 0; step < 9; step++) await environment.call(episode, "paddle_move", { action_id: away });
  expect(episode).toMatchObject({ last: { reward: -1 }, totalReward: -1, terminated: true });
});

test("the seed chooses the ball's column, and all five come up", async () => {
  await using environment = catchBall();
  const columnOf = async (seed: number) => ballColumn((await environment.start({ seed })).firstObservation);
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  const columns = await Promise.all(seeds.map(columnOf));
  expect(await Promise.all(seeds.map(columnOf))).toEqual(columns);
  expect(new Set(columns)).toEqual(new Set([0, 1, 2, 3, 4]));
});

test.each<Json>([{ action_id: 3 }, { action_id: "1" }, {}, { action_id: 1, game_name: "tic_tac_toe" }])(
  "%j is refused",
  async (input) => {
    await using environment = catchBall();
    const episode = await environment.start();
    await expect(environment.call(episode, "paddle_move", input)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  },
);

test("what the tool answers tells neither phase nor ending", async () => {
  await using environment = catchBall();
  const episode = await environment.start();
  for (let step = 0; step < 9; step++) {
    expect(await environment.call(episode, "paddle_move", { action_id: 1 })).toMatch(/^[.ox\n]+$/);
  }
});

test("a trainer plays OpenSpiel's actions over a socket", async () => {
  await using trainer = await train(catchBall());
  const first = await trainer.reset({ seed: 1 });
  const column = ballColumn(first.observation);
  expect(first).toMatchObject({
    observation: { legal_actions: [0, 1, 2], game_phase: "initial", current_player_id: 0, opponent_last_action: null },
    done: false,
  });
  let paddle = 2;
  for (let step = 1; step <= 9; step++) {
    const move = Math.sign(column - paddle);
    paddle += move;
    const { observation, reward, done } = await trainer.step({
      action_id: move + 1,
      game_name: "catch",
      game_params: {},
    });
    const cells = observation["info_state"] as number[];
    expect(cells).toHaveLength(50);
    expect(cells.flatMap((cell, at) => (cell === 1 ? [at] : []))).toEqual([
      ...new Set([step * 5 + column, 45 + paddle]),
    ]);
    expect({ reward, done }).toEqual(step === 9 ? { reward: 1, done: true } : { reward: 0, done: false });
    if (step < 9)
      expect(observation).toMatchObject({ game_phase: "playing", legal_actions: [0, 1, 2], current_player_id: 0 });
    else expect(observation).toMatchObject({ game_phase: "terminal", legal_actions: [], current_player_id: -4 });
  }
  expect(await trainer.state()).toMatchObject({ step_count: 9, game_name: "catch", num_players: 1 });
});
