import type { Attributes, Span, SpanKind } from "@opentelemetry/api";
import { BiplaneError } from "@biplane/core";
import { loadOpenTelemetry } from "./open-telemetry.ts";
import type { OpenTelemetry } from "./open-telemetry.ts";

/** Sees the rollouts of an agent, its requests to a model, and its calls. Pass it to `rollout`. */
export interface RolloutTelemetry {
  agent<T extends TracedRollout>(about: TracedAgent, play: () => Promise<T>): Promise<T>;
  model<T extends TracedTurn>(about: TracedModel, ask: () => T | Promise<T>): Promise<T>;
  tool<T extends TracedStep>(about: TracedTool, perform: () => Promise<T>): Promise<T>;
}

export interface TracedModel {
  readonly name: string;
  /** Whose API it is, such as `openai`. */
  readonly provider: string;
}

export interface TracedAgent {
  readonly name: string;
  /** The model that it asks, if it asks one. */
  readonly model?: TracedModel | undefined;
  readonly run: string;
  readonly index: number;
  readonly repetition: number;
}

export interface TracedTool {
  /** Undefined if the environment has no such tool: a model can name anything. */
  readonly name: string | undefined;
  readonly callId: string;
}

interface TokenCounts {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens?: number | undefined;
}

interface TracedTurn {
  readonly usage?: TokenCounts | undefined;
  readonly finishReason: string;
}

interface TracedStep {
  readonly error?: BiplaneError | undefined;
}

interface TracedRollout {
  readonly sessionId: string;
  readonly usage: TokenCounts;
  readonly totalReward: number | null;
  readonly ending: { readonly reason: string };
  readonly failure?: { readonly kind: string } | undefined;
}

/**
 * Creates spans for rollouts as OpenTelemetry's conventions for generative AI name them: `invoke_agent`, and in it
 * `chat` for requests to a model and `execute_tool` for calls. Records token usage and durations of requests.
 */
export async function traceRollouts(options: { readonly api?: OpenTelemetry } = {}): Promise<RolloutTelemetry> {
  const api = options.api ?? (await loadOpenTelemetry());
  const { SpanKind } = api;
  const within = spansOf(api);
  const usage = usageMetrics(api);
  return {
    agent: ({ name, model, run, index, repetition }, play) => {
      const attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        ...(model && { "gen_ai.provider.name": model.provider, "gen_ai.request.model": model.name }),
        "biplane.run.id": run,
        "biplane.row.index": index,
        "biplane.row.repetition": repetition,
      };
      return within({ name: `invoke_agent ${name}`, kind: SpanKind.INTERNAL, attributes }, async (span) => {
        const played = await play();
        span.setAttributes({ ...usageAttributes(played.usage), "biplane.rollout.ending": played.ending.reason });
        if (played.sessionId !== "") span.setAttribute("gen_ai.conversation.id", played.sessionId);
        if (played.totalReward !== null) span.setAttribute("biplane.rollout.reward", played.totalReward);
        return { result: played, failure: played.failure?.kind };
      });
    },
    model: ({ name, provider }, ask) => {
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": name,
      };
      const about = { name: `chat ${name}`, kind: SpanKind.CLIENT, attributes, onEnd: usage.ended };
      return within(about, async (span) => {
        const turn = await ask();
        span.setAttribute("gen_ai.response.finish_reasons", [turn.finishReason.slice(0, 64)]);
        if (turn.usage) {
          span.setAttributes(usageAttributes(turn.usage));
          usage.used(turn.usage, attributes);
        }
        return { result: turn };
      });
    },
    tool: ({ name, callId }, perform) => {
      const attributes = {
        "gen_ai.operation.name": "execute_tool",
        ...(name !== undefined && { "gen_ai.tool.name": name }),
        "gen_ai.tool.call.id": callId.slice(0, 128),
        "gen_ai.tool.type": "function",
      };
      const title = name === undefined ? "execute_tool" : `execute_tool ${name}`;
      return within({ name: title, kind: SpanKind.INTERNAL, attributes }, async () => {
        const step = await perform();
        return { result: step, failure: step.error?.code };
      });
    },
  };
}

interface SpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly onEnd?: (durationMs: number, attributes: Attributes) => void;
}

/** Runs work in a span, which is active meanwhile. Its status never quotes a message: that may hold data. */
function spansOf(api: OpenTelemetry) {
  const tracer = api.trace.getTracer("biplane");
  return async <T>(
    { name, kind, attributes, onEnd }: SpanOptions,
    work: (span: Span) => Promise<{ result: T; failure?: string | undefined }>,
  ): Promise<T> => {
    const parent = api.context.active();
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    const startedAt = performance.now();
    let failure: string | undefined = "_OTHER";
    try {
      const done = await api.context.with(api.trace.setSpan(parent, span), () => work(span));
      failure = done.failure;
      return done.result;
    } catch (error) {
      if (error instanceof BiplaneError) failure = error.code;
      throw error;
    } finally {
      const failed = failure === undefined ? {} : { "error.type": failure };
      onEnd?.(performance.now() - startedAt, { ...attributes, ...failed });
      span.setAttributes(failed);
      if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    }
  };
}

function usageAttributes({ prompt_tokens: input, completion_tokens: output, cached_tokens: cached }: TokenCounts) {
  return {
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    ...(cached !== undefined && { "gen_ai.usage.cache_read.input_tokens": cached }),
  };
}

/** The histograms of the conventions. Without an SDK for metrics they do nothing. */
function usageMetrics(api: OpenTelemetry) {
  const meter = api.metrics.getMeter("biplane");
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    description: "Number of input and output tokens used",
    advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, power) => 4 ** power) },
  });
  const durations = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    description: "Duration of a request to a model",
    advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power) },
  });
  return {
    used: ({ prompt_tokens: input, completion_tokens: output }: TokenCounts, attributes: Attributes) => {
      tokens.record(input, { ...attributes, "gen_ai.token.type": "input" });
      tokens.record(output, { ...attributes, "gen_ai.token.type": "output" });
    },
    ended: (durationMs: number, attributes: Attributes) => durations.record(durationMs / 1000, attributes),
  };
}
