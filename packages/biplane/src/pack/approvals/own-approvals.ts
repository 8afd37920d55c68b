import type { Call, Principal } from "@biplane/core";
import type { ApprovalStatus } from "@biplane/core/internal";

/** Read-only access to the approval queue. */
export interface ApprovalQueue {
  /** The newest calls of one caller. */
  ofCaller(principal: Pick<Principal, "kind" | "id">, limit: number): Promise<readonly QueuedApproval[]>;
}

/** A queued call, as its caller sees it. */
export interface QueuedApproval {
  readonly id: string;
  readonly status: ApprovalStatus;
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
  /** URL where a person decides. */
  readonly link?: string;
}

export interface ApprovalsPackOptions {
  readonly approvals: ApprovalQueue;
  /** Only calls of this server (default: all servers that share the queue). */
  readonly server?: string;
  /** Base URL of the admin page, such as `https://tools.example.com`. A function if it is known only later. */
  readonly publicUrl?: string | (() => string | undefined);
}

/** The caller's own calls in this episode, newest first. */
export async function ownApprovals(options: ApprovalsPackOptions, call: Call): Promise<OwnApproval[]> {
  const { principal, episode } = call;
  const all = await options.approvals.ofCaller(principal, maxListed);
  const base = baseOf(options.publicUrl);
  let length = 0;
  return all
    .filter((each) => each.episode === episode && (options.server === undefined || each.server === options.server))
    .filter(({ input }) => (length += JSON.stringify(input)?.length ?? 0) <= maxLength)
    .map(({ id, status, tool, question, input, askedAt, expiresAt, reason }) => ({
      id,
      status,
      tool,
      question,
      input,
      askedAt,
      expiresAt,
      // A comment on an approval is for people.
      ...(reason !== undefined && status === "rejected" && { reason }),
      ...(base !== undefined && status === "waiting" && { link: `${base}/#/approvals/${id}` }),
    }));
}

const maxListed = 100;
/** Characters of inputs. One input has up to 100,000. */
const maxLength = 500_000;

function baseOf(url: ApprovalsPackOptions["publicUrl"]): string | undefined {
  return (typeof url === "function" ? url() : url)?.replace(/\/+$/, "");
}
