import type { AuditSink } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { personEntry } from "../audit/person-entry.ts";
import type { Approval, ApprovalAnswer } from "../approvals/approval.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Person } from "../people/person.ts";
import { principalOf } from "../people/person.ts";
import type { NotificationRow } from "../../store/tables.ts";
import type { AnswerTokens } from "./answer-token.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import type { NotificationTarget } from "./notification-target.ts";

export interface AnswerLinksOptions {
  readonly queue: DeliveryQueue;
  readonly tokens: AnswerTokens;
  readonly targets: readonly Pick<NotificationTarget, "name" | "hasAnswerLinks" | "person">[];
  readonly approvals: Pick<Approvals, "get" | "answer">;
  /** How long a link works. It also ends when the question expires. */
  readonly lastsMs: number;
  readonly audit?: AuditSink | undefined;
  readonly now?: () => number;
}

/** A link that was opened. */
export interface OpenedLink {
  readonly approval: Approval;
  /** Whose answer it will be. */
  readonly answersAs: string;
  readonly expiresAt: number;
}

/** Who uses a link, for the audit log, and how people are looked up. */
export interface LinkUse {
  readonly address: string;
  readonly findPerson: (name: string) => Promise<Person | undefined>;
}

/**
 * Links that answer one waiting call without signing in: once, for a short time, for this call only. Anyone who has one
 * can use it. So it creates no standing approval, and a link that belongs to no person answers neither calls of people
 * nor calls that need several people.
 */
export class AnswerLinks {
  readonly #options: AnswerLinksOptions;
  readonly #now: () => number;
  /** Links whose second use is in the audit log, so that nobody can fill it with one link. */
  readonly #reported = new Set<string>();

  constructor(options: AnswerLinksOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The token of a message's link. */
  tokenFor(row: Pick<NotificationRow, "id" | "created_at" | "expires_at">): string {
    const expiresAt = Math.min(row.created_at + this.#options.lastsMs, row.expires_at);
    return this.#options.tokens.make({ id: row.id, expiresAt });
  }

  /** Reads the call that a link is for. Does not use up the link. */
  async open(token: string, use: LinkUse): Promise<OpenedLink> {
    const { approval, by, expiresAt } = await this.#find(token, use);
    return { approval, answersAs: by.id, expiresAt };
  }

  /** Answers the call. The link is used up first, so that it answers once even if it is sent twice at the same time. */
  async answer(token: string, answer: ApprovalAnswer, use: LinkUse): Promise<Approval> {
    const { row, approval, by } = await this.#find(token, use);
    if (!(await this.#options.queue.useLink(row.id, this.#now()))) throw await this.#used(row, use);
    const input = { target: row.target, approval: approval.id, address: use.address };
    await this.#options.audit?.record(personEntry("approvals/link", { input, by, time: this.#now() }));
    const once = answer.verdict === "approve" ? { ...answer, scope: { kind: "once" as const } } : answer;
    const [answered] = await this.#options.approvals.answer([keyOf(row)], once, by);
    return answered ?? approval;
  }

  async #find(token: string, use: LinkUse): Promise<FoundLink> {
    const { queue, tokens, targets, approvals } = this.#options;
    const claims = tokens.read(token);
    const row = claims && (await queue.get(claims.id));
    const target = row && targets.find(({ name }) => name === row.target);
    if (!claims || !row || !target?.hasAnswerLinks)
      throw new BiplaneError(
        "NOT_FOUND",
        "This link is not valid. Check that you copied all of it, or sign in to answer the call.",
      );
    if (row.link_used_at !== null) throw await this.#used(row, use);
    if (claims.expiresAt <= this.#now())
      throw new BiplaneError("FORBIDDEN", "This link has expired. Sign in to answer the call.");
    const approval = await approvals.get(keyOf(row));
    if (approval?.status !== "waiting")
      throw new BiplaneError("CONFLICT", `This call is no longer waiting: it is ${approval?.status ?? "deleted"}.`);
    const by = await this.#answererOf(target, approval, use);
    return { row, approval, by, expiresAt: claims.expiresAt };
  }

  async #answererOf(
    { name, person }: Pick<NotificationTarget, "name" | "person">,
    { principal, approvers = 1 }: Approval,
    { findPerson }: LinkUse,
  ): Promise<Principal> {
    if (person !== undefined) {
      const found = await findPerson(person);
      if (found && principal.kind === "person" && principal.id === found.name)
        throw new BiplaneError("FORBIDDEN", "This is your own call. Another person must answer it.");
      if (found && (found.scopes.includes("*") || found.scopes.includes("approvals"))) return principalOf(found);
      throw new BiplaneError("FORBIDDEN", `This link belongs to ${person}, who may no longer answer calls.`);
    }
    if (approvers > 1)
      throw new BiplaneError("FORBIDDEN", `This call needs ${approvers} approvers. Sign in to approve it.`);
    if (principal.kind === "person")
      throw new BiplaneError(
        "FORBIDDEN",
        "A person made this call, and another person must answer it. Sign in to answer.",
      );
    // Names of people contain no space, so this is nobody's account.
    return { kind: "person", id: `link ${name}`, scopes: [] };
  }

  /** A link that is used again may have been forwarded or stolen, so it is recorded. */
  async #used(row: NotificationRow, { address }: LinkUse): Promise<BiplaneError> {
    if (!this.#reported.has(row.id) && this.#reported.size < maxReported) {
      this.#reported.add(row.id);
      const by: Principal = { kind: "anonymous", id: address, scopes: [] };
      const input = { target: row.target, approval: row.approval, problem: "used again" };
      await this.#options.audit?.record(personEntry("approvals/link", { input, by, time: this.#now() }));
    }
    const when = new Date(row.link_used_at ?? this.#now()).toISOString().slice(0, 16).replace("T", " ");
    return new BiplaneError("CONFLICT", `This link was already used at ${when} UTC. Each link works once.`);
  }
}

const maxReported = 10_000;

interface FoundLink {
  readonly row: NotificationRow;
  readonly approval: Approval;
  readonly by: Principal;
  readonly expiresAt: number;
}

function keyOf({ approval, round }: Pick<NotificationRow, "approval" | "round">): string {
  return `${approval}.${round}`;
}
