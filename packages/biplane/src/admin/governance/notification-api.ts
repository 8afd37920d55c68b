import { approvalStatuses } from "@biplane/core/internal";
import type { ValueOf } from "@biplane/core/internal";
import {
  anything,
  boolean,
  described,
  enumOf,
  integer,
  list,
  named,
  object,
  orNull,
  text,
  time,
} from "../../schema/builders.ts";
import { agent, caller, route } from "../calls/call-api.ts";
import type { Operations } from "../http/operation.ts";

const token = { type: "string", maxLength: 200 } as const;

const NotificationDelivery = named(
  "NotificationDelivery",
  object({
    id: text,
    kind: described("Whether it says that a call waits, or that it was answered", enumOf("requested", "answered")),
    approval: text,
    approvalStatus: described("What became of the call; null if it is not stored", orNull(enumOf(...approvalStatuses))),
    tool: orNull(text),
    question: orNull(text),
    preview: described("The beginning of the input of the call, as JSON; null if it is not stored", orNull(text)),
    target: text,
    status: described(
      "`dropped` if the call was answered or expired before the message was sent",
      enumOf("waiting", "sent", "failed", "dropped"),
    ),
    attempts: integer,
    createdAt: time,
    nextAt: described("When it is tried again, if it waits", orNull(time)),
    sentAt: orNull(time),
    error: described("Why the last attempt failed", orNull(text)),
    linkUsedAt: orNull(time),
  }),
);
export type NotificationDelivery = ValueOf<typeof NotificationDelivery>;

const LinkedApproval = named(
  "LinkedApproval",
  object(
    {
      question: text,
      server: text,
      tool: text,
      input: anything,
      principal: caller,
      agent,
      route,
      askedAt: time,
      expiresAt: described("When the link expires", time),
      answersAs: described("Whose answer it will be", text),
    },
    { rules: list(text), subject: anything, approvers: integer },
  ),
);
export type LinkedApproval = ValueOf<typeof LinkedApproval>;

/** Messages about waiting calls, and the links in them. */
export const notificationOperations = {
  "GET /api/notifications": {
    scope: "approvals",
    summary: "notification targets and the last messages",
    response: object({
      targets: list(object({ name: text, kind: text, address: text, hasAnswerLinks: boolean, person: orNull(text) })),
      deliveries: list(NotificationDelivery),
    }),
  },
  "POST /api/notifications/:name/test": {
    scope: "approvals",
    summary: "send a test message to a notification target now",
    response: object({
      status: enumOf("sent", "failed"),
      error: described("Why it could not be sent", orNull(text)),
    }),
    errors: { 404: "There is no such target", 429: "A test was sent to it a moment ago" },
  },
  // Both need the token of a link. GET would put it into logs, and link previews could answer.
  "POST /api/answer-links/open": {
    scope: "anyone",
    summary: "the waiting call of an answer link",
    body: object({ token }),
    response: LinkedApproval,
    errors: {
      403: "The link has expired",
      404: "The link is not valid",
      409: "The link was used, or the call answered",
    },
  },
  "POST /api/answer-links/answer": {
    scope: "anyone",
    summary: "answer the call of a link, which then stops working",
    body: object(
      { token, verdict: enumOf("approve", "reject") },
      { comment: described("Of a rejection, the caller gets it", { type: "string", maxLength: 1000 }) },
    ),
    response: object({ status: text }),
    errors: {
      403: "The link has expired",
      404: "The link is not valid",
      409: "The link was used, or the call answered",
    },
  },
} as const satisfies Operations;
