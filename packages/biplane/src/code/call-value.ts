import type { Outcome } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Tool } from "@biplane/core";
import { isReply } from "@biplane/core/internal";
import { unwrap } from "./returns.ts";

/** The value that code receives for a call: data, not text to parse. Throws if the call failed. */
export function callValue(outcome: Outcome, called: { name: string; tool: Tool | undefined }): unknown {
  switch (outcome.status) {
    case "failed":
      throw outcome.error;
    case "suspended":
      throw new BiplaneError(
        "NOT_SUPPORTED",
        `${called.name} asks the user a question, which code cannot answer. Call the tool directly.`,
      );
    case "done": {
      const { value, content } = outcome;
      const data = isReply(value) ? value.structured : value;
      if (data !== undefined || !isReply(value)) return called.tool ? unwrap(data, called.tool) : data;
      const [first] = content;
      return content.length === 1 && first?.type === "text" ? first.text : content;
    }
  }
}
