import { isDeepStrictEqual } from "node:util";
import { callDomainTool, runFunction, runTool } from "./call-domain.ts";
import type { DomainResult, Criteria, Domain, DomainCall, GoldAction, RewardBasis, Tau2Task } from "./domain.ts";

/** What happened in an episode, as far as it is graded. */
export interface Trajectory {
  readonly calls: readonly (DomainCall & DomainResult)[];
  /** What the agent said to the user. */
  readonly said: readonly string[];
}

/** Says for each sentence whether it holds. */
export type AssertionJudge = (assertions: readonly string[]) => Promise<readonly boolean[]>;

/** The result of grading, with every part. */
export interface Grade {
  /** Exactly as the reference: the product of the parts in the task's basis. Null if a part could not be judged. */
  readonly reward: number | null;
  readonly basis: readonly RewardBasis[];
  /** Each part, also those outside the basis. */
  readonly parts: Readonly<Record<RewardBasis, number | null>>;
  readonly db_match: boolean;
  readonly assertions: readonly boolean[];
  /** Whether each gold action was called. */
  readonly actions: readonly boolean[];
  readonly communicated: readonly boolean[];
  readonly judged: readonly boolean[] | null;
  /** What an agent that does nothing gets for this task. Null if that needs a judge. */
  readonly no_op_reward: number | null;
  /** Not the published figure: `reward`, and 0 unless every gold action that writes was called. */
  readonly strict_reward: number | null;
}

/** Grades an episode that the user ended. Throws if the trajectory cannot be replayed. */
export async function grade<State>(
  domain: Domain<State>,
  task: Tau2Task,
  { trajectory, judge }: { trajectory: Trajectory; judge?: AssertionJudge | undefined },
): Promise<Grade> {
  const criteria = task.evaluation_criteria ?? noCriteria;
  const checks = check(domain, task, trajectory);
  const sentences = criteria.nl_assertions ?? [];
  const isJudged = sentences.length > 0 && judge !== undefined;
  const judged = isJudged ? await judge(sentences) : sentences.length === 0 ? [] : null;
  const parts = { ...checks.parts, NL_ASSERTION: judged && Number(judged.every(Boolean)) };
  const reward = product(criteria.reward_basis.map((part) => parts[part]));
  const nothing = check(domain, task, { calls: [], said: [] });
  const withoutAgent = { ...nothing.parts, NL_ASSERTION: sentences.length === 0 ? 1 : null };
  return {
    reward,
    basis: criteria.reward_basis,
    ...checks,
    parts,
    judged,
    no_op_reward: product(criteria.reward_basis.map((part) => withoutAgent[part])),
    strict_reward: product([reward, Number(hasWritten(domain, criteria, trajectory))]),
  };
}

const noCriteria: Criteria = { reward_basis: [] };

/** Null if a factor is unknown, unless another is 0. */
function product(factors: readonly (number | null)[]): number | null {
  if (factors.includes(0)) return 0;
  return factors.includes(null) ? null : 1;
}

type Checks = Pick<Grade, "db_match" | "assertions" | "actions" | "communicated"> & {
  readonly parts: Readonly<Record<Exclude<RewardBasis, "NL_ASSERTION">, number>>;
};

/** All that needs no judge. */
export function check<State>(domain: Domain<State>, task: Tau2Task, { calls, said }: Trajectory): Checks {
  const { actions: gold, env_assertions: assertions, communicate_info: facts } = task.evaluation_criteria ?? noCriteria;
  const state = replay(domain, task, calls);
  const isMatch = isDeepStrictEqual(domain.hashes(state), domain.hashes(playGold(domain, task)));
  const held = (assertions ?? []).map(
    (assertion) => runFunction(domain, state, assertion) === (assertion.assert_value ?? true),
  );
  const matched = (gold ?? []).map((action) => calls.some((call) => isSameAction(action, call)));
  const communicated = (facts ?? []).map((fact) =>
    said.some((text) => text.toLowerCase().replaceAll(",", "").includes(fact.toLowerCase())),
  );
  return {
    db_match: isMatch,
    assertions: held,
    actions: matched,
    communicated,
    parts: {
      DB: Number(isMatch),
      ENV_ASSERTION: Number(held.every(Boolean)),
      ACTION: Number(matched.every(Boolean)),
      COMMUNICATE: Number(communicated.every(Boolean)),
    },
  };
}

/** A new state, prepared as the task says. */
export function prepare<State>(domain: Domain<State>, { initial_state: initial }: Tau2Task): State {
  const state = domain.create();
  for (const call of initial?.initialization_actions ?? []) runFunction(domain, state, call);
  return state;
}

/** Makes the calls that write once more, in a new state. Unknown tools are skipped. */
function replay<State>(domain: Domain<State>, task: Tau2Task, calls: Trajectory["calls"]): State {
  const state = prepare(domain, task);
  for (const call of calls) {
    const { assistant, user } = domain.tools;
    const tool = assistant[call.name] ?? user[call.name];
    if (tool?.kind !== "write") continue;
    const { content } = callDomainTool(domain, state, call);
    if (content !== call.content)
      throw new Error(
        `The replay of ${call.name} answers ${JSON.stringify(content)}, not ${JSON.stringify(call.content)}.`,
      );
  }
  domain.synchronize(state);
  return state;
}

/** The state after the gold actions: errors are ignored, and the sides are not synchronized in between. */
function playGold<State>(domain: Domain<State>, task: Tau2Task): State {
  const state = prepare(domain, task);
  domain.synchronize(state);
  for (const { name, arguments: input, requestor = "assistant" } of task.evaluation_criteria?.actions ?? []) {
    try {
      runTool(domain, state, { name, arguments: input, requestor });
    } catch {
      continue; // Some gold actions of the published tasks fail.
    }
  }
  return state;
}

/** With `compare_args` null, only the arguments of the call are compared: the gold action may have more. */
function isSameAction({ name, arguments: gold, compare_args: compared }: GoldAction, call: DomainCall): boolean {
  if (name !== call.name) return false;
  const names = compared ?? Object.keys(call.arguments);
  const pick = (input: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.filter((each) => Object.hasOwn(input, each)).map((each) => [each, input[each]]));
  return isDeepStrictEqual(pick(call.arguments), pick(gold));
}

function hasWritten<State>(domain: Domain<State>, { actions }: Criteria, { calls }: Trajectory): boolean {
  return (actions ?? [])
    .filter(({ name, requestor = "assistant" }) => domain.tools[requestor][name]?.kind === "write")
    .every((action) => calls.some((call) => isSameAction(action, call)));
}
