import { createHash } from "node:crypto";
import { expect, describe, test } from "vitest";
import { callDomainTool } from "../../packages/biplane/src/tau2/call-domain.ts";
import type { DomainResult, Domain, DomainCall } from "../../packages/biplane/src/tau2/domain.ts";
import { check, prepare } from "../../packages/biplane/src/tau2/grade.ts";
import { openDomain } from "../../packages/biplane/src/tau2/open-domain.ts";
import { dataFolder, environmentParts, needsVectors, readVectors } from "./vectors.ts";
import type { CallSequence, CallVector, TaskVector } from "./vectors.ts";

const { tasks, sequences } = readVectors();

describe.each(["retail", "airline", "telecom"] as const)("tau2's %s", needsVectors, (name) => {
  const opened: { domain?: Domain } = {};
  const open = () => (opened.domain ??= openDomain({ domain: name, folder: dataFolder }));

  test("gold actions of every task give tau2's results, error texts and hashes", { timeout: 300_000 }, () => {
    const domain = open();
    for (const vector of tasks[name]) play(domain, vector, prepare(domain, taskOf(domain, vector.task)));
    expect(tasks[name].length).toBeGreaterThan(0);
  });

  test("random calls give tau2's results, error texts and hashes", { timeout: 300_000 }, () => {
    const domain = open();
    const own = sequences.filter((each) => each.domain === name);
    for (const vector of own) {
      const state = vector.task === undefined ? domain.create() : prepare(domain, taskOf(domain, vector.task));
      play(domain, vector, state);
    }
    expect(own.length).toBeGreaterThan(0);
  });

  test("trajectories get tau2's rewards, and its parts", { timeout: 300_000 }, () => {
    const domain = open();
    for (const vector of tasks[name]) {
      const task = taskOf(domain, vector.task);
      for (const [kind, expected] of Object.entries(vector.rewards)) {
        const { calls, says } = trajectoryOf(vector, kind);
        const state = prepare(domain, task);
        const played = calls.map((call) => ({ ...call, ...callDomainTool(domain, state, call) }));
        const facts = task.evaluation_criteria?.communicate_info ?? [];
        const said = says && facts.length > 0 ? [facts.join(" ")] : [];
        const checked = check(domain, task, { calls: played, said });
        const basis = task.evaluation_criteria?.reward_basis ?? [];
        const { parts } = checked;
        const env = environmentParts.filter((part) => basis.includes(part)).every((part) => parts[part as "DB"] === 1);
        const others = (["ACTION", "COMMUNICATE"] as const).filter((part) => basis.includes(part));
        const all = env && others.every((part) => parts[part] === 1);
        const graded = {
          env: Number(env),
          db_match: checked.db_match,
          assertions: checked.assertions,
          action: parts.ACTION,
          matches: checked.actions,
          communicate: parts.COMMUNICATE,
          ...(expected.all !== undefined && { all: Number(all) }),
        };
        expect({ task: task.id, kind, ...graded }).toEqual({ task: task.id, kind, ...expected });
      }
    }
  });
});

function play(domain: Domain, { before, calls, after }: CallSequence, state: unknown): void {
  expect(domain.hashes(state)).toEqual(before);
  for (const vector of calls) {
    const result = callDomainTool(domain, state, callOf(vector));
    const hash = vector.hash && domain.hashes(state);
    expect({ call: vector, ...seen(result, vector), hash }).toEqual({
      call: vector,
      ...wanted(vector),
      hash: vector.hash,
    });
  }
  expect(domain.hashes(state)).toEqual(after);
}

/** What is compared of a result: long texts by their digest, loose ones not at all. */
function seen({ content, isError }: DomainResult, { result }: CallVector) {
  if (result.loose) return { isError };
  const isLong = typeof result.content !== "string";
  return { isError, content: isLong ? createHash("sha256").update(content).digest("hex") : content };
}

function wanted({ result: { content, error = false, loose } }: CallVector) {
  return loose
    ? { isError: error }
    : { isError: error, content: typeof content === "string" ? content : content.sha256 };
}

/** A bigint is an int of Python. JSON cannot tell 2 from 2.0, so the vectors list which are floats. */
function callOf({ name, arguments: input, requestor = "assistant", floats = [] }: CallVector): DomainCall {
  const amount = input["gb_amount"];
  const isInteger = Number.isInteger(amount) && !floats.includes("/gb_amount");
  return { name, arguments: isInteger ? { ...input, gb_amount: BigInt(Number(amount)) } : input, requestor };
}

/** The five trajectories of the vectors. Those with all calls and the last one left out also say what is asked for. */
function trajectoryOf({ calls }: TaskVector, kind: string): { calls: DomainCall[]; says: boolean } {
  const all = calls.map(callOf);
  switch (kind) {
    case "gold":
      return { calls: all, says: true };
    case "goldSilent":
      return { calls: all, says: false };
    case "withoutLastWrite": {
      const last = calls.findLastIndex(({ hash }) => hash !== undefined);
      return { calls: all.filter((_, index) => index !== last), says: true };
    }
    case "reversed":
      return { calls: all.toReversed(), says: false };
    default:
      return { calls: [], says: false };
  }
}

function taskOf(domain: Domain, id: string) {
  const task = domain.tasks.find((each) => each.id === id);
  if (!task) throw new Error(`${domain.name} has no task ${id}`);
  return task;
}
