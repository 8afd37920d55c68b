import { BiplaneError } from "../errors.ts";
import { compileConfig } from "../tool/schema.ts";
import type { AnySchema, CompiledSchema } from "../tool/schema.ts";
import { tool } from "../tool/tool.ts";
import type { Tool } from "../tool/tool.ts";
import { chain } from "./chain.ts";
import type { EnvironmentOptions, Standing, Status } from "./options.ts";
import { applyRubric, readReward } from "./reward.ts";
import type { Rewarded, Step } from "./reward.ts";

/** What an environment does, without the types of whoever wrote it. */
export interface Rules {
  readonly options: EnvironmentOptions<unknown, AnySchema | undefined, unknown>;
  readonly tools: Readonly<Record<string, Tool>>;
  readonly config: CompiledSchema | undefined;
  observe(state: unknown, standing: Standing<unknown, unknown>): unknown;
  reward(step: Step<unknown>): Rewarded | Promise<Rewarded>;
  status(state: unknown, standing: Standing<unknown, unknown>): Status | Promise<Status>;
  isReadOnly(tool: string): boolean;
  report(fault: unknown, where: string): void;
}

/** Checks what was written and makes it rules. */
export function compileRules(
  options: EnvironmentOptions<unknown, AnySchema | undefined, unknown>,
  report: Rules["report"],
): Rules {
  const { name, rubric, reward, status, action } = options;
  const tools = options.tools(tool as unknown as Parameters<typeof options.tools>[0]);
  const mistake = (why: string) =>
    new BiplaneError("INVALID_DEFINITION", `environment ${JSON.stringify(name)}: ${why}`);
  const taken = Object.keys(tools).find((each) => reserved.includes(each));
  if (taken !== undefined)
    throw mistake(`a tool may not be called ${taken}: agents must not be able to steer episodes`);
  if (Object.keys(tools).length === 0) throw mistake("it needs at least one tool");
  if (reward && rubric) throw mistake("give it a reward or a rubric, not both");
  if (action !== undefined && !Object.hasOwn(tools, action))
    throw mistake(`its action ${JSON.stringify(action)} is not one of its tools`);
  const readOnly = new Set(Object.keys(tools).filter((each) => tools[each]?.annotations.readOnlyHint));
  return {
    options,
    tools,
    config: options.config && compileConfig(options.config),
    observe: (state, standing) => options.observe(state, standing),
    reward: (step) => {
      if (rubric) return applyRubric(rubric, step).then(readReward);
      return reward ? chain(reward(step), readReward) : { reward: null, parts: undefined };
    },
    status: (state, standing) => status?.(state, standing) ?? { terminated: false },
    isReadOnly: (each) => readOnly.has(each),
    report,
  };
}

/** Names that OpenEnv keeps for itself. */
const reserved = ["reset", "step", "state", "close"];
