import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { AppToolResult } from "../bridge/content.ts";
import { methods } from "../bridge/methods.ts";

/** Sends the messages about a tool call in their fixed order: partial inputs, the input, then result or cancellation. */
export class ToolMessages {
  readonly #notify: (method: string, params: object) => void;
  #state: "pending" | "running" | "ended" = "pending";

  constructor(notify: (method: string, params: object) => void) {
    this.#notify = notify;
  }

  partialInput(input: Params): void {
    if (this.#state !== "pending") throw late("partialInput()", "input()");
    this.#notify(methods.toolInputPartial, { arguments: input });
  }

  input(input: Params): void {
    if (this.#state !== "pending") throw late("input()", "input()");
    this.#state = "running";
    this.#notify(methods.toolInput, { arguments: input });
  }

  result(result: AppToolResult): void {
    if (this.#state === "pending")
      throw new BiplaneError("INVALID_INPUT", "An app gets the input before the result. Call input() first.");
    if (this.#state === "ended") throw late("result()", "result() or cancelled()");
    this.#state = "ended";
    this.#notify(methods.toolResult, result);
  }

  cancelled(reason: string | undefined): void {
    if (this.#state === "ended") throw late("cancelled()", "result() or cancelled()");
    this.#state = "ended";
    this.#notify(methods.toolCancelled, reason === undefined ? {} : { reason });
  }
}

function late(what: string, after: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `${what} was called after ${after}.`);
}
