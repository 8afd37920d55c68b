import { number, option } from "../command/define.ts";
import { BiplaneError } from "@biplane/core";
import { openaiChatModel } from "../../rollout/agent/openai.ts";
import type { OpenAIOptions } from "../../rollout/agent/openai.ts";
import { CostBudget } from "../../rollout/cost-budget.ts";
import type { TokenPrices } from "../../rollout/agent/token-prices.ts";
import { scriptedModel, scriptedReplies, scriptedVerdicts } from "../../rollout/scripted-model.ts";
import type { ChatModel } from "../../rollout/user.ts";
import { openHostState } from "../../host/state.ts";
import { usageError } from "../command/exit-code.ts";
import { finiteNumber } from "./rollout-target.ts";
import type { RunSettings } from "./rollout-target.ts";

/** Options of the model that judges, and of what models may cost. */
export const judgeArgs = {
  "judge-model": option("The model that judges: NAME, NAME@URL, or scripted:SEED for tests"),
  "judge-key": option("Name of the secret or variable with the judge's API key (default: that of --key)"),
  criteria: option("Criteria by which the judge scores rollouts"),
  prices: option("Prices in dollars per million input/output tokens, comma-separated, such as gpt-4o-mini=0.15/0.6"),
  "max-cost": option("Cost limit for models, in dollars; needs --prices for each model", {
    takes: number,
  }),
} as const;

/** Options of the model that plays the user. */
export const userArgs = {
  "user-model": option("The model that plays the user: NAME, NAME@URL, or scripted:SEED for tests"),
  "user-key": option("Name of the secret or variable with the user's API key (default: that of --key)"),
} as const;

/** The models of a run besides the agent's, and the budget of all. */
export interface Models {
  readonly user: OpenModel | undefined;
  readonly judge: OpenModel | undefined;
  readonly budget: CostBudget | undefined;
  readonly pricesOf: (model: string) => Pick<OpenAIOptions, "prices" | "budget">;
}

export interface OpenModel {
  readonly chat: ChatModel;
  /** Undefined if it is scripted. */
  readonly options: OpenAIOptions | undefined;
}

/** Opens the models that the settings name. */
export async function openModels(settings: RunSettings): Promise<Models> {
  const prices = readPrices(textOf(settings["prices"]));
  const limit = textOf(settings["max-cost"]);
  const budget = limit === undefined ? undefined : new CostBudget(finiteNumber("max-cost", limit));
  const pricesOf = (model: string) => {
    const price = prices.get(model);
    if (budget && !price)
      throw usageError(`--max-cost needs the price of ${model}. Pass --prices ${model}=<read>/<written>.`);
    return { ...(price && { prices: price }), ...(budget && { budget }) };
  };
  const open = async (role: "user" | "judge"): Promise<OpenModel | undefined> => {
    const written = textOf(settings[`${role}-model`]);
    if (written === undefined) return undefined;
    const scripted = /^scripted(?::(\d+))?$/.exec(written);
    const replies = role === "user" ? scriptedReplies : scriptedVerdicts;
    if (scripted) return { chat: scriptedModel({ seed: Number(scripted[1] ?? 0), replies }), options: undefined };
    const { model, baseUrl = textOf(settings["base-url"]) } = readModel(written);
    const key = textOf(settings[`${role}-key`]) ?? textOf(settings["key"]) ?? defaultKey;
    const access = await modelAccess({ baseUrl, key });
    const options = { model, ...access, ...pricesOf(model) };
    return { chat: openaiChatModel(options), options };
  };
  return { user: await open("user"), judge: await open("judge"), budget, pricesOf };
}

/** Says what the models cost. A run that its budget ended is not a success. */
export function reportCost(budget: CostBudget | undefined): void {
  if (!budget) return;
  const cost = `The models cost $${budget.spent.toFixed(4)} of $${budget.maxCost}.`;
  process.stderr.write(budget.signal.aborted ? `${cost} What was not played or judged has no score.\n` : `${cost}\n`);
  if (budget.signal.aborted) process.exitCode = 1;
}

export const defaultKey = "OPENAI_API_KEY";

/** Where a model is, and its API key. Throws if it needs a key and there is none. */
export async function modelAccess({
  baseUrl,
  key,
}: {
  readonly baseUrl: string | undefined;
  readonly key: string;
}): Promise<Pick<OpenAIOptions, "baseUrl" | "apiKey">> {
  const secret = await readSecret(key);
  if (secret === undefined && baseUrl === undefined)
    throw new BiplaneError(
      "UNAUTHORIZED",
      `There is no API key: ${key} is neither a secret nor an environment variable. Run \`biplane secrets set ${key}\`, or pass --base-url for a server without keys.`,
    );
  return { ...(baseUrl !== undefined && { baseUrl }), ...(secret !== undefined && { apiKey: secret }) };
}

/** From the configured store of secrets, else from the environment. */
async function readSecret(name: string): Promise<string | undefined> {
  await using state = await openHostState({ file: undefined, flags: {} });
  return state.secrets.get(name) ?? process.env[name];
}

/** `NAME` or `NAME@URL`. Names may have an @ themselves. */
function readModel(written: string): { model: string; baseUrl?: string } {
  const [, model, baseUrl] = /^(.+)@(https?:\/\/.+)$/s.exec(written) ?? [];
  if (model !== undefined && baseUrl !== undefined) return { model, baseUrl };
  if (!/^https?:\/\//.test(written)) return { model: written };
  throw usageError(`${written} does not name a model. Write NAME@${written}.`);
}

function readPrices(written: string | undefined): Map<string, TokenPrices> {
  const entries = (written ?? "").split(",").filter((entry) => entry.trim() !== "");
  return new Map(
    entries.map((entry) => {
      const [, model = "", input, output] = /^\s*(.+)=(\d*\.?\d+)\/(\d*\.?\d+)\s*$/.exec(entry) ?? [];
      if (input === undefined)
        throw usageError(`--prices must be like gpt-4o-mini=0.15/0.6, not ${JSON.stringify(entry)}.`);
      return [model, { input: Number(input), output: Number(output) }];
    }),
  );
}

function textOf(setting: string | boolean | undefined): string | undefined {
  return typeof setting === "string" ? setting : undefined;
}
