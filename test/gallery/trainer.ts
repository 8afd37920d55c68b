import { once } from "node:events";
import { WebSocket } from "ws";
import type { Environment } from "biplane";

export type Json = Record<string, unknown>;

interface Frame {
  readonly type: string;
  readonly data: Json;
}

/** A trainer on the environment's real `/ws`, for the length of a test: `await using`. */
export async function train(environment: Environment): Promise<Trainer> {
  const { url } = await environment.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  await once(socket, "open");
  const send = async (frame: Json): Promise<Frame> => {
    socket.send(JSON.stringify(frame));
    const [data] = (await once(socket, "message")) as [Buffer];
    return JSON.parse(data.toString()) as Frame;
  };
  return {
    url,
    reset: async (data = {}) => readAnswer(await send({ type: "reset", data })),
    step: async (data) => readAnswer(await send({ type: "step", data })),
    refused: async (data) => (await send({ type: "step", data })).data["code"],
    state: async () => (await send({ type: "state" })).data,
    [Symbol.asyncDispose]: async () => {
      socket.terminate();
      await environment.close();
    },
  };
}

export interface Trainer extends AsyncDisposable {
  readonly url: string;
  reset(data?: Json): Promise<Answer>;
  step(action: Json): Promise<Answer>;
  /** The code of the error that answers a step. */
  refused(action: Json): Promise<unknown>;
  state(): Promise<Json>;
}

interface Answer {
  /** Without what is repeated in it. */
  readonly observation: Json;
  readonly reward: unknown;
  readonly done: unknown;
}

function readAnswer({ type, data }: Frame): Answer {
  if (type !== "observation") throw new Error(`${String(data["code"])}: ${String(data["message"])}`);
  const { reward: _reward, done: _done, metadata: _metadata, ...observation } = data["observation"] as Json;
  return { observation, reward: data["reward"], done: data["done"] };
}
