import type { Question } from "../../tool/question.ts";
import type { Era } from "../../protocol/protocol.ts";
import type { Params } from "../../protocol/rpc.ts";

/** The MCP request for a question. */
export function questionRequest(question: Question, era: Era): { method: string; params: Params } {
  switch (question.kind) {
    case "form": {
      const { message, schema } = question;
      const mode = era === "modern" ? { mode: "form" } : {};
      return { method: "elicitation/create", params: { ...mode, message, requestedSchema: schema } };
    }
    case "link": {
      const { message, url, elicitationId = crypto.randomUUID() } = question;
      return { method: "elicitation/create", params: { mode: "url", message, url, elicitationId } };
    }
    case "sample":
      return { method: "sampling/createMessage", params: question.request };
    case "roots":
      return { method: "roots/list", params: {} };
  }
}
