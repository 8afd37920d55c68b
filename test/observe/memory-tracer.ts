import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, context, trace } from "@opentelemetry/api";
import type {
  Context,
  ContextManager,
  Link,
  Span,
  SpanAttributes,
  SpanContext,
  SpanKind,
  SpanOptions,
  SpanStatus,
  Tracer,
} from "@opentelemetry/api";

/** Makes OpenTelemetry keep its spans here, with contexts that follow what is asynchronous. */
export function keepSpans(): { spans: KeptSpan[]; stop: () => void } {
  const spans: KeptSpan[] = [];
  context.setGlobalContextManager(new LocalContexts());
  trace.setGlobalTracerProvider({ getTracer: () => tracer(spans) });
  const stop = () => {
    trace.disable();
    context.disable();
  };
  return { spans, stop };
}

export class KeptSpan implements Span {
  readonly kind: SpanKind | undefined;
  readonly parent: SpanContext | undefined;
  readonly attributes: SpanAttributes;
  readonly links: Link[];
  name: string;
  status: SpanStatus | undefined;
  ends = 0;
  readonly #own: SpanContext;

  constructor(name: string, options: SpanOptions, parent: SpanContext | undefined) {
    this.name = name;
    this.kind = options.kind;
    this.parent = parent;
    this.attributes = { ...options.attributes };
    this.links = [...(options.links ?? [])];
    const spanId = hex(8);
    this.#own = { traceId: parent?.traceId ?? hex(16), spanId, traceFlags: parent?.traceFlags ?? 1 };
  }

  spanContext(): SpanContext {
    return this.#own;
  }
  setAttribute(key: string, value: SpanAttributes[string]): this {
    this.attributes[key] = value;
    return this;
  }
  setAttributes(attributes: SpanAttributes): this {
    Object.assign(this.attributes, attributes);
    return this;
  }
  addEvent(): this {
    return this;
  }
  addLink(link: Link): this {
    this.links.push(link);
    return this;
  }
  addLinks(links: Link[]): this {
    this.links.push(...links);
    return this;
  }
  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }
  updateName(name: string): this {
    this.name = name;
    return this;
  }
  end(): void {
    this.ends++;
  }
  isRecording(): boolean {
    return this.ends === 0;
  }
  recordException(): void {
    throw new Error("an exception may quote the input");
  }
}

function tracer(spans: KeptSpan[]): Tracer {
  const startSpan = (name: string, options: SpanOptions = {}, within: Context = context.active()) => {
    const span = new KeptSpan(name, options, trace.getSpanContext(within));
    spans.push(span);
    return span;
  };
  const startActiveSpan = () => {
    throw new Error("not used");
  };
  return { startSpan, startActiveSpan };
}

class LocalContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    within: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(within, () => work.apply(self, args));
  }
  bind<T>(_: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.#storage.disable();
    return this;
  }
}

function hex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}
