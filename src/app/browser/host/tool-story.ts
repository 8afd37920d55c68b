import { BiplaneError } from "../../../errors.ts";
import type { Params } from "../../../protocol/rpc.ts";
import type { ToolResult } from "../bridge/content.ts";
import { methods } from "../bridge/methods.ts";

/**
 * What an app is told of the call it is shown for, in the one order there is: parts of the input, the whole input once,
 * then a result or that there will be none.
 */
export class ToolStory {
  readonly #tell: (method: string, params: object) => void;
  #chapter: "beginning" | "running" | "over" = "beginning";

  constructor(tell: (method: string, params: object) => void) {
    this.#tell = tell;
  }

  partialInput(input: Params): void {
    if (this.#chapter !== "beginning") throw late("a part of the input", "the input");
    this.#tell(methods.toolInputPartial, { arguments: input });
  }

  input(input: Params): void {
    if (this.#chapter !== "beginning") throw late("the input", "the input");
    this.#chapter = "running";
    this.#tell(methods.toolInput, { arguments: input });
  }

  result(result: ToolResult): void {
    if (this.#chapter === "beginning")
      throw new BiplaneError("INVALID_INPUT", "an app gets the input before the result: call input() first");
    if (this.#chapter === "over") throw late("a result", "the end of the call");
    this.#chapter = "over";
    this.#tell(methods.toolResult, result);
  }

  cancelled(reason: string | undefined): void {
    if (this.#chapter === "over") throw late("a cancellation", "the end of the call");
    this.#chapter = "over";
    this.#tell(methods.toolCancelled, reason === undefined ? {} : { reason });
  }
}

function late(what: string, after: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `${what} comes too late: the app has been told ${after} already`);
}
