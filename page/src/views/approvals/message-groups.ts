import type { ApiResponse } from "../../api.ts";

export type Delivery = ApiResponse<"GET /api/notifications">["deliveries"][number];

/** The messages about one question: that a call waits, and what was answered. */
export interface MessageGroup {
  readonly key: string;
  readonly approval: string;
  readonly about: string;
  /** The beginning of the input, as JSON. */
  readonly preview: string | null;
  readonly requestedAt: string;
  /** `unused` if a person approved the call, but the caller did not retry in time. */
  readonly ending: "expired" | "unused" | undefined;
  /** By target, then by time. */
  readonly messages: readonly Delivery[];
}

/** The messages by question, newest question first. A call that is asked about again keeps its id, but is a new row. */
export function groupsOf(deliveries: readonly Delivery[]): readonly MessageGroup[] {
  const oldestFirst = deliveries.toSorted((one, other) => compare(one.createdAt, other.createdAt));
  const questions = new Map<string, Delivery[][]>();
  for (const delivery of oldestFirst) {
    const own = questions.get(delivery.approval) ?? [];
    questions.set(delivery.approval, own);
    const last = own.at(-1);
    if (!last || isAskedAgain(delivery, last)) own.push([delivery]);
    else last.push(delivery);
  }
  const groups = Array.from(questions, ([approval, own]) =>
    own.map((messages, at): MessageGroup => {
      const { question, tool, preview = null, createdAt: requestedAt = "", approvalStatus } = messages[0] ?? {};
      return {
        key: `${approval} ${at}`,
        approval,
        about: question ?? tool ?? approval,
        preview,
        requestedAt,
        // The status is that of the last question.
        ending: approvalStatus !== "expired" || at < own.length - 1 ? undefined : endingOf(messages),
        messages: messages.toSorted(
          (one, other) => compare(one.target, other.target) || compare(one.createdAt, other.createdAt),
        ),
      };
    }),
  );
  return groups.flat().toSorted((one, other) => compare(other.requestedAt, one.requestedAt));
}

/** What was rejected or ran does not expire any more. */
function endingOf(messages: readonly Delivery[]): "expired" | "unused" {
  return messages.some(({ kind }) => kind === "answered") ? "unused" : "expired";
}

/** True if a target gets a second message that the call waits. */
function isAskedAgain({ kind, target }: Delivery, earlier: readonly Delivery[]): boolean {
  return kind === "requested" && earlier.some((each) => each.kind === kind && each.target === target);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type Label = "waiting" | "retrying" | "failed" | "sent" | "not sent" | "not needed";

export function labelOf({ status, error, approvalStatus }: Delivery): Label {
  if (status === "waiting" && error !== null) return "retrying";
  if (status !== "dropped") return status;
  return approvalStatus === "expired" ? "not sent" : "not needed";
}

/** The message of each target that tells most: one that failed before one that was sent. */
export function worstByTarget(messages: readonly Delivery[]): readonly Delivery[] {
  const worst = new Map<string, Delivery>();
  for (const message of messages) {
    const other = worst.get(message.target);
    if (!other || severities.indexOf(labelOf(message)) >= severities.indexOf(labelOf(other)))
      worst.set(message.target, message);
  }
  return [...worst.values()];
}

const severities: readonly Label[] = ["not needed", "sent", "not sent", "waiting", "retrying", "failed"];

/** Since when a target takes no message, and why. Undefined if it took the last one. */
export function failureOf(
  name: string,
  deliveries: readonly Delivery[],
): { readonly since: string; readonly reason: string } | undefined {
  const own = deliveries.filter(({ target }) => target === name);
  const lastSent = own.reduce((latest, { sentAt }) => (sentAt !== null && sentAt > latest ? sentAt : latest), "");
  const failed = own
    .filter((delivery) => delivery.createdAt > lastSent && isFailing(delivery))
    .toSorted((one, other) => compare(one.createdAt, other.createdAt));
  const [first] = failed;
  return first && { since: first.createdAt, reason: shortReason(failed.at(-1)?.error ?? "") };
}

/** True if the last attempt failed, also if there will be another one. */
export function isFailing({ status, error }: Delivery): boolean {
  return status === "failed" || (status === "waiting" && error !== null);
}

/** `HTTP 503` for an answer with that status, otherwise the reason itself. */
export function shortReason(error: string): string {
  return error.replace(/^The webhook answered (\d{3})\.?$/, "HTTP $1").replace(/\.$/, "");
}

export const titles: { readonly [Each in Label]: string } = {
  waiting: "Not sent yet",
  retrying: "The last attempt failed, and there will be another one",
  sent: "The target took the message",
  failed: "The target did not take the message",
  "not sent": "Not sent, because the call expired before",
  "not needed": "Not sent, because the call was answered before",
};
