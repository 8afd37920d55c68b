import { expect, test } from "vitest";
import { gridWorld } from "../../packages/gallery/src/grid-world/grid-world.ts";
import { train } from "./trainer.ts";

const way = ["DOWN", "RIGHT", "DOWN", "RIGHT", "DOWN", "RIGHT", "DOWN", "RIGHT"];

test("each move costs a tenth, and the goal pays 1 and ends the walk", async () => {
  await using environment = gridWorld();
  const episode = await environment.start();
  for (const action of way.slice(0, -1)) {
    expect(await environment.call(episode, "grid_move", { action })).toMatchObject({ message: "Keep going..." });
    expect(episode).toMatchObject({ last: { reward: -0.1 }, terminated: false });
  }
  const seen = await environment.call(episode, "grid_move", { action: "RIGHT" });
  expect(seen).toEqual({ x: 4, y: 4, message: "You found the goal!" });
  expect(episode).toMatchObject({ last: { reward: 1 }, terminated: true });
  await expect(environment.call(episode, "grid_move", { action: "UP" })).rejects.toMatchObject({
    code: "EPISODE_ENDED",
  });
});

test("x counts down and y to the right, and the walker stays in the grid", async () => {
  await using environment = gridWorld();
  const episode = await environment.start();
  const places = ["UP", "LEFT", "DOWN", "RIGHT", "UP", "LEFT"].map((action) =>
    environment.call(episode, "grid_move", { action }),
  );
  expect((await Promise.all(places)).map((seen) => Object.values(seen as object).slice(0, 2))).toEqual([
    [0, 0],
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
    [0, 0],
  ]);
});

test.each([{ action: "up" }, { action: 0 }, {}])("%j is refused", async (input) => {
  await using environment = gridWorld();
  const episode = await environment.start();
  await expect(environment.call(episode, "grid_move", input)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test("people see where the walker and the goal are", async () => {
  await using environment = gridWorld();
  const episode = await environment.start();
  await environment.call(episode, "grid_move", { action: "RIGHT" });
  const picture = await environment.rules.options.render?.(episode.state, episode.context);
  expect(picture).toBe([". A . . .", ". . . . .", ". . . . .", ". . . . .", ". . . . G"].join("\n"));
});

test("a trainer walks to the goal over a socket", async () => {
  await using trainer = await train(gridWorld());
  const welcome = { x: 0, y: 0, message: "Welcome to Grid World! Goal is at [4, 4]." };
  expect(await trainer.reset({ seed: 1 })).toEqual({ observation: welcome, reward: 0, done: false });
  expect(await trainer.refused({ action: "JUMP" })).toBe("VALIDATION_ERROR");
  const rewards: unknown[] = [];
  for (const action of way) rewards.push((await trainer.step({ action })).reward);
  expect(rewards).toEqual([-0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1, 1]);
  expect(await trainer.refused({ action: "UP" })).toBe("EXECUTION_ERROR");
  expect(await trainer.reset()).toMatchObject({ observation: welcome, done: false });
});
