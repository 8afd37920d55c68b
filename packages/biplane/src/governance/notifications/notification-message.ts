import type { Approval } from "../approvals/approval.ts";

/** What a target is sent: that a call waits, that it was answered, or a test. */
export type NotificationMessage = RequestedMessage | AnsweredMessage | TestMessage;

interface MessageLinks {
  /** The approval on the page, for people who sign in. Undefined if this server has no page. */
  readonly url?: string | undefined;
  /** All waiting calls on the page. */
  readonly queueUrl?: string | undefined;
  /** Answers without signing in, once. */
  readonly answerUrl?: string | undefined;
}

export interface RequestedMessage extends MessageLinks {
  readonly kind: "requested";
  /** The same for every attempt, so that a receiver can recognize a message that comes twice. */
  readonly id: string;
  readonly approval: Approval;
}

export interface AnsweredMessage extends Omit<MessageLinks, "answerUrl"> {
  readonly kind: "answered";
  readonly id: string;
  readonly approval: Approval;
}

export interface TestMessage {
  readonly kind: "test";
  readonly id: string;
  readonly target: string;
  /** Who asked for the test. */
  readonly by: string;
  readonly at: string;
}

/** The body of a webhook. The same message always gives the same text. */
export function webhookBody(message: NotificationMessage): string {
  switch (message.kind) {
    case "requested":
      return requestedBody(message);
    case "answered":
      return answeredBody(message);
    case "test": {
      const { target, by, at } = message;
      return JSON.stringify({ type: "notification.test", timestamp: at, data: { target, by } });
    }
  }
}

function requestedBody({ approval, url, answerUrl }: RequestedMessage): string {
  const { input, principal, agent, route, askedAt, expiresAt } = approval;
  const isShort = (JSON.stringify(input)?.length ?? 0) <= maxInput;
  return JSON.stringify({
    type: "approval.requested",
    timestamp: askedAt,
    data: {
      ...questionOf(approval),
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

function answeredBody({ approval, url }: AnsweredMessage): string {
  const { principal, agent, askedAt, answeredBy, answeredAt, reason } = approval;
  return JSON.stringify({
    type: "approval.answered",
    timestamp: answeredAt,
    data: {
      ...questionOf(approval),
      caller: principal,
      agent,
      verdict: verdictOf(approval),
      answeredBy,
      answeredAt,
      reason,
      askedAt,
      url,
    },
  });
}

function questionOf({ id, server, tool, question, rules }: Approval) {
  return { id, server, tool, question, rules };
}

/** An approved call may have run or expired since. */
export function verdictOf({ status }: Pick<Approval, "status">): "approved" | "rejected" {
  return status === "rejected" ? "rejected" : "approved";
}

const maxInput = 8000;
