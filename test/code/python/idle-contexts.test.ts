import { expect, test } from "vitest";
import { IdleContexts } from "../../../packages/biplane/src/code/python/idle-contexts.ts";

/** Contexts that note when they lose their interpreter. */
function contextsOf(caller: string | undefined, parked: string[]) {
  return (name: string) => ({ caller, park: () => void parked.push(name) });
}

test("a caller with many idle contexts loses only its own interpreters, oldest first", () => {
  const idle = new IdleContexts(3);
  const parked: string[] = [];
  const [ada, mallory] = [contextsOf("token ada", parked), contextsOf("token mallory", parked)];
  idle.add(ada("a1"));
  for (let n = 1; n <= 5; n++) idle.add(mallory(`m${n}`));
  expect(parked).toEqual(["m1", "m2", "m3"]);
  idle.add(ada("a2"));
  expect(parked.slice(3)).toEqual(["a1"]); // both have two, and this is the oldest
});
