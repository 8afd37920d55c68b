import { dueFor, faultIn } from "./rpc-fuzz.ts";
import { within } from "./within.ts";
import { isRecord } from "@biplane/core/internal";

/** Messages that came over a pipe, to be taken by their ids. Each is checked as it comes. */
export class RpcMailbox {
  readonly #there: { id: unknown }[] = [];
  readonly #faults: string[] = [];
  #probes = 0;
  #waiting: { id: unknown; resolve: (message: unknown) => void } | undefined;

  put(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#faults.push(`not JSON: ${text.slice(0, 200)}`);
      return;
    }
    if (isRecord(message) && "method" in message) return; // a notification
    const fault = faultIn(message);
    if (fault) this.#faults.push(`${fault}: ${text.slice(0, 300)}`);
    const found = message as { id: unknown };
    if (this.#waiting && Object.is(this.#waiting.id, found.id)) {
      this.#waiting.resolve(found);
      this.#waiting = undefined;
    } else this.#there.push(found);
  }

  /** The next response with this id. */
  async take(id: unknown): Promise<unknown> {
    const at = this.#there.findIndex((message) => Object.is(message.id, id));
    const found =
      at >= 0
        ? this.#there.splice(at, 1)[0]
        : await within(
            answerMs,
            `the answer to ${JSON.stringify(id)}`,
            new Promise((resolve) => {
              this.#waiting = { id, resolve };
            }),
          );
    if (this.#faults.length > 0) throw new Error(this.#faults.splice(0).join("\n"));
    return found;
  }

  /** Sends a message and a ping behind it; the message gets the answer it has coming, if any, and nothing else comes. */
  async settle(sent: string, send: (probe: string) => void): Promise<void> {
    this.#there.length = 0;
    this.#faults.length = 0;
    const probe = `probe ${this.#probes++}`;
    const due = sent.trim() === "" ? ({ answer: "perhaps" } as const) : dueFor(sent);
    send(JSON.stringify({ jsonrpc: "2.0", id: probe, method: "ping" }));
    await this.take(probe);
    if (due.answer === "one") await this.take(Object.is(due.id, -0) ? 0 : due.id);
    if (due.answer !== "perhaps" && this.#there.length > 0) {
      throw new Error(`nobody asked for ${JSON.stringify(this.#there)}`);
    }
  }
}

/** A child process on a busy machine needs seconds to start. */
const answerMs = 20_000;
