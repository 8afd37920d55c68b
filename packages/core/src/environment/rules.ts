import { BiplaneError } from "../errors.ts";
import { compileConfig } from "../tool/schema.ts";
import type { AnySchema, CompiledSchema } from "../tool/schema.ts";
import { tool } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import { chain } from "../chain.ts";
import type { EnvironmentOptions, EpisodeContext, Termination } from "./options.ts";
import { applyRubric, readReward } from "./reward.ts";
import type { Rewarded, RewardStep } from "./reward.ts";

/** A compiled environment definition, without the author's type parameters. */
export interface Rules {
  readonly options: EnvironmentOptions<unknown, AnySchema | undefined, unknown>;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly config: CompiledSchema | undefined;
  observe(state: unknown, context: EpisodeContext<unknown, unknown>): unknown;
  reward(step: RewardStep<unknown>): Rewarded | Promise<Rewarded>;
  status(state: unknown, context: EpisodeContext<unknown, unknown>): Termination | Promise<Termination>;
  isReadOnly(tool: string): boolean;
  report(fault: unknown, where: string): void;
}

/** Validates and compiles an environment definition. */
export function compileRules(
  options: EnvironmentOptions<unknown, AnySchema | undefined, unknown>,
  report: Rules["report"],
): Rules {
  const { name, rubric, reward, status, action } = options;
  const tools = options.tools(tool as unknown as Parameters<typeof options.tools>[0]);
  const mistake = (why: string) =>
    new BiplaneError("INVALID_DEFINITION", `Environment ${JSON.stringify(name)}: ${why}`);
  const taken = Object.keys(tools).find((each) => reserved.includes(each));
  if (taken !== undefined)
    throw mistake(`a tool cannot be named ${taken}, because agents must not control episodes. Rename it.`);
  if (Object.keys(tools).length === 0) throw mistake("define at least one tool.");
  if (reward && rubric) throw mistake("define reward or rubric, not both.");
  const [lowest, highest] = options.rewardRange ?? [0, 1];
  if (!(Number.isFinite(lowest) && Number.isFinite(highest) && lowest < highest))
    throw mistake(`rewardRange must be two numbers, the lower one first, not ${JSON.stringify(options.rewardRange)}.`);
  if (action !== undefined && !Object.hasOwn(tools, action))
    throw mistake(`its action ${JSON.stringify(action)} is not one of its tools.`);
  const readOnly = new Set(Object.keys(tools).filter((each) => tools[each]?.annotations.readOnlyHint));
  return {
    options,
    tools,
    config: options.config && compileConfig(options.config),
    observe: (state, context) => options.observe(state, context),
    reward: (step) => {
      if (rubric) return applyRubric(rubric, step).then(readReward);
      return reward ? chain(reward(step), readReward) : { reward: null, parts: undefined };
    },
    status: (state, context) => status?.(state, context) ?? { terminated: false },
    isReadOnly: (each) => readOnly.has(each),
    report,
  };
}

/** Names that OpenEnv reserves. */
const reserved = ["reset", "step", "state", "close"];
