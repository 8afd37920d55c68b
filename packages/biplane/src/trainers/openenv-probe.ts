import { BiplaneError } from "@biplane/core";
import type { Tool } from "@biplane/core";
import { connectEnvironment } from "@biplane/core/client";
import type { EnvironmentClient } from "@biplane/core/client";
import { createRandom, isForModel, isRecord } from "@biplane/core/internal";
import type { Environment, Random } from "@biplane/core/internal";
import { randomInput } from "../rollout/agent/random-input.ts";

/** The actions that OpenEnv's graders send, as they read them from a file. */
export interface OpenEnvProbe {
  readonly plan_schema_version: "1";
  readonly reset: { readonly episode_id: string; readonly seed: number; readonly options: object };
  readonly actions: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Plays an episode with random inputs, and keeps the actions that were steps: graders require a reward for each
 * action, and count it. Throws if a reward is outside of the declared range.
 */
export async function recordProbe(environment: Environment): Promise<OpenEnvProbe> {
  const tools = [...environment.server.tools].filter(isForModel);
  const random = createRandom(BigInt(probeSeed));
  const actions: OpenEnvProbe["actions"][number][] = [];
  await using client = await connectEnvironment(environment);
  await client.reset({ seed: probeSeed });
  for (let tries = 0; tries < maxTries && actions.length < maxActions; tries++) {
    const action = randomAction(environment, { tool: random.choice(tools), random });
    const { isStep, done } = await tryStep(environment, { client, action, before: actions.length });
    if (isStep) actions.push(action);
    if (done) break;
  }
  if (actions.length === 0)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `No tool of ${environment.name} accepts random inputs, so there is no action for OpenEnv's graders. Pass --actions with a file of actions that they can send.`,
    );
  return probeOf(actions);
}

/** A probe with the author's own actions. */
export function probeOf(actions: OpenEnvProbe["actions"]): OpenEnvProbe {
  return { plan_schema_version: "1", reset: { episode_id: "probe", seed: probeSeed, options: {} }, actions };
}

const probeSeed = 7;
const maxActions = 10;
const maxTries = 200;

/** A typed action, or a call of a tool. Optional properties are left out: they often mean more work. */
function randomAction(
  { rules }: Environment,
  { tool, random }: { readonly tool: Tool; readonly random: Random },
): OpenEnvProbe["actions"][number] {
  const input = randomInput(requiredOnly(tool.input.json), random);
  const given = isRecord(input) ? input : {};
  if (tool.name === rules.options.action) return given;
  return { type: "call_tool", tool_name: tool.name, arguments: given };
}

function requiredOnly(schema: unknown): unknown {
  if (!isRecord(schema) || !isRecord(schema["properties"])) return schema;
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const kept = Object.entries(schema["properties"]).filter(([name]) => required.includes(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}

async function tryStep(
  { name, rules }: Environment,
  options: {
    readonly client: EnvironmentClient;
    readonly action: OpenEnvProbe["actions"][number];
    readonly before: number;
  },
): Promise<{ isStep: boolean; done: boolean }> {
  const { reward, stepCount, done } = await options.client.step(options.action);
  const [lowest, highest] = rules.options.rewardRange ?? [0, 1];
  if (reward !== null && (reward < lowest || reward > highest))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `A step of ${name} has the reward ${reward}, but its range is ${lowest} to ${highest}. Set rewardRange in its definition.`,
    );
  return { isStep: stepCount === options.before + 1, done };
}
