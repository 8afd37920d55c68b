import { createHash, randomUUID } from "node:crypto";
import type { ApprovalRequest, Approved, Approver } from "../../call/approve.ts";
import type { AuditSink } from "../../call/audit.ts";
import { subjectHash } from "../../call/subject-hash.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { Principal } from "../../tool/call.ts";
import { personEntry } from "../audit/person-entry.ts";
import type { Answer, Approval, ApprovalFilter, Grant, Matter, Refusal, Verdict } from "./approval.ts";
import { ApprovalRecords } from "./approval-records.ts";
import { approvedByCaller } from "./ask-caller.ts";
import { grantFor, newGrant } from "./grants.ts";
import { shownInput } from "./shown-input.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** The one queue of calls that wait for a person. Other processes on the same store see the same queue. */
export interface Approvals extends Approver, AsyncDisposable {
  /** Newest first. */
  list(filter?: ApprovalFilter): Promise<readonly Approval[]>;
  /** How many wait, whichever process they came to: cheap enough to ask every second. */
  waiting(): Promise<number>;
  get(id: string): Promise<Approval | undefined>;
  /** The call of the same tool that a person said yes to last, to compare with. */
  before(id: string): Promise<Approval | undefined>;
  /** Answers all of them, if all still wait. Nobody answers his own call. */
  answer(ids: readonly string[], answer: Answer, by: Principal): Promise<readonly Approval[]>;
  /** Decides for everyone about what a policy names, such as a script's bytes; calls that wait for it are answered. */
  decide(matter: Matter, verdict: Verdict, by: Principal): Promise<void>;
  grants(): Promise<readonly Grant[]>;
  refusals(): Promise<readonly Refusal[]>;
  /** Takes a standing approval back; false where there is none. */
  revoke(grantId: string, by: Principal): Promise<boolean>;
  /** Called after each change that this process makes or sees, until the returned function is. */
  onChange(listener: (approval: Approval) => void): () => void;
  close(): Promise<void>;
}

export interface ApprovalsOptions {
  readonly store: Store;
  /** Keeps a line of every answer. */
  readonly audit?: AuditSink;
  /** Whether the user of the client that calls may answer, by elicitation. Off: only people who log in here. */
  readonly byCaller?: boolean;
  /** How long a question waits for its answer, and an answer for its caller: an hour. */
  readonly expiresMs?: number;
  /** How many calls of one caller may wait at once: 100. */
  readonly maxWaiting?: number;
  /** How often other processes' answers are looked for while a call waits: 250 ms. */
  readonly pollMs?: number;
  readonly now?: () => number;
}

export function openApprovals(options: ApprovalsOptions): Approvals {
  return new ApprovalQueue(options);
}

class ApprovalQueue implements Approvals {
  readonly #records: ApprovalRecords;
  readonly #room: WaitingRoom;
  readonly #audit: AuditSink | undefined;
  readonly #byCaller: boolean;
  readonly #expiresMs: number;
  readonly #maxWaiting: number;
  readonly #now: () => number;

  constructor(options: ApprovalsOptions) {
    this.#now = options.now ?? Date.now;
    this.#records = new ApprovalRecords(options.store, this.#now);
    this.#room = new WaitingRoom(this.#records, options.pollMs ?? 250);
    this.#audit = options.audit;
    this.#byCaller = options.byCaller ?? false;
    this.#expiresMs = options.expiresMs ?? 3_600_000;
    this.#maxWaiting = options.maxWaiting ?? 100;
  }

  /** What breaks here, breaks towards no. */
  async approve(request: ApprovalRequest): Promise<Approved> {
    try {
      return await this.#approve(request);
    } catch (error) {
      if (error instanceof BiplaneError) throw error;
      const message = "Approvals cannot be looked up now, so the call is not approved";
      throw new BiplaneError("APPROVAL_REJECTED", message, { cause: messageOf(error) });
    }
  }

  async #approve(request: ApprovalRequest): Promise<Approved> {
    const { call, asked } = request;
    const refusal = await this.#records.refusal(request.hash);
    if (refusal) throw rejected({ id: idOf(call.principal, request.hash) }, refusal.reason);
    const grant = grantFor(request, await this.#records.grants(), this.#now());
    if (grant) return { by: `${grant.grantedBy}, always`, waited: false };
    const byCaller = this.#byCaller && asked.byCaller !== false && call.canAsk("form");
    const answered = byCaller ? approvedByCaller(request) : undefined;
    if (answered) return answered;
    const question = this.#question(request);
    const found = await this.#records.ask(question.id, () => question, this.#maxWaiting);
    if (found.status !== "waiting") return this.#follow(found, false);
    this.#room.tell(found);
    const canBeTask = call.request.peer?.detach !== undefined;
    if (call.patienceMs <= 0 && !canBeTask) throw pending(found);
    const patienceMs = canBeTask ? Infinity : call.patienceMs;
    const leave = this.#room.enter(found, this.#maxWaiting);
    try {
      if (canBeTask) await call.detach();
      return await this.#follow(
        await call.standStill(this.#room.wait(found, { patienceMs, signal: call.signal })),
        true,
      );
    } finally {
      leave();
    }
  }

  /** A yes to one call is for one call. It is used up before the call runs, so that no crash lets it run twice. */
  async #follow(answered: Approval, waited: boolean): Promise<Approved> {
    if (answered.status === "rejected") throw rejected(answered, answered.reason ?? "no reason was given");
    if (answered.status === "expired") throw rejected(answered, "nobody answered in time");
    const used = answered.status === "approved" ? await this.#records.use(answered.id) : undefined;
    if (!used) throw pending(answered);
    this.#room.tell(used);
    return { by: used.answeredBy ?? "somebody", waited };
  }

  list(filter?: ApprovalFilter): Promise<readonly Approval[]> {
    return this.#records.list(filter);
  }

  waiting(): Promise<number> {
    return this.#records.waiting();
  }

  async before(id: string): Promise<Approval | undefined> {
    const approval = await this.#records.get(id);
    return approval && this.#records.before(approval);
  }

  get(id: string): Promise<Approval | undefined> {
    return this.#records.get(id);
  }

  async answer(ids: readonly string[], answer: Answer, by: Principal): Promise<readonly Approval[]> {
    const asked = await Promise.all(ids.map((id) => this.#records.mustWait(id)));
    for (const approval of asked) mayAnswer(approval, by);
    const who = `${by.kind} ${by.id}`;
    const at = new Date(this.#now()).toISOString();
    const hold = answer.verdict === "approve" ? answer.hold : undefined;
    const grants =
      hold && hold.kind !== "once" ? asked.map((each) => newGrant(each, hold, { grantedBy: who, grantedAt: at })) : [];
    const change = { ...changeFor(answer), answeredBy: who, answeredAt: at, expiresAt: this.#later() };
    const answered: Approval[] = [];
    for (const [at, { id }] of asked.entries()) {
      const grant = grants[at];
      answered.push(await this.#records.settle(id, grant ? { ...change, grant: grant.id } : change));
      // Only now: of two people who answer at once, one comes too late, and has granted nothing.
      if (grant) await this.#records.putGrant(grant);
    }
    for (const approval of answered) {
      this.#room.tell(approval);
      const { id, tool, status, reason } = approval;
      await this.#audit?.record(personEntry("approvals/answer", { id, tool, status, reason }, by, this.#now()));
    }
    return answered;
  }

  async decide({ server, tool, subject }: Matter, verdict: Verdict, by: Principal): Promise<void> {
    const hash = subjectHash([server, tool, "of", subject]);
    const waiting = await this.#records.waitingFor(hash);
    for (const approval of waiting) mayAnswer(approval, by);
    const who = `${by.kind} ${by.id}`;
    const at = new Date(this.#now()).toISOString();
    const { status, reason = "" } = changeFor(verdict);
    const matter = { server, tool, hash, subject };
    const grant = randomUUID();
    const isYes = verdict.verdict === "approve";
    await (isYes
      ? this.#records.replaceRefusal({ id: grant, ...matter, grantedBy: who, grantedAt: at })
      : this.#records.putRefusal({ ...matter, reason, refusedBy: who, refusedAt: at }));
    await this.#audit?.record(personEntry("approvals/decide", { server, tool, hash, status, reason }, by, this.#now()));
    const answer = { ...changeFor(verdict), answeredBy: who, answeredAt: at, expiresAt: this.#later() };
    for (const { id } of waiting)
      this.#room.tell(await this.#records.settle(id, isYes ? { ...answer, grant } : answer));
  }

  grants(): Promise<readonly Grant[]> {
    return this.#records.grants();
  }

  refusals(): Promise<readonly Refusal[]> {
    return this.#records.refusals();
  }

  async revoke(grantId: string, by: Principal): Promise<boolean> {
    const isRevoked = await this.#records.revoke(grantId);
    if (isRevoked) await this.#audit?.record(personEntry("approvals/revoke", { id: grantId }, by, this.#now()));
    return isRevoked;
  }

  onChange(listener: (approval: Approval) => void): () => void {
    return this.#room.onChange(listener);
  }

  async close(): Promise<void> {
    this.#room.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #later(): string {
    return new Date(this.#now() + this.#expiresMs).toISOString();
  }

  #question({ call, server, input, asked, hash }: ApprovalRequest): Approval {
    const clean = <T>(value: T): T => (call.redactor ? call.redactor.value(value) : value);
    const { principal, agent, tool, route, session, episode } = call;
    return {
      id: idOf(principal, hash),
      status: "waiting",
      server,
      tool,
      question: clean(asked.question),
      input: shownInput(clean(input)),
      hash,
      subject: clean(asked.subject),
      principal: { kind: principal.kind, id: principal.id },
      agent: clean({ agentId: agent.agentId, model: agent.model, requestId: agent.requestId }),
      route,
      session,
      episode,
      batch: call.root.agent.requestId,
      askedAt: new Date(this.#now()).toISOString(),
      expiresAt: this.#later(),
    };
  }
}

/** The same caller asking for the same thing finds the same record, in this process or the next. */
function idOf({ kind, id }: Principal, hash: string): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, id, hash]))
    .digest("base64url")
    .slice(0, 22);
}

function mayAnswer({ id, principal }: Approval, by: Principal): void {
  if (principal.kind !== by.kind || principal.id !== by.id) return;
  throw new BiplaneError("UNAUTHORIZED", `Nobody answers his own call: approval ${id} needs somebody else`);
}

function changeFor(answer: Answer): Pick<Approval, "status" | "reason"> {
  if (answer.verdict === "approve") return { status: "approved" };
  const reason = answer.reason.trim().slice(0, 1000);
  if (reason === "") throw new BiplaneError("INVALID_INPUT", "Say why the call is rejected: its caller is told");
  return { status: "rejected", reason };
}

function pending({ id, question }: Approval): BiplaneError {
  const message = `Approval is needed: ${question} Ask again once a person has answered (approval ${id})`;
  return new BiplaneError("APPROVAL_PENDING", message, { details: { approval: { id, status: "pending" } } });
}

function rejected({ id }: Pick<Approval, "id">, why: string): BiplaneError {
  return new BiplaneError("APPROVAL_REJECTED", `The call was not approved: ${why}`, {
    details: { approval: { id, status: "rejected" } },
  });
}
