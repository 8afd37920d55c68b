import fc from "fast-check";
import { expect, test } from "vitest";
import { CallerTurns } from "../../packages/biplane/src/code/caller-turns.ts";
import type { CallerTurn } from "../../packages/biplane/src/code/caller-turns.ts";
import { runs } from "../support/runs.ts";

/** Asks for turns, and notes in which order they are given. */
function asking(turns: CallerTurns) {
  const given: string[] = [];
  const held: { readonly caller: string; readonly turn: CallerTurn }[] = [];
  const ask = (caller: string, signal?: AbortSignal) =>
    turns.take(caller, signal).then(
      (turn) => {
        given.push(caller);
        held.push({ caller, turn });
      },
      () => undefined,
    );
  return { given, held, ask };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a caller that runs nothing finds a free worker, however many actions another has waiting", async () => {
  const turns = new CallerTurns(3);
  const { given, ask } = asking(turns);
  for (let n = 0; n < 43; n++) void ask("greedy");
  await settled();
  expect(given).toEqual(["greedy", "greedy"]);
  await ask("other");
  expect(given).toEqual(["greedy", "greedy", "other"]);
});

test("callers that wait take turns", async () => {
  const turns = new CallerTurns(1);
  const { given, held, ask } = asking(turns);
  for (const caller of ["a", "a", "a", "a", "b", "b", "c"]) void ask(caller);
  for (let n = 0; n < 7; n++) {
    await settled();
    held.shift()?.turn.release();
  }
  expect(given).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
});

test("this process itself may use every worker", async () => {
  const turns = new CallerTurns(2);
  await Promise.all([turns.take(undefined), turns.take(undefined)]);
  expect(turns.hasQueue).toBe(false);
});

test("an action that is cancelled while it waits leaves the queue", async () => {
  const turns = new CallerTurns(1);
  const { given, held, ask } = asking(turns);
  await ask("a");
  const cancel = new AbortController();
  const waiting = turns.take("b", cancel.signal);
  void ask("c");
  cancel.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  await expect(turns.take("d", cancel.signal)).rejects.toThrow("cancelled");
  held.shift()?.turn.release();
  await settled();
  expect(given).toEqual(["a", "c"]);
});

test("a turn that is released twice counts once", async () => {
  const turns = new CallerTurns(1);
  const first = await turns.take("a");
  first.release();
  const second = await turns.take("b");
  first.release();
  const third = turns.take("c");
  expect(turns.hasQueue).toBe(true);
  second.release();
  await third;
});

test("whatever is asked and released, no more than there are run, and no caller waits without need", async () => {
  const step = fc.record({ caller: fc.constantFrom("a", "b", "c"), releases: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), async (size, steps) => {
      const turns = new CallerTurns(size);
      const { given, held, ask } = asking(turns);
      for (const { caller, releases } of steps) {
        void ask(caller);
        for (let n = 0; n < releases; n++) held.shift()?.turn.release();
        await settled();
        expect(held.length).toBeLessThanOrEqual(size);
        // One worker may be kept free, but only for those who run nothing.
        if (turns.hasQueue) expect(held.length).toBeGreaterThanOrEqual(Math.max(1, size - 1));
      }
      while (held.length > 0) {
        held.shift()?.turn.release();
        await settled();
      }
      expect(given.length).toBe(steps.length);
    }),
    runs(60),
  );
});
