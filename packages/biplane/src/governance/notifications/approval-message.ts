import type { Approval } from "../approvals/approval.ts";

/** What a target is sent about a call that waits. */
export interface ApprovalMessage {
  /** The same for every attempt, so that a receiver can recognize a message that comes twice. */
  readonly id: string;
  readonly approval: Approval;
  /** The approval on the page, for people who sign in. Undefined if this server has no page. */
  readonly url?: string | undefined;
  /** Answers without signing in, once. */
  readonly answerUrl?: string | undefined;
}

/** The body of a webhook. The same message always gives the same text. */
export function webhookBody({ approval, url, answerUrl }: ApprovalMessage): string {
  const { id, server, tool, question, rules, input, principal, agent, route, askedAt, expiresAt } = approval;
  const isShort = (JSON.stringify(input)?.length ?? 0) <= maxInput;
  return JSON.stringify({
    type: "approval.requested",
    timestamp: askedAt,
    data: {
      id,
      server,
      tool,
      question,
      rules,
      ...(isShort ? { input } : { isInputCut: true }),
      caller: principal,
      agent,
      route,
      approvers: approval.approvers ?? 1,
      askedAt,
      expiresAt,
      url,
      answerUrl,
    },
  });
}

/** The text of a chat message. What the agent wrote has no links of its own, so that it cannot imitate ours. */
export function chatText({ approval, url, answerUrl }: ApprovalMessage): string {
  const { tool, server, question, principal, agent, expiresAt, approvers = 1 } = approval;
  const claimed = agent.agentId === "unknown" ? "" : `, agent ${withoutLinks(agent.agentId, 80)}`;
  const people = approvers > 1 ? `, needs ${approvers} people` : "";
  return [
    `Approval needed: ${withoutLinks(tool, 128)} on ${withoutLinks(server, 128)}`,
    withoutLinks(question, 500),
    `From ${principal.kind} ${withoutLinks(principal.id, 80)}${claimed}`,
    `Expires ${expiresAt.slice(0, 16).replace("T", " ")} UTC${people}`,
    howToAnswer({ approval, url, answerUrl }),
  ].join("\n");
}

function howToAnswer({ approval, url, answerUrl }: Omit<ApprovalMessage, "id">): string {
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

const maxInput = 8000;
