import { once } from "node:events";
import type { WebSocket } from "ws";
import { BiplaneError, messageOf } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { MakeOptions } from "../make.ts";
import type { ToolDefinition } from "../message.ts";
import { contentForModel } from "./content.ts";
import type { Acted, Action, Beginning, Door, DoorMaker, Fault, Judgement, Visit } from "./door.ts";
import { HttpLine } from "./exchange.ts";
import { ToolCache } from "./tool-cache.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Doors to an OpenEnv server: a socket a rollout, a frame a step. */
export function openEnvDoors(base: string, options: MakeOptions): DoorMaker {
  const line = new HttpLine();
  const shared: Shared = { base, headers: options.headers ?? {}, bearer: options.bearer, line, tools: new ToolCache() };
  return {
    name: base,
    kind: "openenv",
    open: (visit) => new OpenEnvDoor(shared, visit),
    close: async () => line.close(),
  };
}

interface Shared {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer: MakeOptions["bearer"];
  readonly line: HttpLine;
  readonly tools: ToolCache;
}

class OpenEnvDoor implements Door {
  readonly #shared: Shared;
  readonly #visit: Visit;
  #socket: WebSocket | undefined;
  #tools: readonly ToolDefinition[] = [];
  #last: Fields = {};

  constructor(shared: Shared, visit: Visit) {
    this.#shared = shared;
    this.#visit = visit;
  }

  async start(signal: AbortSignal): Promise<Beginning> {
    const { base } = this.#shared;
    const { WebSocket } = await import("ws");
    const headers = await this.#headers();
    const socket = new WebSocket(`${base.replace(/^http/, "ws")}/ws`, {
      headers,
      perMessageDeflate: false,
      maxPayload: mostBytes,
    });
    this.#socket = socket;
    socket.on("error", () => undefined); // whoever waits is told by the close
    const opened = once(socket, "open", { signal });
    await opened.catch((error: unknown) => {
      throw new BiplaneError("EXECUTION_ERROR", `cannot reach ${base}/ws (${messageOf(error)})`, { cause: error });
    });
    this.#tools = await this.#shared.tools.get(base, () => this.#listTools(signal));
    const { setup, sessionId } = this.#visit;
    const { seed, context } = setup;
    const { seed: _, ...config } = context;
    const reset = { ...config, ...(seed !== null && { seed: Number(seed) }), episode_id: sessionId };
    const { observation } = await this.#exchange({ type: "reset", data: reset }, signal);
    return { observation: bare(observation), source: "environment", tools: this.#tools, faults: [] };
  }

  async act({ name, input }: Action, signal: AbortSignal): Promise<Acted> {
    const isTyped = name === typedAction && this.#tools.some((tool) => tool.function.name === typedAction);
    const data = isTyped ? input : { type: "call_tool", tool_name: name, arguments: input };
    const { style } = this.#visit;
    try {
      const answer = await this.#exchange({ type: "step", data }, signal);
      this.#last = answer;
      const { observation, isError } = isTyped
        ? { observation: bare(answer["observation"]), isError: false }
        : readResult(answer["observation"]);
      return { observation, content: contentForModel(observation, { style }), isError };
    } catch (error) {
      if (!(error instanceof BiplaneError) || error.code !== "INVALID_INPUT") throw error;
      this.#last = { ...this.#last, reward: 0 }; // it was no step
      return {
        observation: { error: "invalid_action", message: error.message },
        content: `Error: ${error.message}`,
        isError: true,
      };
    }
  }

  judge(): Judgement {
    const { reward, done, metadata } = this.#last;
    const { truncated, reward_parts: parts, step_count: stepCount } = isObject(metadata) ? metadata : {};
    const isReward =
      reward === null || reward === undefined || typeof reward === "number" || typeof reward === "boolean";
    const faults: Fault[] = isReward ? [] : [{ what: "reward", why: `the reward is ${JSON.stringify(reward)}` }];
    return {
      reward: isReward && reward !== null && reward !== undefined ? Number(reward) : isReward ? null : 0,
      parts: isObject(parts) ? (parts as Record<string, number>) : undefined,
      terminated: done === true && truncated !== true,
      truncated: truncated === true,
      stepCount: typeof stepCount === "number" ? stepCount : undefined,
      info: { reward_source: "openenv", status_source: "openenv" },
      faults,
    };
  }

  async end(): Promise<readonly Fault[]> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket || socket.readyState === socket.CLOSED) return [];
    const closed = once(socket, "close");
    if (socket.readyState === socket.OPEN) socket.send('{"type":"close"}');
    socket.close();
    const timer = setTimeout(() => socket.terminate(), 1000);
    await closed;
    clearTimeout(timer);
    return [];
  }

  async #headers(): Promise<Readonly<Record<string, string>>> {
    const { headers, bearer } = this.#shared;
    if (bearer === undefined) return headers;
    return { ...headers, authorization: `Bearer ${typeof bearer === "string" ? bearer : await bearer()}` };
  }

  /** A server of tools lists them; one with an action of its own has that as its only tool. */
  async #listTools(signal: AbortSignal): Promise<readonly ToolDefinition[]> {
    const { base, line } = this.#shared;
    const question = { method: "GET" as const, url: `${base}/schema`, timeoutMs: 15_000, signal };
    const { text } = await line.ask({ ...question, headers: await this.#headers() });
    const schema = JSON.parse(text) as { action?: Fields };
    const action = schema.action ?? {};
    const properties = isObject(action["properties"]) ? action["properties"] : {};
    if (!("tool_name" in properties)) return [typedTool(action)];
    const { observation } = await this.#exchange({ type: "step", data: { type: "list_tools" } }, signal);
    const tools = isObject(observation) && Array.isArray(observation["tools"]) ? observation["tools"] : [];
    return tools.filter(isObject).map((tool) => ({
      type: "function",
      function: {
        name: String(tool["name"]),
        description: typeof tool["description"] === "string" ? tool["description"] : "",
        parameters: (tool["input_schema"] ?? tool["inputSchema"] ?? { type: "object" }) as Fields,
      },
    }));
  }

  /** A frame out, a frame back. */
  async #exchange(frame: object, signal: AbortSignal): Promise<Fields> {
    const socket = this.#socket;
    if (!socket || socket.readyState !== socket.OPEN)
      throw new BiplaneError("EXECUTION_ERROR", `the connection to ${this.#shared.base}/ws was closed`);
    const text = await new Promise<string>((resolve, reject) => {
      const settle = (error: BiplaneError | undefined, data = "") => {
        clearTimeout(timer);
        socket.off("message", onMessage).off("close", onClose);
        signal.removeEventListener("abort", onAbort);
        if (error) reject(error);
        else resolve(data);
      };
      const onMessage = (data: Buffer) => settle(undefined, data.toString());
      const onClose = () => settle(new BiplaneError("EXECUTION_ERROR", `${this.#shared.base} closed the socket`));
      const onAbort = () => settle(new BiplaneError("CANCELLED", "The rollout was cancelled"));
      const timer = setTimeout(() => settle(new BiplaneError("TIMEOUT", `no answer within ${frameMs} ms`)), frameMs);
      socket.on("message", onMessage).on("close", onClose);
      signal.addEventListener("abort", onAbort, { once: true });
      socket.send(JSON.stringify(frame));
    });
    return readFrame(text);
  }
}

/** The only tool of an environment whose action has a shape of its own. */
const typedAction = "act";

const mostBytes = 100 * 1024 * 1024;

/** OpenEnv's own clients give up after a minute. */
const frameMs = 60_000;

function typedTool(action: Fields): ToolDefinition {
  const { properties, ...rest } = action;
  const { metadata: _, ...own } = isObject(properties) ? properties : {};
  const description = typeof action["description"] === "string" ? action["description"] : "Act in the environment";
  return {
    type: "function",
    function: { name: typedAction, description, parameters: { type: "object", ...rest, properties: own } },
  };
}

function readFrame(text: string): Fields {
  const frame: unknown = JSON.parse(text);
  const data = isObject(frame) && isObject(frame["data"]) ? frame["data"] : {};
  if (!isObject(frame) || frame["type"] !== "error") return data;
  const message = typeof data["message"] === "string" ? data["message"] : "the server answered with an error";
  const code =
    data["code"] === "VALIDATION_ERROR"
      ? "INVALID_INPUT"
      : data["code"] === "CAPACITY_REACHED"
        ? "CAPACITY"
        : "EXECUTION_ERROR";
  throw new BiplaneError(code, message, { details: { code: data["code"] } });
}

/** What a tool answered; its failure is for the model to read. */
function readResult(observation: unknown): { observation: unknown; isError: boolean } {
  const { result, error } = isObject(observation) ? observation : {};
  if (isObject(error)) return { observation: { error: error["error_type"], message: error["message"] }, isError: true };
  if (!isObject(result)) return { observation: result ?? bare(observation), isError: false };
  return { observation: "data" in result ? result["data"] : result, isError: result["is_error"] === true };
}

/** What is for the agent: rewards and endings stand in some servers' observations too. */
function bare(observation: unknown): unknown {
  if (!isObject(observation)) return observation;
  const { reward: _, done: __, metadata: ___, ...seen } = observation;
  return seen;
}
