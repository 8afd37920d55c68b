import { BiplaneError } from "../errors.ts";
import type { AgentContext, Call, LogLevel, Principal, Route } from "../tool/call.ts";
import { fits } from "../tool/question.ts";
import type { AnswerTo, Question } from "../tool/question.ts";
import type { Tool } from "../tool/tool.ts";
import type { Deadline } from "./deadline.ts";
import type { Redactor } from "./redact/redactor.ts";
import type { Scope } from "./scope.ts";

/** What a wire makes of the bytes it got: everything the path needs to know of a call. */
export interface CallRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly route: Route;
  readonly agent: AgentContext;
  readonly principal: Principal;
  readonly session?: string | undefined;
  /** Answers to questions of earlier attempts, by key. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly peer?: Peer | undefined;
  /** Set by a wire that means one of the server's own readers rather than a tool. */
  readonly builtIn?: Tool | undefined;
  /** Finds the episode the call belongs to; throws where it cannot. */
  readonly scope?: (() => Scope | Promise<Scope>) | undefined;
  /** The call that makes this one: agent code calling a tool. */
  readonly parent?: LiveCall | undefined;
  /** Whether the caller can show the pages of apps. */
  readonly showsApps?: boolean | undefined;
  /** The trace the caller says this call is part of. Nothing of it has been checked. */
  readonly trace?: CallTrace | undefined;
  /** How long the caller waits for a person's answer. Left out: code as long as it takes, others not at all. */
  readonly patienceMs?: number | undefined;
}

/** The headers of W3C Trace Context and Baggage, as they came. */
export interface CallTrace {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/** The caller's end while the call runs. What a wire cannot do, it leaves out. */
export interface Peer {
  progress?(progress: number, options: { total?: number; message?: string }): void;
  log?(level: LogLevel, data: unknown, logger: string | undefined): void;
  canAsk?(kind: Question["kind"]): boolean;
  /** Waits for the answers, or returns undefined where they come with the next attempt. */
  ask?(questions: Readonly<Record<string, Question>>): Promise<Record<string, unknown>> | undefined;
  /** Hands the caller a task; resolves when that task is durable. */
  detach?(): Promise<void>;
}

/** What a step came to, on the control plane. */
export interface StepResult {
  readonly reward: number | null;
  readonly parts: Readonly<Record<string, number>> | undefined;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly stepCount: number;
}

/** A call on its way. User code sees it as `Call`; the wire keeps it to cancel it. */
export class LiveCall implements Call {
  /** As the wire made it. */
  readonly original: CallRequest;
  /** What it comes down to: another tool than the caller named, where a name only leads to one. */
  request: CallRequest;
  scope: Scope | undefined;
  /** Takes secrets out of what is told while the call runs. */
  redactor: Redactor | undefined;
  /** What an episode gives its tools. */
  state: unknown;
  config: unknown;
  live: unknown;
  /** What the step came to, once it counts. For trainers; never for the agent. */
  step: StepResult | undefined;
  /** Set when `run` asked something whose answer comes later. */
  suspendedOn: Readonly<Record<string, Question>> | undefined;
  /** The clock of a running asynchronous `run`. */
  deadline: Deadline | undefined;
  /** Told when the clocks stand still because a person thinks, and when they go on. */
  onStandStill: ((isStill: boolean) => void) | undefined;
  /** Set by the episode: gives the call its own copy of the randomness, if it wants any. */
  drawRandom: (() => unknown) | undefined;
  #random: unknown;
  #tool: Tool | undefined;
  #controller: AbortController | undefined;
  #stopped: BiplaneError | undefined;
  #onStop: ((error: BiplaneError) => void) | undefined;
  #lastProgress = -Infinity;
  #detached: Promise<void> | undefined;
  #questions = 0;
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
  /** The call at the root: itself, or the one whose code makes it. */
  get root(): LiveCall {
    return this.request.parent?.root ?? this;
  }
  get patienceMs(): number {
    return this.request.patienceMs ?? (this.request.parent ? Infinity : 0);
  }

  /** Made on first use: most calls never look at it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#stopped) this.#controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  /** Why the call must go no further, if it must not. */
  get stopped(): BiplaneError | undefined {
    return this.#stopped;
  }

  /** Ends the call early: nothing that happens afterwards counts. */
  stop(error: BiplaneError): void {
    if (this.#stopped) return;
    this.#stopped = error;
    this.#controller?.abort(error);
    this.#onStop?.(error);
  }

  cancel(reason = "The call was cancelled"): void {
    this.stop(new BiplaneError("CANCELLED", reason));
  }

  begin(tool: Tool): void {
    this.#tool = tool;
  }

  /** The path waits; it is told when it must wait no longer. */
  whenStopped(onStop: (error: BiplaneError) => void): void {
    this.#onStop = onStop;
  }

  /** Starts the clock of `run`, which stands still while a question waits. */
  startClock(deadline: Deadline): void {
    this.deadline = deadline;
    if (this.#questions > 0) deadline.pause();
  }

  /** The outcome is there: nothing more is told to the caller. */
  end(): void {
    this.#over = true;
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
    if (!this.#stopped && !this.#over)
      this.request.peer?.log?.(level, this.redactor ? this.redactor.value(data) : data, logger);
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
      throw new BiplaneError("NOT_SUPPORTED", `${this.tool} asks, but is not defined with interactive: true`);
    }
    return this.askCaller(questions);
  }

  /** The same for the path itself, which may ask on behalf of any tool. */
  async askCaller<Q extends Record<string, Question>>(questions: Q): Promise<{ [Key in keyof Q]: AnswerTo<Q[Key]> }> {
    if (this.#over) throw new BiplaneError("NOT_SUPPORTED", `${this.tool} asks after it has ended`);
    const given = this.request.answers ?? {};
    const isOpen = ([key, question]: [string, Question]) => !Object.hasOwn(given, key) || !fits(question, given[key]);
    const open = Object.entries(questions).filter(isOpen);
    for (const [, question] of open) this.#mustBeAble(question.kind);
    const fresh = open.length > 0 ? await this.#wait(Object.fromEntries(open)) : {};
    const answers = Object.keys(questions).map((key) => [key, Object.hasOwn(fresh, key) ? fresh[key] : given[key]]);
    return Object.fromEntries(answers) as { [Key in keyof Q]: AnswerTo<Q[Key]> };
  }

  async detach(): Promise<void> {
    await (this.#detached ??= this.request.peer?.detach?.());
  }

  #mustBeAble(kind: Question["kind"]): void {
    if (this.canAsk(kind)) return;
    throw new BiplaneError("NOT_SUPPORTED", `${this.tool} needs an answer (${kind}) that this caller cannot give`, {
      details: { question: kind },
    });
  }

  async #wait(questions: Record<string, Question>): Promise<Record<string, unknown>> {
    const answers = this.request.peer?.ask?.(this.redactor?.value(questions) ?? questions);
    if (!answers) {
      this.suspendedOn = { ...this.suspendedOn, ...questions };
      throw new BiplaneError("CANCELLED", "The call waits for answers");
    }
    const given = await this.standStill(answers);
    for (const [key, question] of Object.entries(questions)) {
      if (!fits(question, given[key]))
        throw new BiplaneError("EXECUTION_ERROR", `The answer to "${key}" does not fit the question`);
    }
    return given;
  }

  /** Whether it waits for somebody to answer. */
  get isStandingStill(): boolean {
    return this.#questions > 0;
  }

  /** While somebody thinks, no clock runs, neither of this call nor of those it is part of. */
  async standStill<T>(answer: Promise<T>): Promise<T> {
    this.#hold();
    try {
      return await answer;
    } finally {
      this.#goOn();
    }
  }

  #hold(): void {
    const { parent } = this.request;
    if (parent) parent.#hold();
    if (this.#questions++ > 0) return;
    this.deadline?.pause();
    this.onStandStill?.(true);
  }

  #goOn(): void {
    const { parent } = this.request;
    if (parent) parent.#goOn();
    if (--this.#questions > 0) return;
    this.deadline?.resume();
    this.onStandStill?.(false);
  }
}
