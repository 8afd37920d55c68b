import { createHash, randomUUID } from "node:crypto";
import type { ApprovalRequest, Approved, Approver, AuditSink } from "@biplane/core/internal";
import { Shares, callerOf, messageOf, subjectHash } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import type { SqlStore } from "../../store/sql-store.ts";
import { personEntry } from "../audit/person-entry.ts";
import type {
  ApprovalAnswer,
  Approval,
  ApprovalFilter,
  Grant,
  GrantSummary,
  ApprovalSubject,
  StandingRejection,
  StandingDecision,
} from "./approval.ts";
import { ApprovalRecords } from "./approval-records.ts";
import type { NumberedDecision, ApprovalOutbox } from "./approval-records.ts";
import type { ApprovalSummary } from "./approval-rows.ts";
import { approvedByCaller } from "./ask-caller.ts";
import { checkedAnswer, mayAnswer, mayLast } from "./check-answer.ts";
import { grantFor, newGrant } from "./grants.ts";
import { shownInput } from "./shown-input.ts";
import { StandingRecords } from "./standing-records.ts";
import { ApprovalWaiters } from "./approval-waiters.ts";

/** The queue of calls that wait for a person. Processes on the same store share it. */
export interface Approvals extends Approver, AsyncDisposable {
  /** Newest first. */
  list(filter?: ApprovalFilter): Promise<readonly Approval[]>;
  /** The newest, without their inputs. */
  newest(limit: number): Promise<readonly ApprovalSummary[]>;
  /** The newest calls of one caller. */
  ofCaller(principal: Pick<Principal, "kind" | "id">, limit: number): Promise<readonly Approval[]>;
  /** Number of waiting calls across all processes. Cheap enough to poll every second. */
  waiting(): Promise<number>;
  /** The newest decisions about calls, of all processes, oldest first. */
  newestAnswers(limit: number): Promise<readonly NumberedDecision[]>;
  get(id: string): Promise<Approval | undefined>;
  /** The most recently approved call of the same tool, for comparison. */
  previous(id: string): Promise<Approval | undefined>;
  /**
   * Answers all of them, provided that all still wait. Throws if `by` made one of the calls. A call that needs several
   * people keeps waiting until enough have approved.
   */
  answer(ids: readonly string[], answer: ApprovalAnswer, by: Principal): Promise<readonly Approval[]>;
  /** Names the person who should answer waiting calls, or nobody. Anybody who may answer still can. */
  assign(ids: readonly string[], assignee: string | null, by: Principal): Promise<readonly Approval[]>;
  /**
   * Decides for every caller about a subject that a policy names, such as a script's bytes. Answers the calls that wait
   * for it.
   */
  decide(subject: ApprovalSubject, verdict: StandingDecision, by: Principal): Promise<void>;
  /** The standing approvals, without their inputs. */
  grants(): Promise<readonly GrantSummary[]>;
  /** One standing approval. */
  grant(id: string): Promise<Grant | undefined>;
  rejections(): Promise<readonly StandingRejection[]>;
  /** Revokes a standing approval. Returns false if there is none. */
  revoke(grantId: string, by: Principal): Promise<boolean>;
  /** Subscribes to changes that this process makes or sees. Returns an unsubscribe function. */
  onChange(listener: (approval: Approval) => void): () => void;
  close(): Promise<void>;
}

export interface ApprovalsOptions {
  readonly store: SqlStore;
  /** Records every answer. */
  readonly audit?: AuditSink;
  /** Also ask the user of the calling client, by elicitation (default: false, only people who sign in here). */
  readonly byCaller?: boolean;
  /** How long questions wait for an answer, and answers for their caller (default: 3,600,000, an hour). */
  readonly expiresMs?: number;
  /** Maximum waiting calls per caller (default: 100). */
  readonly maxWaiting?: number;
  /** Maximum calls of all callers that wait in this process (default: 2,000). Each may hold 100 kB. */
  readonly maxWaitingInAll?: number;
  /** How often to check for answers given in other processes (default: 250). */
  readonly pollMs?: number;
  /** Stores messages about new questions (default: nobody is notified). */
  readonly outbox?: ApprovalOutbox | undefined;
  readonly now?: () => number;
}

/** Opens the approvals in a store. Pass the result to a server as its `approver`. */
export function openApprovals(options: ApprovalsOptions): Approvals {
  return new ApprovalQueue(options);
}

class ApprovalQueue implements Approvals {
  readonly #records: ApprovalRecords;
  readonly #standing: StandingRecords;
  readonly #waiters: ApprovalWaiters;
  readonly #options: ApprovalsOptions;
  readonly #maxWaiting: number;
  readonly #waitingCalls: Shares;
  readonly #now: () => number;
  readonly list: Approvals["list"] = (filter) => this.#records.list(filter);
  readonly newest: Approvals["newest"] = (limit) => this.#records.newest(limit);
  readonly ofCaller: Approvals["ofCaller"] = (principal, limit) => this.#records.ofCaller(principal, limit);
  readonly waiting: Approvals["waiting"] = () => this.#records.waiting();
  readonly newestAnswers: Approvals["newestAnswers"] = (limit) => this.#records.newestAnswers(limit);
  readonly get: Approvals["get"] = (id) => this.#records.get(id);
  readonly grants: Approvals["grants"] = () => this.#standing.grants();
  readonly grant: Approvals["grant"] = (id) => this.#standing.grant(id);
  readonly rejections: Approvals["rejections"] = () => this.#standing.rejections();
  readonly onChange: Approvals["onChange"] = (listener) => this.#waiters.onChange(listener);

  constructor(options: ApprovalsOptions) {
    this.#now = options.now ?? Date.now;
    this.#records = new ApprovalRecords(options.store, { now: this.#now, outbox: options.outbox });
    this.#standing = new StandingRecords(options.store, this.#now);
    this.#waiters = new ApprovalWaiters(this.#records, options.pollMs ?? 250);
    this.#options = options;
    this.#maxWaiting = options.maxWaiting ?? 100;
    const limits = { perCaller: this.#maxWaiting, total: options.maxWaitingInAll ?? 2000 };
    this.#waitingCalls = new Shares("calls that wait for approval", limits);
  }

  /** Any fault counts as a rejection. */
  async approve(request: ApprovalRequest): Promise<Approved> {
    try {
      return await this.#approve(request);
    } catch (error) {
      if (error instanceof BiplaneError) throw error;
      const message = "The call is not approved because the approval store cannot be read.";
      throw new BiplaneError("APPROVAL_REJECTED", message, { cause: messageOf(error) });
    }
  }

  async #approve(request: ApprovalRequest): Promise<Approved> {
    const rejection = await this.#standing.rejection(request.hash);
    if (rejection) throw rejected({ id: idOf(request) }, rejection.reason);
    const { open, granted } = await this.#applyGrants(request);
    if (granted !== undefined) return { by: `${granted}, always`, waited: false };
    const { call } = open;
    const mayAskCaller = open.questions.every(({ byCaller, approvers = 1 }) => byCaller !== false && approvers === 1);
    const byCaller = this.#options.byCaller && mayAskCaller && call.canAsk("form");
    const answered = byCaller ? approvedByCaller(open) : undefined;
    if (answered) return answered;
    const question = this.#question(open);
    const found = await this.#records.ask(question, this.#maxWaiting);
    if (found.status !== "waiting") return this.#follow(found, { request: open, waited: false });
    this.#waiters.notify(found);
    const canBeTask = call.request.peer?.detach !== undefined;
    if (call.patienceMs <= 0 && !canBeTask) throw pending(found, open);
    const patienceMs = canBeTask ? Infinity : call.patienceMs;
    // Each waiting call holds its input in memory.
    const share = this.#waitingCalls.take(callerOf(call.principal));
    try {
      call.reportWait(pending(found, open));
      if (canBeTask) await call.detach();
      const answered = await call.pauseClock(this.#waiters.wait(found, { patienceMs, signal: call.signal }));
      return await this.#follow(answered, { request: open, waited: true });
    } finally {
      call.reportWait(undefined);
      share.release();
    }
  }

  /** Leaves the questions that no standing approval answers. `granted` says who answered, if none is left. */
  async #applyGrants(request: ApprovalRequest): Promise<{ open: ApprovalRequest; granted: string | undefined }> {
    const search = { grants: await this.#standing.grantsFor(request), now: this.#now() };
    // One person gave each grant, so none answers a question that needs several.
    const found = request.questions.map(({ rule, approvers = 1 }) =>
      approvers === 1 ? grantFor(rule, request, search) : undefined,
    );
    const questions = request.questions.filter((_, at) => !found[at]);
    const by = new Set(found.flatMap((grant) => (grant ? [grant.grantedBy] : [])));
    return { open: { ...request, questions }, granted: questions.length === 0 ? [...by].join(" and ") : undefined };
  }

  /** An approval for one call is consumed before the call runs, so that a crash cannot run it twice. */
  async #follow(answered: Approval, { request, waited }: FollowOptions): Promise<Approved> {
    if (answered.status === "rejected") throw rejected(answered, answered.reason ?? "no reason was given");
    if (answered.status === "expired") throw rejected(answered, "nobody answered in time");
    const used = answered.status === "approved" ? await this.#records.use(answered.id) : undefined;
    if (!used) throw pending(answered, request);
    this.#waiters.notify(used);
    return { by: used.answeredBy ?? "unknown", waited };
  }

  async previous(id: string): Promise<Approval | undefined> {
    const approval = await this.#records.get(id);
    return approval && this.#records.previous(approval);
  }

  async answer(ids: readonly string[], answer: ApprovalAnswer, by: Principal): Promise<readonly Approval[]> {
    const asked = await Promise.all(ids.map((id) => this.#records.getWaiting(id)));
    const scope = answer.verdict === "approve" ? answer.scope : undefined;
    for (const approval of asked) {
      mayAnswer(approval, by);
      if (scope && scope.kind !== "once") mayLast(approval);
    }
    const who = `${by.kind} ${by.id}`;
    const at = new Date(this.#now()).toISOString();
    const { verdict, reason } = checkedAnswer(answer);
    const grants = asked.map((each) =>
      scope && scope.kind !== "once" ? newGrant(each, scope, { grantedBy: who, grantedAt: at }) : undefined,
    );
    const answered: Approval[] = [];
    for (const [at, { id }] of asked.entries())
      answered.push(
        await this.#records.settle(id, {
          verdict,
          reason,
          by: who,
          scope,
          grant: grants[at],
          expiresAt: this.#later(),
        }),
      );
    for (const approval of answered) {
      this.#waiters.notify(approval);
      const { id, tool, status, rules } = approval;
      const input = { id, tool, verdict, status, rules, reason };
      await this.#record("approvals/answer", input, by);
    }
    return answered;
  }

  async assign(ids: readonly string[], assignee: string | null, by: Principal): Promise<readonly Approval[]> {
    const assigned = await this.#records.assign(ids, assignee);
    for (const approval of assigned) this.#waiters.notify(approval);
    await this.#record("approvals/assign", { ids, assignee }, by);
    return assigned;
  }

  async decide({ server, tool, subject }: ApprovalSubject, verdict: StandingDecision, by: Principal): Promise<void> {
    const hash = subjectHash([server, tool, "of", subject]);
    const all = await this.#records.waitingFor(hash);
    // One person's decision about a subject does not answer calls that need several.
    const waiting = verdict.verdict === "reject" ? all : all.filter(({ approvers }) => approvers === undefined);
    for (const approval of waiting) mayAnswer(approval, by);
    const who = `${by.kind} ${by.id}`;
    const at = new Date(this.#now()).toISOString();
    const { reason = "", ...answer } = checkedAnswer(verdict);
    const covered = { server, tool, hash, subject };
    const grant = answer.verdict === "approve" ? randomUUID() : undefined;
    await this.#standing.decide(
      grant === undefined
        ? { rejection: { ...covered, reason, refusedBy: who, refusedAt: at } }
        : { grant: { id: grant, ...covered, grantedBy: who, grantedAt: at } },
    );
    const status = grant === undefined ? "rejected" : "approved";
    await this.#record("approvals/decide", { server, tool, hash, status, reason }, by);
    const settlement = { ...checkedAnswer(verdict), by: who, grantId: grant, expiresAt: this.#later() };
    for (const { id } of waiting) this.#waiters.notify(await this.#records.settle(id, settlement));
  }

  async revoke(grantId: string, by: Principal): Promise<boolean> {
    const isRevoked = await this.#standing.revoke(grantId, `${by.kind} ${by.id}`);
    if (isRevoked) await this.#record("approvals/revoke", { id: grantId }, by);
    return isRevoked;
  }

  async close(): Promise<void> {
    this.#waiters.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #record(action: string, input: unknown, by: Principal): Promise<void> {
    await this.#options.audit?.record(personEntry(action, { input, by, time: this.#now() }));
  }

  #later(): number {
    return this.#now() + (this.#options.expiresMs ?? 3_600_000);
  }

  #question(request: ApprovalRequest): Approval {
    const { call, server, input, questions, subject, hash } = request;
    const clean = <T>(value: T): T => (call.redactor ? call.redactor.value(value) : value);
    const { principal, agent, tool, route, session, episode } = call;
    return {
      id: idOf(request),
      status: "waiting",
      server,
      tool,
      question: clean(questions.map(({ question }) => question).join("\n")),
      rules: clean(questions.map(({ rule }) => rule)),
      input: shownInput(clean(input)),
      hash,
      subject: clean(subject),
      principal: { kind: principal.kind, id: principal.id },
      agent: clean({ agentId: agent.agentId, model: agent.model, requestId: agent.requestId }),
      route,
      session,
      episode,
      batch: call.root.agent.requestId,
      askedAt: new Date(this.#now()).toISOString(),
      expiresAt: new Date(this.#later()).toISOString(),
      ...(approversOf(questions) > 1 && { approvers: approversOf(questions) }),
    };
  }
}

/** The question that needs the most people decides for all that are asked together. */
function approversOf(questions: ApprovalRequest["questions"]): number {
  return Math.max(...questions.map(({ approvers = 1 }) => approvers));
}

interface FollowOptions {
  readonly request: ApprovalRequest;
  readonly waited: boolean;
}

/**
 * The same caller, subject, rules and number of people give the same id, in every process. Hex never begins with a dash,
 * as options do.
 */
function idOf({ call, hash, questions }: ApprovalRequest): string {
  const { kind, id } = call.principal;
  const rules = questions.map(({ rule }) => rule).sort();
  const approvers = approversOf(questions);
  return createHash("sha256")
    .update(JSON.stringify([kind, id, hash, ...rules, ...(approvers > 1 ? [{ approvers }] : [])]))
    .digest("hex")
    .slice(0, 24);
}

function pending({ id, question }: Approval, { questions }: ApprovalRequest): BiplaneError {
  const [{ pendingMessage } = {}, ...others] = questions;
  const message =
    others.length === 0 && pendingMessage !== undefined
      ? pendingMessage
      : `Approval is needed: ${question} Call again after a person has answered (approval ${id}).`;
  return new BiplaneError("APPROVAL_PENDING", message, { details: { approval: { id, status: "pending" } } });
}

function rejected({ id }: Pick<Approval, "id">, why: string): BiplaneError {
  return new BiplaneError("APPROVAL_REJECTED", `The call was not approved: ${why}`, {
    details: { approval: { id, status: "rejected" } },
  });
}
