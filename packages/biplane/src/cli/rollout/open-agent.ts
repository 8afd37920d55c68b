import { countFromOne, number, oneOf, option, suggested, toggle } from "../command/define.ts";
import { BiplaneError } from "@biplane/core";
import type { Agent } from "../../rollout/agent/agent.ts";
import { greedyAgent } from "../../rollout/agent/greedy.ts";
import { openaiAgent, openaiChatModel } from "../../rollout/agent/openai.ts";
import type { OpenAIOptions } from "../../rollout/agent/openai.ts";
import { personAgent } from "../../rollout/agent/person.ts";
import { playbackAgent } from "../../rollout/agent/playback.ts";
import { randomAgent } from "../../rollout/agent/random.ts";
import { scriptedAgent } from "../../rollout/agent/scripted.ts";
import type { ScriptedTurn } from "../../rollout/agent/scripted.ts";
import { readRecording } from "../../rollout/eval-protocol-recording.ts";
import { simulatedUsers } from "../../rollout/user.ts";
import { usageError } from "../command/exit-code.ts";
import { loadModule } from "../../host/load-module.ts";
import { defaultKey, modelAccess } from "./open-models.ts";
import type { Models } from "./open-models.ts";
import { wholeNumber } from "./rollout-target.ts";
import type { RunSettings } from "./rollout-target.ts";

/** Options that choose the agent. */
export const agentArgs = {
  agent: option("random, greedy, person, model, playback:FILE, or a module (default: random, or model with --model)", {
    takes: suggested("random", "greedy", "person", "model", "playback:"),
  }),
  model: option("The model's name; implies --agent model"),
  "base-url": option("Base URL of the model's /chat/completions"),
  key: option("Name of the secret or variable with the API key (default: OPENAI_API_KEY)"),
  temperature: option("The model's temperature", { takes: number }),
  "max-tokens": option("Maximum number of tokens per response", { takes: countFromOne }),
  "tool-style": option("tools, or code for a model that writes code", {
    takes: oneOf("tools", "code"),
    default: "tools",
  }),
  logprobs: toggle("Keep the log-probability of every token that the model writes"),
  "token-ids": toggle("Keep the token ids of prompts and replies (vLLM and SGLang; not streamed)"),
} as const;

/** The agent, and the simulated user for rows that are conversations: `--user-model`, or else the agent's own model. */
export async function openAgent(settings: RunSettings, models: Models) {
  const { agent, model } = settings;
  const name = typeof agent === "string" ? agent : model === undefined ? "random" : "model";
  if (name !== "model") return { agent: await namedAgent(name), user: models.user && simulatedUsers(models.user.chat) };
  const options = await modelOptions(settings, models);
  return { agent: openaiAgent(options), user: simulatedUsers(models.user?.chat ?? openaiChatModel(options)) };
}

async function namedAgent(name: string): Promise<Agent> {
  if (name === "random") return randomAgent();
  if (name === "greedy") return greedyAgent();
  if (name === "person") return personAgent();
  if (name.startsWith("playback:")) return playbackAgent(await readRecording(name.slice("playback:".length)));
  if (!/[./\\]/.test(name))
    throw usageError(
      `Unknown agent ${JSON.stringify(name)}. Use random, greedy, person, model, playback:FILE, or the path of a module.`,
    );
  const { default: script } = await loadModule(name);
  if (typeof script === "object" && script !== null && "begin" in script) return script as Agent;
  if (Array.isArray(script) || typeof script === "function") return scriptedAgent(script as readonly ScriptedTurn[]);
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${name} has no agent. Export an agent, a list of turns or a function as default.`,
  );
}

async function modelOptions(settings: RunSettings, { pricesOf }: Models): Promise<OpenAIOptions> {
  const { model, temperature } = settings;
  if (typeof model !== "string")
    throw new BiplaneError("INVALID_DEFINITION", "--agent model needs --model with the model's name.");
  const { key, "base-url": baseUrl, "max-tokens": maxTokens } = settings;
  const access = await modelAccess({
    baseUrl: typeof baseUrl === "string" ? baseUrl : undefined,
    key: typeof key === "string" ? key : defaultKey,
  });
  return {
    model,
    ...access,
    ...pricesOf(model),
    toolStyle: settings["tool-style"] === "code" ? "code" : "tools",
    logprobs: settings["logprobs"] === true,
    tokenIds: settings["token-ids"] === true,
    parameters: {
      ...(typeof temperature === "string" && { temperature: Number(temperature) }),
      ...(maxTokens !== undefined && { max_tokens: wholeNumber("max-tokens", maxTokens, 1) }),
    },
  };
}
