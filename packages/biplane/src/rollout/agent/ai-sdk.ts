import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf } from "@biplane/core/internal";
import type { ChatMessage, ToolCall, ToolDefinition } from "../message.ts";
import type { Agent, AgentView, EpisodePlayer, Turn, Usage } from "./agent.ts";
import { modelMessages } from "./ai-sdk-messages.ts";
import { costOf } from "./token-prices.ts";
import type { TokenPrices } from "./token-prices.ts";

export interface AiSdkOptions {
  /** Vercel's package `ai`, version 5 or newer: `import * as ai from "ai"`. */
  readonly ai: AiSdk;
  /** A model of one of its providers, such as `openai("gpt-5")`, or the id of a model at its gateway. */
  readonly model: string | { readonly modelId: string; readonly provider?: string };
  /** Further options of `generateText`, such as `temperature`, `maxOutputTokens` and `providerOptions`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Time limit per response, with its retries (default: 600000). */
  readonly timeoutMs?: number;
  /** Retries after rate limits and server errors (default: 6). */
  readonly retries?: number;
  /** Dollars per million tokens. */
  readonly prices?: TokenPrices;
}

/** What is used of the package. It is passed in, so that it is the same one that the model comes from. */
export interface AiSdk {
  readonly generateText: (options: never) => PromiseLike<unknown>;
  readonly jsonSchema: (schema: never) => unknown;
}

/** A model of Vercel's AI SDK. Its tools are those of the environment; the rollout makes their calls. */
export function aiSdkAgent(options: AiSdkOptions): Agent {
  const { model, settings, prices, retries = 6, timeoutMs = 600_000 } = options;
  const generate = options.ai.generateText as (asked: object) => PromiseLike<unknown>;
  const schemaOf = options.ai.jsonSchema as (schema: object) => unknown;
  const name = typeof model === "string" ? model : model.modelId;
  return {
    name: "ai-sdk",
    model: name,
    provider: providerOf(model),
    begin: (): EpisodePlayer => {
      // A provider may need parts of its replies that a chat message cannot hold, such as signed reasoning.
      const replies = new WeakMap<ChatMessage, unknown>();
      return {
        turn: async ({ messages, tools, signal }: AgentView): Promise<Turn> => {
          const late = AbortSignal.timeout(timeoutMs);
          const asked = {
            ...settings,
            model,
            messages: modelMessages(messages, (message) => replies.get(message)),
            allowSystemInMessages: true,
            ...(tools.length > 0 && { tools: toolSet(tools, schemaOf) }),
            maxRetries: retries,
            abortSignal: AbortSignal.any([signal, late]),
          };
          const result = await Promise.resolve(generate(asked)).catch((error: unknown) => {
            signal.throwIfAborted();
            throw late.aborted ? tooLate(name, timeoutMs) : endpointError(name, error);
          });
          const { turn, reply } = readResult(result);
          if (reply !== undefined) replies.set(turn.message, reply);
          return { ...turn, cost: prices && turn.usage ? costOf(turn.usage, prices) : undefined };
        },
      };
    },
  };
}

/** A provider of the SDK is named `openai.chat`, and a model at its gateway `openai/gpt-5`. */
function providerOf(model: AiSdkOptions["model"]): string {
  const written = typeof model === "string" ? model.split("/")[0] : model.provider?.split(".")[0];
  return written ?? "ai-sdk";
}

/** Marks an error as one of the model's endpoint, and not of the agent. */
function endpointError(endpoint: string, error: unknown): BiplaneError {
  const message = `The model ${endpoint} failed: ${messageOf(error)}`;
  return new BiplaneError("EXECUTION_ERROR", message, { cause: error, details: { endpoint } });
}

function tooLate(endpoint: string, timeoutMs: number): BiplaneError {
  const message = `The model ${endpoint} did not answer within ${timeoutMs} ms.`;
  return new BiplaneError("TIMEOUT", message, { details: { endpoint } });
}

function toolSet(tools: readonly ToolDefinition[], schemaOf: (schema: object) => unknown): object {
  return Object.fromEntries(
    tools.map(({ function: { name, description, parameters } }) => [
      name,
      { description, inputSchema: schemaOf(parameters) },
    ]),
  );
}

function readResult(result: unknown): { turn: Turn; reply: unknown } {
  if (!isRecord(result)) throw new BiplaneError("EXECUTION_ERROR", "generateText returned no result.");
  const calls = (Array.isArray(result["toolCalls"]) ? result["toolCalls"] : []).filter(isRecord).map(readCall);
  const text = typeof result["text"] === "string" ? result["text"] : "";
  const reasoning = result["reasoningText"];
  const message: ChatMessage = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(typeof reasoning === "string" && reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const reason = result["finishReason"];
  const finishReason = typeof reason === "string" ? reason.replace("-", "_") : "stop";
  const { messages } = isRecord(result["response"]) ? result["response"] : {};
  const replies: unknown[] = Array.isArray(messages) ? messages : [];
  return {
    turn: { message, finishReason, usage: readUsage(result["usage"]) },
    reply: replies.find((each) => isRecord(each) && each["role"] === "assistant"),
  };
}

/** A call that the SDK could not parse keeps its text, which the rollout refuses with the reason. */
function readCall(call: Readonly<Record<string, unknown>>): ToolCall {
  const { toolCallId, toolName, input } = call;
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "{}");
  return { id: String(toolCallId), type: "function", function: { name: String(toolName), arguments: text } };
}

function readUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const count = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);
  const [prompt_tokens, completion_tokens] = [count(usage["inputTokens"]), count(usage["outputTokens"])];
  const details = isRecord(usage["inputTokenDetails"]) ? usage["inputTokenDetails"] : {};
  const cached = count(details["cacheReadTokens"] ?? usage["cachedInputTokens"]);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: count(usage["totalTokens"]) || prompt_tokens + completion_tokens,
    ...(cached > 0 && { cached_tokens: cached }),
  };
}
