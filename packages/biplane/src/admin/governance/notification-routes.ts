import type { ApprovalStatus } from "@biplane/core/internal";
import { approvalStatus } from "../../governance/approvals/approval-rows.ts";
import type { AnswerLinks, LinkUse } from "../../governance/notifications/answer-links.ts";
import type { DeliveryQueue, ListedNotification } from "../../governance/notifications/delivery-queue.ts";
import type { NotificationTarget } from "../../governance/notifications/notification-target.ts";
import type { People } from "../../governance/people/people.ts";
import type { AuditSink } from "@biplane/core/internal";
import { personEntry } from "../../governance/audit/person-entry.ts";
import { TargetTester } from "../../governance/notifications/target-tester.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { notificationOperations } from "./notification-api.ts";
import type { NotificationDelivery } from "./notification-api.ts";

export interface NotificationRouteParts {
  readonly queue: DeliveryQueue;
  readonly targets: readonly NotificationTarget[];
  readonly links: AnswerLinks;
}

/** Messages about waiting calls, and the links in them. */
export function notificationRoutes(
  { queue, targets, links }: NotificationRouteParts,
  { people, audit }: { readonly people: People; readonly audit?: AuditSink | undefined },
): ApiRoutes {
  const tester = new TargetTester(targets);
  const use = (address: string): LinkUse => ({ address, findPerson: (name) => people.find(name) });
  return routesOf(notificationOperations, {
    "GET /api/notifications": async () => ({
      targets: targets.map(({ name, kind, address, hasAnswerLinks, person = null }) => ({
        name,
        kind,
        address,
        hasAnswerLinks,
        person,
      })),
      deliveries: (await queue.list(100)).map((row) => deliveryFrom(row, Date.now())),
    }),
    "POST /api/notifications/:name/test": async ({ parameters: { name }, by }) => {
      const unknown = `There is no notification target named ${JSON.stringify(name.slice(0, 64))}.`;
      const result = mustExist(await tester.test(name, by), unknown);
      const input = { target: name, status: result.status };
      await audit?.record(personEntry("notifications/test", { input, by, time: Date.now() }));
      return result;
    },
    "POST /api/answer-links/open": async ({ body, request }) => {
      const { approval, answersAs, expiresAt } = await links.open(body.token, use(request.address));
      const { question, server, tool, input, principal, agent, route, askedAt, rules, subject, approvers } = approval;
      return {
        question,
        server,
        tool,
        input,
        principal,
        agent,
        route,
        askedAt,
        expiresAt: new Date(expiresAt).toISOString(),
        answersAs,
        ...(rules && { rules: [...rules] }),
        ...(subject !== undefined && { subject }),
        ...(approvers !== undefined && { approvers }),
      };
    },
    "POST /api/answer-links/answer": async ({ body: { token, verdict, comment = "" }, request }) => {
      const reason = comment.trim() === "" ? "Rejected without a reason." : comment;
      const answer = verdict === "approve" ? { verdict, comment } : { verdict, reason };
      const { status } = await links.answer(token, answer, use(request.address));
      return { status };
    },
  });
}

function deliveryFrom(row: ListedNotification, now: number): NotificationDelivery {
  const { id, kind, approval, tool, question, preview, target, attempts, error } = row;
  const found = statusOfCall(row, now);
  // The next attempt drops the message.
  const isOutdated = kind === "requested" && row.status === "waiting" && found !== null && found !== "waiting";
  const status = isOutdated ? "dropped" : row.status;
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id,
    kind,
    approval,
    approvalStatus: found,
    tool,
    question,
    preview,
    target,
    status,
    attempts,
    createdAt: new Date(row.created_at).toISOString(),
    nextAt: status === "waiting" ? at(row.next_at) : null,
    sentAt: at(row.sent_at),
    error,
    linkUsedAt: at(row.link_used_at),
  };
}

function statusOfCall(row: ListedNotification, now: number): ApprovalStatus | null {
  const { approval_status: status, approval_expires_at: expires_at } = row;
  return status === null || expires_at === null ? null : approvalStatus({ status, expires_at }, now);
}
