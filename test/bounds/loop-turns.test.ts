import { expect, test } from "vitest";
import { loopTurns } from "../../packages/core/src/bounds/loop-turns.ts";
import { Turns } from "../../packages/core/src/bounds/turns.ts";

/** Longer than a turn. */
function workLong(): void {
  for (const endsAt = performance.now() + 5; performance.now() < endsAt;);
}

test("a caller with much work does one piece while others do one each", async () => {
  const done: string[] = [];
  await new Promise<void>((resolve) => {
    for (const name of ["ann", "ann", "ann", "bob", "cyd"]) loopTurns.add(name, () => done.push(name));
    loopTurns.add("ann", resolve);
  });
  expect(done).toEqual(["ann", "bob", "cyd", "ann", "ann"]);
});

test("work of a single caller is done without a pause", async () => {
  // Callers of other tests count as active for a second.
  await expect.poll(turnsOfLongWork).toBeLessThan(10);
});

test("while there are several callers, one that took long leaves the loop to the others", async () => {
  loopTurns.seen("ann");
  loopTurns.seen("bob");
  expect(await turnsOfLongWork()).toBeGreaterThan(20);
});

/** How often the event loop turns while a caller does five long pieces of work. */
async function turnsOfLongWork(): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => void (++turns, isDone || setImmediate(count));
  setImmediate(count);
  await new Promise<void>((resolve) => {
    for (let at = 0; at < 5; at++) loopTurns.add("ann", workLong);
    loopTurns.add("ann", resolve);
  });
  isDone = true;
  return turns;
}

test("a piece of work that throws keeps nobody waiting", async () => {
  const thrown = new Promise((resolve) => process.prependOnceListener("uncaughtException", resolve));
  const others = process.listeners("uncaughtException").slice(1);
  for (const other of others) process.off("uncaughtException", other);
  const done = new Promise<void>((resolve) => {
    loopTurns.add("ann", () => {
      throw new Error("a fault");
    });
    loopTurns.add("bob", resolve);
  });
  expect(await thrown).toMatchObject({ message: "a fault" });
  for (const other of others) process.on("uncaughtException", other);
  await done;
});

test("long works of the same caller take turns with those of another", async () => {
  const done: string[] = [];
  const work = async (name: string, slices: number) => {
    const turns = new Turns(name);
    for (let at = 0; at < slices; at++) {
      workLong();
      await turns.next();
    }
    done.push(name);
  };
  await Promise.all([work("ann", 10), work("ann", 10), work("ann", 10), work("bob", 5)]);
  expect(done[0]).toBe("bob");
});

test("work that a caller did while it was alone does not delay it once there are others", async () => {
  await expect.poll(turnsOfLongWork).toBeLessThan(10); // nobody else is active any more
  const startedAt = performance.now();
  let endedAt = 0;
  await new Promise<void>((resolve) => {
    for (let at = 0; at < 100; at++) loopTurns.add("ann", workLong);
    loopTurns.add("ann", () => {
      loopTurns.seen("bob");
      loopTurns.seen("cyd");
      endedAt = performance.now();
    });
    loopTurns.add("ann", workLong);
    loopTurns.add("ann", resolve);
  });
  // It rests after the last piece, for a small part of the time that it was alone.
  expect(performance.now() - endedAt).toBeLessThan((endedAt - startedAt) / 2);
});
