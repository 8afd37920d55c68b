import type { Call } from "../../tool/call.ts";

/** As much of the queue as is needed to look at it: there is nothing here to answer with. */
export interface ApprovalQueue {
  list(filter: { readonly principal: string; readonly limit: number }): Promise<readonly QueuedApproval[]>;
}

/** A call in the queue, as far as its caller is told. */
export interface QueuedApproval {
  readonly id: string;
  readonly status: "waiting" | "approved" | "used" | "rejected" | "expired";
  readonly server: string;
  readonly tool: string;
  readonly question: string;
  readonly input: unknown;
  readonly principal: { readonly kind: string; readonly id: string };
  readonly episode: string | undefined;
  readonly askedAt: string;
  readonly expiresAt: string;
  readonly reason?: string;
}

export interface OwnApproval extends Omit<QueuedApproval, "principal" | "episode" | "server"> {
  /** Where a person decides about it. */
  readonly link?: string;
}

export interface ApprovalsPackOptions {
  readonly approvals: ApprovalQueue;
  /** Only calls of the server of this name; left out, those of every server that has this queue. */
  readonly server?: string;
  /** Where people find their page, such as `https://tools.example.com`; a function where that is known only later. */
  readonly publicUrl?: string | (() => string | undefined);
}

/** The caller's own calls, the newest first: nobody else's, and of no other episode. */
export async function ownApprovals(options: ApprovalsPackOptions, call: Call): Promise<OwnApproval[]> {
  const { principal, episode } = call;
  const all = await options.approvals.list({ principal: principal.id, limit: most });
  const base = baseOf(options.publicUrl);
  return all
    .filter((each) => each.principal.kind === principal.kind && each.principal.id === principal.id)
    .filter((each) => each.episode === episode && (options.server === undefined || each.server === options.server))
    .map(({ id, status, tool, question, input, askedAt, expiresAt, reason }) => ({
      id,
      status,
      tool,
      question,
      input,
      askedAt,
      expiresAt,
      ...(reason !== undefined && { reason }),
      ...(base !== undefined && status === "waiting" && { link: `${base}/#/approvals/${id}` }),
    }));
}

const most = 100;

function baseOf(url: ApprovalsPackOptions["publicUrl"]): string | undefined {
  return (typeof url === "function" ? url() : url)?.replace(/\/+$/, "");
}
