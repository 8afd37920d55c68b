import { randomUUID } from "node:crypto";
import { BiplaneError } from "../errors.ts";
import type { AgentContext, Call, Principal, Route, TextRange } from "../tool/call.ts";
import type { LogLevel } from "../tool/log-level.ts";
import { isValidAnswer } from "../tool/question.ts";
import type { AnswerTo, Question } from "../tool/question.ts";
import type { Tool } from "../tool/tool.ts";
import type { PausableDeadline } from "./deadline.ts";
import { CombinedRedactor } from "./redact/combined.ts";
import type { Redactor } from "./redact/redactor.ts";
import type { Scope } from "./scope.ts";

/** A call as a wire protocol parsed it. */
export interface CallRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly route: Route;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly session?: string | undefined;
  /** Answers to the questions of earlier attempts, by key. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly peer?: Peer | undefined;
  /** Set if the request is for a built-in reader (resource, prompt, completion) and not for a tool. */
  readonly builtIn?: Tool | undefined;
  /** The tool, if the server does not list it because only agent code can call it. */
  readonly unlisted?: Tool | undefined;
  /** Finds the episode of the call; throws if it cannot. */
  readonly scope?: ((call: LiveCall) => Scope | Promise<Scope>) | undefined;
  /** Set for calls made by agent code. */
  readonly parent?: LiveCall | undefined;
  /** Whether the caller can show app pages. */
  readonly showsApps?: boolean | undefined;
  /** Unverified trace context sent by the caller. */
  readonly trace?: CallTrace | undefined;
  /** The same key for each try of the same call. A step that was made is not made again; its answer is sent again. */
  readonly idempotencyKey?: string | undefined;
  /** Set if the call is continued after its process ended: the `claim` that it had there. */
  readonly claim?: string | undefined;
  /** True if the key or the expected step is none. The call is refused. */
  readonly hasBadKey?: boolean | undefined;
  /** In an episode: how many steps the caller knows of. The call fails if there were more. */
  readonly expectedStep?: number | undefined;
  /** Set if the call is a request of MCP. */
  readonly mcp?: McpRequestFacts | undefined;
  /** How long the caller waits for an approval (default: no limit for calls made by code, else 0). */
  readonly patienceMs?: number | undefined;
}

/** What spans tell about a request of MCP. */
export interface McpRequestFacts {
  /** The JSON-RPC id, as the caller sent it. */
  readonly id: string | number;
  /** `version` is the protocol version. */
  readonly client: { readonly version: string };
}

/** The raw headers of W3C Trace Context and Baggage. */
export interface CallTrace {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/** The caller's side while the call runs. A protocol omits the methods it does not support. */
export interface Peer {
  progress?(progress: number, options: { total?: number; message?: string }): void;
  log?(level: LogLevel, data: unknown, logger: string | undefined): void;
  canAsk?(kind: Question["kind"]): boolean;
  /** Waits for the answers. Returns undefined if they arrive with the next attempt. */
  ask?(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined;
  /** Turns the call into a task; resolves when the task is durable. */
  detach?(): Promise<void>;
  /** Called before the tool runs, which waits for it. */
  noteBegin?(): Promise<void> | undefined;
  /** Reports what a task waits for, or with undefined that it continues. */
  reportWait?(pending: BiplaneError | undefined): void;
}

/** The result of a step, for trainers. */
export interface StepResult {
  readonly reward: number | null;
  readonly parts: Readonly<Record<string, number>> | undefined;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly stepCount: number;
}

/** The server's secrets, which can change while a call runs. */
export interface CallSecrets {
  readonly redactor: Redactor | undefined;
}

/** A call in progress. User code sees it as `Call`; the wire protocol keeps it to cancel it. */
export class LiveCall implements Call {
  /** The request as received. */
  readonly original: CallRequest;
  /** The request to perform. It differs from `original` if the named tool stands for another. */
  request: CallRequest;
  scope: Scope | undefined;
  /** Set by the episode. */
  state: unknown;
  config: unknown;
  live: unknown;
  /** Set once the step is committed. Trainers may see it; the agent must not. */
  step: StepResult | undefined;
  /** Set if `run` asked questions that are answered in the next attempt. */
  suspendedOn: Readonly<Record<string, Question>> | undefined;
  /** The deadline of an asynchronous `run`. */
  deadline: PausableDeadline | undefined;
  /** Called when the clock pauses for a person's answer, and when it resumes. */
  onClockPause: ((isStill: boolean) => void) | undefined;
  /** Set by the episode. Called on first use, so most calls copy no random state. */
  drawRandom: (() => unknown) | undefined;
  #secrets: CallSecrets | undefined;
  #firstRedactor: Redactor | undefined;
  #redactors: CombinedRedactor | undefined;
  #identity: object | undefined;
  #claim: string | undefined;
  #random: unknown;
  #tool: Tool | undefined;
  #controller: AbortController | undefined;
  #stopped: BiplaneError | undefined;
  #onStop: ((error: BiplaneError) => void) | undefined;
  #lastProgress = -Infinity;
  #detached: Promise<void> | undefined;
  #questions = 0;
  /** When the current wait for a person began, and the time of the earlier ones. */
  #waitingSince = 0;
  #waitedMs = 0;
  #over = false;

  constructor(request: CallRequest) {
    this.original = request;
    this.request = request;
  }

  get tool(): string {
    return this.request.tool;
  }
  get agent(): AgentContext {
    return this.request.agent;
  }
  get principal(): Principal {
    return this.request.principal;
  }
  get route(): Route {
    return this.request.route;
  }
  get session(): string | undefined {
    return this.request.session;
  }
  get identity(): object {
    return (this.#identity ??= Object.freeze({}));
  }
  /** Names this try among all tries with the same key. A task keeps it in the next process. */
  get claim(): string {
    return (this.#claim ??= this.original.claim ?? randomUUID());
  }
  get showsApps(): boolean {
    return this.request.showsApps ?? this.request.route === "app";
  }
  get episode(): string | undefined {
    return this.scope?.id;
  }
  get random(): unknown {
    return (this.#random ??= this.drawRandom?.());
  }
  get drewRandom(): boolean {
    return this.#random !== undefined;
  }
  /** The outermost call: this one, or the one whose code made it. */
  get root(): LiveCall {
    return this.request.parent?.root ?? this;
  }
  get patienceMs(): number {
    return this.request.patienceMs ?? (this.request.parent ? Infinity : 0);
  }

  useSecrets(secrets: CallSecrets): void {
    this.#secrets = secrets;
    this.#firstRedactor = secrets.redactor;
  }

  /** Redacts what leaves the call: the secrets that the server had at its start, and those set since. */
  get redactor(): Redactor | undefined {
    const latest = this.#secrets?.redactor;
    if (latest === this.#firstRedactor) return latest;
    return (this.#redactors ??= new CombinedRedactor()).of([this.#firstRedactor, latest]);
  }

  redact(text: string, range?: TextRange): string {
    const { redactor } = this;
    if (redactor) return redactor.text(text, range);
    return range ? text.slice(range.start, range.end) : text;
  }

  /** Created on first use, because most calls never read it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#stopped) this.#controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  /** The error that stopped the call, if any. */
  get stopped(): BiplaneError | undefined {
    return this.#stopped;
  }

  /** Ends the call early. Later results are ignored. */
  stop(error: BiplaneError): void {
    if (this.#stopped) return;
    this.#stopped = error;
    this.#controller?.abort(error);
    this.#onStop?.(error);
  }

  cancel(reason = "The call was cancelled."): void {
    this.stop(new BiplaneError("CANCELLED", reason));
  }

  /** The caller can no longer get the answer, unless it asks again with the same key. */
  disconnect(): void {
    if (this.request.idempotencyKey === undefined) this.cancel();
  }

  /** Forgets what the call has done, before it is made again. */
  restart(): void {
    this.scope = undefined;
    this.state = undefined;
    this.step = undefined;
    this.#random = undefined;
    this.#tool = undefined;
  }

  begin(tool: Tool): void {
    this.#tool = tool;
  }

  /** Lets the pipeline wake up early while a step waits. */
  whenStopped(onStop: (error: BiplaneError) => void): void {
    this.#onStop = onStop;
  }

  /** Starts the deadline of `run`, paused while a question waits. */
  startDeadline(deadline: PausableDeadline): void {
    this.deadline = deadline;
    if (this.#questions > 0) deadline.pause();
  }

  /** After this, nothing more is sent to the caller. */
  end(): void {
    this.#over = true;
  }

  /** True once `run` was called. */
  get hasRun(): boolean {
    return this.#tool !== undefined;
  }
  get isOver(): boolean {
    return this.#over;
  }

  progress(progress: number, options: { total?: number; message?: string } = {}): void {
    if (this.#stopped || this.#over || !(progress > this.#lastProgress) || progress === Infinity) return;
    this.#lastProgress = progress;
    this.request.peer?.progress?.(progress, this.redactor?.value(options) ?? options);
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const { peer } = this.request;
    if (this.#stopped || this.#over || !peer?.log) return;
    const { redactor } = this;
    if (redactor) peer.log(level, redactor.value(data), logger === undefined ? undefined : redactor.text(logger));
    else peer.log(level, data, logger);
  }

  canAsk(kind: Question["kind"]): boolean {
    return this.request.peer?.canAsk?.(kind) ?? false;
  }

  async ask<Q extends Question>(key: string, question: Q): Promise<AnswerTo<Q>> {
    const answers = await this.askAll({ [key]: question });
    return answers[key] as AnswerTo<Q>;
  }

  async askAll<Q extends Record<string, Question>>(questions: Q): Promise<{ [Key in keyof Q]: AnswerTo<Q[Key]> }> {
    if (!this.#tool?.interactive) {
      throw new BiplaneError("NOT_SUPPORTED", `${this.tool} asks a question. Define it with interactive: true.`);
    }
    return this.askCaller(questions);
  }

  /** `askAll` without the `interactive` check, for approvals of any tool. */
  async askCaller<Q extends Record<string, Question>>(questions: Q): Promise<{ [Key in keyof Q]: AnswerTo<Q[Key]> }> {
    if (this.#over) throw new BiplaneError("NOT_SUPPORTED", `${this.tool} asked a question after the call had ended.`);
    const given = this.request.answers ?? {};
    const isOpen = ([key, question]: [string, Question]) =>
      !Object.hasOwn(given, key) || !isValidAnswer(question, given[key]);
    const open = Object.entries(questions).filter(isOpen);
    for (const [, question] of open) this.#mustBeAble(question.kind);
    const fresh = open.length > 0 ? await this.#wait(Object.fromEntries(open)) : {};
    const answers = Object.keys(questions).map((key) => [key, Object.hasOwn(fresh, key) ? fresh[key] : given[key]]);
    return Object.fromEntries(answers) as { [Key in keyof Q]: AnswerTo<Q[Key]> };
  }

  async detach(): Promise<void> {
    await (this.#detached ??= this.request.peer?.detach?.());
  }

  reportWait(pending: BiplaneError | undefined): void {
    this.request.peer?.reportWait?.(pending);
  }

  #mustBeAble(kind: Question["kind"]): void {
    if (this.canAsk(kind)) return;
    const message = `${this.tool} asks a question of kind ${kind}, which this caller cannot answer.`;
    throw new BiplaneError("NOT_SUPPORTED", message, { details: { question: kind } });
  }

  async #wait(questions: Record<string, Question>): Promise<Record<string, unknown>> {
    const answers = this.request.peer?.ask?.(this.redactor?.value(questions) ?? questions);
    if (!answers) {
      this.suspendedOn = { ...this.suspendedOn, ...questions };
      throw new BiplaneError("CANCELLED", "The call waits for answers.");
    }
    const given = await this.pauseClock(answers);
    for (const [key, question] of Object.entries(questions)) {
      if (!isValidAnswer(question, given[key]))
        throw new BiplaneError("EXECUTION_ERROR", `The answer to "${key}" does not fit the question.`);
    }
    return given;
  }

  /** True while it waits for a person. */
  get isWaitingForPerson(): boolean {
    return this.#questions > 0;
  }

  /** Time that the call has waited for people so far. It is not the time of the tool. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#questions > 0 ? performance.now() - this.#waitingSince : 0);
  }

  /** Waits for a person with the clocks of this call and its parents paused. */
  async pauseClock<T>(answer: Promise<T>): Promise<T> {
    this.#pause();
    try {
      return await answer;
    } finally {
      this.#resume();
    }
  }

  #pause(): void {
    const { parent } = this.request;
    if (parent) parent.#pause();
    if (this.#questions++ > 0) return;
    this.#waitingSince = performance.now();
    this.deadline?.pause();
    this.onClockPause?.(true);
  }

  #resume(): void {
    const { parent } = this.request;
    if (parent) parent.#resume();
    if (--this.#questions > 0) return;
    this.#waitedMs += performance.now() - this.#waitingSince;
    this.deadline?.resume();
    this.onClockPause?.(false);
  }
}
