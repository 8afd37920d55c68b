import type { ApprovalRequest, Approved } from "../../call/approve.ts";
import { BiplaneError } from "../../errors.ts";
import { form } from "../../tool/question.ts";

/** Puts the question to the user of the client that calls: for desktop hosts whose user is the operator too. */
export async function approvedByCaller({ call, input, asked }: ApprovalRequest): Promise<Approved> {
  const message = `${asked.question}\n\n${call.tool} ${JSON.stringify(input, undefined, 2)}`;
  const question = form(message.slice(0, 10_000), { type: "object", properties: {} });
  const { [key]: answer } = await call.askCaller({ [key]: question });
  if (answer?.action === "accept") return { by: `the user of ${call.agent.agentId}`, waited: true };
  throw new BiplaneError("APPROVAL_REJECTED", "The user did not approve the call");
}

const key = "dev.biplane/approval";
