import { LiveCall } from "../call/live-call.ts";
import type { CallRequest } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import { BiplaneError } from "../errors.ts";
import type { AgentContext, Principal } from "../tool/call.ts";
import { isReply } from "../tool/content.ts";

export type DirectCallOptions = Partial<
  Pick<CallRequest, "principal" | "route" | "session" | "peer" | "scope" | "trace" | "patienceMs">
> & {
  readonly agent?: Partial<AgentContext>;
  readonly signal?: AbortSignal;
};

/** Calls a tool in this process. Returns its structured result or content, or throws its error. */
export async function callDirectly(
  server: { perform(call: LiveCall): Outcome | Promise<Outcome> },
  { tool, input }: Pick<CallRequest, "tool" | "input">,
  { agent, principal = localUser, signal, ...rest }: DirectCallOptions,
): Promise<unknown> {
  const caller = { route: "direct", principal, agent: { ...program(), ...agent }, patienceMs: Infinity } as const;
  const call = new LiveCall({ tool, input, ...caller, ...rest });
  const cancel = () => call.cancel();
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const outcome = await server.perform(call);
    if (outcome.status === "failed") throw outcome.error;
    if (outcome.status === "suspended")
      throw new BiplaneError(
        "NOT_SUPPORTED",
        `${tool} asked a question that nobody answered. Give a peer that can answer it.`,
      );
    return isReply(outcome.value) ? (outcome.value.structured ?? outcome.value.content) : outcome.value;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

const localUser: Principal = Object.freeze({ kind: "local", id: "local", scopes: Object.freeze([]) });

function program(): AgentContext {
  return { agentId: "direct", model: undefined, requestId: crypto.randomUUID(), metadata: {} };
}
