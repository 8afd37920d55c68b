import { once } from "node:events";
import { WebSocket } from "ws";

/** A trainer's WebSocket: one request, one response. */
export class Trainer {
  readonly #socket: WebSocket;
  #arrived: ((text: string) => void) | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#arrived?.(data.toString()));
  }

  static async open(url: string): Promise<Trainer> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { perMessageDeflate: false });
    await once(socket, "open");
    return new Trainer(socket);
  }

  send(frame: string): Promise<string> {
    this.#socket.send(frame);
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** Plays `steps` steps in total over all sockets; returns steps per second and sorted latencies in ms. */
export async function play(
  trainers: readonly Trainer[],
  frame: string,
  steps: number,
): Promise<{ rate: number; latencies: number[] }> {
  const latencies: number[] = [];
  let left = steps;
  const started = performance.now();
  await Promise.all(
    trainers.map(async (trainer) => {
      while (left-- > 0) {
        const sent = performance.now();
        const answer = await trainer.send(frame);
        latencies.push(performance.now() - sent);
        if (!answer.includes('"observation"')) throw new Error(`a step was answered with ${answer.slice(0, 200)}`);
        if (answer.includes('"done":true')) await trainer.send('{"type":"reset","data":{}}');
      }
    }),
  );
  const rate = latencies.length / ((performance.now() - started) / 1000);
  return { rate, latencies: latencies.sort((a, b) => a - b) };
}
