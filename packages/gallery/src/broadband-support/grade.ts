import { isDeepStrictEqual } from "node:util";
import { serviceAt } from "./contact.ts";
import { playPlan } from "./play-plan.ts";
import { differences, hashChanges } from "./records.ts";
import type { SupportGrade, SupportState } from "./support-state.ts";
import { statesFact } from "./states-fact.ts";
import type { SupportTask } from "./support-task.ts";

/** Grades a contact that the agent has ended. */
export function gradeContact(task: SupportTask, state: SupportState): SupportGrade {
  const expected = expectedEnd(task);
  const database = { hash: hashChanges(state.changes), expected_hash: expected.hash };
  const spoken = state.events.flatMap((event) => ("text" in event && event.side === "assistant" ? [event.text] : []));
  const told = (task.tell ?? []).map((fact) => ({ fact, said: spoken.some((text) => statesFact(text, fact)) }));
  const parts = {
    database: Number(database.hash === expected.hash),
    service: Number(isDeepStrictEqual(serviceAt(state), expected.service)),
    communication: Number(told.every(({ said }) => said)),
    policy: Number(state.violations.length === 0),
  };
  return {
    reward: Number(Object.values(parts).every((part) => part === 1)),
    parts,
    database,
    changes: differences(state.changes),
    expected_changes: expected.changes,
    told,
    violations: [...state.violations],
  };
}

interface ExpectedEnd {
  readonly hash: string;
  readonly changes: Readonly<Record<string, unknown[]>>;
  readonly service: Readonly<Record<string, boolean>>;
}

const expectedEnds = new WeakMap<SupportTask, ExpectedEnd>();

/** Where the task's own plan leads, computed once. */
function expectedEnd(task: SupportTask): ExpectedEnd {
  const known = expectedEnds.get(task);
  if (known) return known;
  const state = playPlan(task);
  const end = { hash: hashChanges(state.changes), changes: differences(state.changes), service: serviceAt(state) };
  expectedEnds.set(task, end);
  return end;
}
