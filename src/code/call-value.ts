import type { Outcome } from "../call/outcome.ts";
import { BiplaneError } from "../errors.ts";
import { isReply } from "../tool/content.ts";

/** What a call gives to code: a value and not text to parse. Throws where the call failed. */
export function callValue(tool: string, outcome: Outcome): unknown {
  switch (outcome.status) {
    case "failed":
      throw outcome.error;
    case "suspended":
      throw new BiplaneError("NOT_SUPPORTED", `${tool} asks questions, which code cannot answer`);
    case "done": {
      const { value, content } = outcome;
      if (!isReply(value)) return value;
      if (value.structured !== undefined) return value.structured;
      const [first] = content;
      return content.length === 1 && first?.type === "text" ? first.text : content;
    }
  }
}
