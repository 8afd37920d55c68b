import type { ApprovalRequest, Approved } from "../../call/approve.ts";
import { BiplaneError } from "../../errors.ts";
import { form } from "../../tool/question.ts";
import { shownInput } from "./shown-input.ts";

/**
 * Puts the question to the user of the client that calls: for desktop hosts whose user is the operator too. Undefined
 * where it does not fit into a dialog: whoever would see only its beginning cannot answer it.
 */
export function approvedByCaller(request: ApprovalRequest): Promise<Approved> | undefined {
  const { call, input, asked } = request;
  const shown = shownInput(call.redactor ? call.redactor.value(input) : input);
  const message = visible(`${asked.question}\n\n${call.tool} ${JSON.stringify(shown, undefined, 2)}`);
  return message.length <= longestMessage ? answerOf(request, message) : undefined;
}

async function answerOf({ call, hash }: ApprovalRequest, message: string): Promise<Approved> {
  // Under a name of its own: an answer that comes with a later attempt is for what was shown, and for nothing else.
  const key = `dev.biplane/approval/${hash}`;
  const { [key]: answer } = await call.askCaller({ [key]: form(message, { type: "object", properties: {} }) });
  if (answer?.action === "accept") return { by: `the user of ${call.agent.agentId}`, waited: true };
  throw new BiplaneError("APPROVAL_REJECTED", "The user did not approve the call");
}

const longestMessage = 10_000;

/** What is not seen, or turns the text around it, is spelled out. */
function visible(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n]|[\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu,
    (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`,
  );
}
