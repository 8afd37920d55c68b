import type { AnsweredMessage, NotificationMessage, RequestedMessage, TestMessage } from "./notification-message.ts";
import { verdictOf } from "./notification-message.ts";

/**
 * The text of a chat message about one call, or about many at once. What an agent wrote has no links of its own, so that
 * it cannot imitate ours.
 */
export function chatText(messages: readonly NotificationMessage[]): string {
  const [only] = messages;
  if (only && messages.length === 1) return oneText(only);
  const requested = messages.filter((message) => message.kind === "requested");
  const answered = messages.filter((message) => message.kind === "answered");
  return [...waitingLines(requested), ...answeredLines(answered)].join("\n");
}

function oneText(message: NotificationMessage): string {
  switch (message.kind) {
    case "requested":
      return requestedText(message);
    case "answered":
      return answeredText(message);
    case "test":
      return testText(message);
  }
}

function requestedText(message: RequestedMessage): string {
  const { tool, server, question, principal, agent, expiresAt, approvers = 1 } = message.approval;
  const claimed = agent.agentId === "unknown" ? "" : `, agent ${withoutLinks(agent.agentId, 80)}`;
  const people = approvers > 1 ? `, needs ${approvers} people` : "";
  return [
    `Approval needed: ${withoutLinks(tool, 128)} on ${withoutLinks(server, 128)}`,
    withoutLinks(question, 500),
    `From ${principal.kind} ${withoutLinks(principal.id, 80)}${claimed}`,
    `Expires ${expiresAt.slice(0, 16).replace("T", " ")} UTC${people}`,
    howToAnswer(message),
  ].join("\n");
}

function answeredText({ approval }: AnsweredMessage): string {
  const { tool, server, question, answeredBy = "unknown", reason } = approval;
  const verdict = verdictOf(approval) === "approved" ? "Approved" : "Rejected";
  return [
    `${verdict} by ${withoutLinks(answeredBy, 128)}: ${withoutLinks(tool, 128)} on ${withoutLinks(server, 128)}`,
    withoutLinks(question, 500),
    ...(reason === undefined ? [] : [withoutLinks(reason, 500)]),
  ].join("\n");
}

function testText({ target, by }: TestMessage): string {
  return `Test message from Biplane to ${withoutLinks(target, 64)}, sent by ${withoutLinks(by, 80)}. Nothing is waiting.`;
}

function waitingLines(messages: readonly RequestedMessage[]): readonly string[] {
  const [first] = messages;
  if (!first) return [];
  const shown = messages.slice(0, maxListed).map((message) => {
    const { tool, question } = message.approval;
    const answer = message.answerUrl === undefined ? "" : ` Answer: ${message.answerUrl}`;
    return `- ${withoutLinks(tool, 80)}: ${withoutLinks(question, 160)}${answer}`;
  });
  const left = messages.length - shown.length;
  const where = first.queueUrl === undefined ? "List them with: biplane approvals list" : `All: ${first.queueUrl}`;
  return [
    messages.length === 1 ? "1 call waits for approval:" : `${messages.length} calls wait for approval:`,
    ...shown,
    ...(left > 0 ? [`and ${left} more`] : []),
    where,
  ];
}

function answeredLines(messages: readonly AnsweredMessage[]): readonly string[] {
  if (messages.length === 0) return [];
  const approved = messages.filter(({ approval }) => verdictOf(approval) === "approved").length;
  const calls = messages.length === 1 ? "1 call was" : `${messages.length} calls were`;
  return [`${calls} answered: ${approved} approved, ${messages.length - approved} rejected.`];
}

function howToAnswer({ approval, url, answerUrl }: RequestedMessage): string {
  if (answerUrl !== undefined) return `Answer: ${answerUrl}`;
  return url === undefined ? `Answer with: biplane approvals approve ${approval.id}` : `Sign in to answer: ${url}`;
}

/** One line of at most so many characters, in which chat programs find neither a link nor markup. */
function withoutLinks(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .replaceAll(/:\/\//g, "[:]//")
    .replaceAll(/(?<=[\p{L}\p{N}-])\.(?=\p{L}{2})/gu, "[.]")
    .replaceAll(/\]\(/g, "] (")
    .replaceAll(/@(?=\S)/g, "@ ");
  return line.length < text.trim().length && text.trim().length > maxLength ? `${line}…` : line;
}

/** How many calls a message about many lists. */
const maxListed = 5;
