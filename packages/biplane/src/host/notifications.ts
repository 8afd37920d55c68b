import { createHash } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Config } from "../config/config-schema.ts";
import { AnswerLinks } from "../governance/notifications/answer-links.ts";
import { AnswerTokens } from "../governance/notifications/answer-token.ts";
import { chatText } from "../governance/notifications/chat-text.ts";
import { webhookBody } from "../governance/notifications/notification-message.ts";
import type { DeliveryQueue } from "../governance/notifications/delivery-queue.ts";
import type { NotificationTarget, SendResult } from "../governance/notifications/notification-target.ts";
import { Notifier } from "../governance/notifications/notifier.ts";
import { webhookHeaders, webhookKey } from "../governance/notifications/webhook-signature.ts";
import type { Approvals } from "../governance/approvals/approvals.ts";
import type { Audit } from "../governance/audit/audit.ts";
import type { Logger } from "../observe/logs.ts";
import type { ChatOptions } from "../pack/chat/options.ts";
import type { NetworkGuard } from "../pack/shared/net/network-guard.ts";
import { retryAfterMs } from "../pack/shared/net/retry-after.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { version } from "./version.ts";

/** What is sent about waiting calls, and the links in it. */
export interface Notifications {
  readonly queue: DeliveryQueue;
  readonly targets: readonly NotificationTarget[];
  readonly links: AnswerLinks;
}

export interface NotificationsOptions {
  readonly config: Config;
  readonly store: SqlStore;
  readonly queue: DeliveryQueue;
  readonly approvals: Approvals;
  readonly audit: Audit | undefined;
  /** Signs the links. Every process on the same store has the same one. */
  readonly linkKey: string;
}

/** The names of all targets of a config. */
export function targetNames({ notifications: { webhooks, chat } }: Pick<Config, "notifications">): string[] {
  return [...webhooks, ...chat].map(({ name }) => name);
}

export async function openNotifications(options: NotificationsOptions): Promise<Notifications> {
  const { config, queue, approvals, audit, linkKey } = options;
  const targets = [...(await webhookTargets(config)), ...(await chatTargets(config))];
  const links = new AnswerLinks({
    queue,
    tokens: new AnswerTokens(linkKey),
    targets,
    approvals,
    lastsMs: config.notifications.linkMinutes * 60_000,
    audit,
  });
  return { queue, targets, links };
}

/** Starts sending, once the address of the page is known. */
export function startNotifier(
  { queue, targets, links }: Notifications,
  { store, approvals, url, log }: NotifierParts,
): Notifier {
  const page = url?.replace(/\/$/, "");
  return new Notifier({
    store,
    queue,
    targets,
    approvals,
    linksOf: (row, { hasAnswerLinks }) => {
      if (page === undefined) return {};
      const shown = { url: `${page}/#/approvals/${row.approval}`, queueUrl: `${page}/#/approvals` };
      // In the fragment, which browsers and link previews do not send to any server.
      return hasAnswerLinks ? { ...shown, answerUrl: `${page}/#/answer/${links.tokenFor(row)}` } : shown;
    },
    onFault: (fault) => log.error("Sending notifications failed", { error: fault }),
  });
}

export interface NotifierParts extends Pick<NotificationsOptions, "store" | "approvals"> {
  /** Of the page. Undefined over stdio without a public URL. */
  readonly url: string | undefined;
  readonly log: Logger;
}

async function webhookTargets({ notifications }: Config): Promise<NotificationTarget[]> {
  const { webhooks, allow } = notifications;
  if (webhooks.length === 0) return [];
  const { createNetworkGuard } = await import("../pack/shared/net/network-guard.ts");
  const guard = createNetworkGuard({ allow, userAgent: `Biplane/${version}` });
  return webhooks.map(({ name, url, secret, previousSecret, answerLinks, person }): NotificationTarget => {
    const keys = [secret, ...(previousSecret === undefined ? [] : [previousSecret])].map(webhookKey);
    return {
      name,
      kind: "webhook",
      address: new URL(url).origin,
      fingerprint: createHash("sha256").update(url).digest("hex"),
      hasAnswerLinks: answerLinks,
      person,
      pauseMs: 100,
      isGrouped: false,
      send: async ([message], signal) => {
        if (!message) return { status: "sent" };
        const body = webhookBody(message);
        const timestamp = Math.floor(Date.now() / 1000);
        return post(guard, { url, body, headers: webhookHeaders({ id: message.id, timestamp, body }, keys), signal });
      },
    };
  });
}

interface WebhookPost {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A redirect could lead anywhere, so none is followed. */
async function post(guard: NetworkGuard, { url, body, headers, signal }: WebhookPost): Promise<SendResult> {
  try {
    const { status, headers: answer } = await guard.fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal,
      timeoutMs: 20_000,
      maxRedirects: 0,
    });
    if (status >= 200 && status < 300) return { status: "sent" };
    const reason = `The webhook answered ${status}.`;
    if (status === 410) return { status: "failed", reason, isGone: true };
    return { status: "retry", reason, afterMs: retryAfterMs(answer["retry-after"], Date.now()) };
  } catch (error) {
    const isForbidden = error instanceof BiplaneError && error.code === "POLICY_DENIED";
    return { status: isForbidden ? "failed" : "retry", reason: messageOf(error) };
  }
}

async function chatTargets({ notifications, packs }: Config): Promise<NotificationTarget[]> {
  const { chat } = notifications;
  if (chat.length === 0) return [];
  const { openChatSender } = await import("../pack/chat/chat-sender.ts");
  const sender = openChatSender(packs["chat"] as ChatOptions);
  return chat.map(({ name, provider, target, answerLinks, person }): NotificationTarget => ({
    name,
    kind: provider,
    address: target,
    fingerprint: `${provider} ${target}`,
    hasAnswerLinks: answerLinks,
    person,
    pauseMs: 5000,
    isGrouped: true,
    send: async (messages, signal) => {
      try {
        await sender.send({ provider, target, message: chatText(messages) }, signal);
        return { status: "sent" };
      } catch (error) {
        return chatFailure(error);
      }
    },
  }));
}

/** A wrong token or target stays wrong; everything else may pass. */
function chatFailure(error: unknown): SendResult {
  const reason = messageOf(error);
  const { status, retryAfterMs: afterMs } = (error instanceof BiplaneError ? (error.details ?? {}) : {}) as {
    readonly status?: number;
    readonly retryAfterMs?: number;
  };
  const isWrong = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isWrong ? { status: "failed", reason } : { status: "retry", reason, afterMs };
}
