import { BiplaneError } from "../../errors.ts";
import type { Agent } from "../../rollout/agent/agent.ts";
import { greedyAgent } from "../../rollout/agent/greedy.ts";
import { openaiAgent, openaiSpeaker } from "../../rollout/agent/openai.ts";
import type { OpenAIOptions } from "../../rollout/agent/openai.ts";
import { personAgent } from "../../rollout/agent/person.ts";
import { playbackAgent } from "../../rollout/agent/playback.ts";
import { randomAgent } from "../../rollout/agent/random.ts";
import { scriptedAgent } from "../../rollout/agent/scripted.ts";
import type { ScriptedTurn } from "../../rollout/agent/scripted.ts";
import { readRecording } from "../../rollout/recording.ts";
import { simulatedUsers } from "../../rollout/user.ts";
import { loadModule } from "../load-module.ts";
import { openState } from "../state.ts";
import { wholeNumber } from "./target.ts";
import type { RunSettings } from "./target.ts";

/** The options that say who plays. */
export const agentArgs = {
  agent: {
    type: "string",
    description: "random, greedy, person, model, playback:FILE, or a file that exports a script",
  },
  model: { type: "string", description: "The model's name; --agent model is then meant" },
  "base-url": { type: "string", description: "Where the model's /chat/completions is" },
  key: { type: "string", description: "The name of the secret or variable with the key: OPENAI_API_KEY" },
  temperature: { type: "string", description: "The model's temperature" },
  "max-tokens": { type: "string", description: "The most tokens of one answer" },
  "tool-style": { type: "string", description: "tools, or code for models that write code", default: "tools" },
} as const;

/** Who plays, and who talks to the player in conversations. */
export async function openAgent(settings: RunSettings) {
  const { agent, model } = settings;
  const name = typeof agent === "string" ? agent : model === undefined ? "random" : "model";
  if (name !== "model") return { agent: await namedAgent(name), user: undefined };
  const options = await modelOptions(settings);
  return { agent: openaiAgent(options), user: simulatedUsers(openaiSpeaker(options)) };
}

async function namedAgent(name: string): Promise<Agent> {
  if (name === "random") return randomAgent();
  if (name === "greedy") return greedyAgent();
  if (name === "person") return personAgent();
  if (name.startsWith("playback:")) return playbackAgent(await readRecording(name.slice("playback:".length)));
  if (!/[./\\]/.test(name))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `there is no agent ${name}; there are random, greedy, person, model, playback:FILE, or a file`,
    );
  const { default: script } = await loadModule(name);
  if (typeof script === "object" && script !== null && "begin" in script) return script as Agent;
  if (Array.isArray(script) || typeof script === "function") return scriptedAgent(script as readonly ScriptedTurn[]);
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `${name} must have an agent, a list of turns or a function as its default export`,
  );
}

async function modelOptions(settings: RunSettings): Promise<OpenAIOptions> {
  const { model, temperature } = settings;
  if (typeof model !== "string")
    throw new BiplaneError("INVALID_DEFINITION", "--agent model needs --model with the model's name");
  const key = typeof settings["key"] === "string" ? settings["key"] : "OPENAI_API_KEY";
  const secret = await readSecret(key);
  const most = settings["max-tokens"];
  return {
    model,
    ...(typeof settings["base-url"] === "string" && { baseUrl: settings["base-url"] }),
    ...(secret !== undefined && { apiKey: secret }),
    toolStyle: settings["tool-style"] === "code" ? "code" : "tools",
    parameters: {
      ...(typeof temperature === "string" && { temperature: Number(temperature) }),
      ...(most !== undefined && { max_tokens: wholeNumber("max-tokens", most, 1) }),
    },
  };
}

/** Where the house keeps its secrets, else the process's own environment. */
async function readSecret(name: string): Promise<string | undefined> {
  await using state = await openState({ file: undefined, flags: {} });
  return state.secrets.get(name) ?? process.env[name];
}
