import type { NotificationMessage } from "./notification-message.ts";

/** Where people are notified: a webhook, or a chat. */
export interface NotificationTarget {
  readonly name: string;
  readonly kind: "webhook" | "slack" | "discord" | "telegram" | "local";
  /** Where it leads, without credentials, for display. */
  readonly address: string;
  /** Changes when the target leads elsewhere. */
  readonly fingerprint: string;
  /** True if its messages have a link that answers the call without signing in. */
  readonly hasAnswerLinks: boolean;
  /** The person who gets the messages. Answers by link count as this person's. */
  readonly person?: string | undefined;
  /** Least time between two messages of a process, in milliseconds. */
  readonly pauseMs: number;
  /** True if messages that are due together are sent as one. */
  readonly isGrouped: boolean;
  /** Sends one message, or one about all of these if the target is grouped. */
  send(messages: readonly NotificationMessage[], signal: AbortSignal): Promise<SendResult>;
}

export type SendResult =
  | { readonly status: "sent" }
  /** Worth another attempt, after `afterMs` at the earliest. */
  | { readonly status: "retry"; readonly reason: string; readonly afterMs?: number | undefined }
  /** `isGone`: the target wants no more messages. */
  | { readonly status: "failed"; readonly reason: string; readonly isGone?: boolean };
