import type { ApprovalRequest, Approved } from "@biplane/core/internal";
import { subjectHash } from "@biplane/core/internal";
import { BiplaneError, form } from "@biplane/core";
import { shownInput } from "./shown-input.ts";

/**
 * Asks the user of the calling client by elicitation. Use it only if that user is also the operator. Returns undefined
 * if the question is too long for a dialog: a user who sees only its start cannot answer it.
 */
export function approvedByCaller(request: ApprovalRequest): Promise<Approved> | undefined {
  const { call, input, questions } = request;
  const shown = shownInput(call.redactor ? call.redactor.value(input) : input);
  const message = visible(
    `${questions.map(({ question }) => question).join("\n")}\n\n${call.tool} ${JSON.stringify(shown, undefined, 2)}`,
  );
  return message.length <= maxMessageLength ? answerOf(request, message) : undefined;
}

async function answerOf({ call, hash, questions }: ApprovalRequest, message: string): Promise<Approved> {
  // The key names what was shown, so that an answer sent with a later attempt counts for nothing else.
  const key = `dev.biplane/approval/${subjectHash([hash, questions.map(({ rule }) => rule), message])}`;
  const { [key]: answer } = await call.askCaller({ [key]: form(message, { type: "object", properties: {} }) });
  if (answer?.action === "accept") return { by: `the user of ${call.agent.agentId}`, waited: true };
  throw new BiplaneError("APPROVAL_REJECTED", "The user did not approve the call.");
}

const maxMessageLength = 10_000;

/** Escapes characters that are invisible or change text direction. */
function visible(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n]|[\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu,
    (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`,
  );
}
