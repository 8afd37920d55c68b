import { tryParseJson } from "../../bounds/parse-json.ts";
import type { Client } from "../client.ts";
import type { ResourceInfo } from "../results.ts";
import type { ResetOutcome } from "./environment-client.ts";

/**
 * Fallback for the first observation without a control plane: the best matching resource, else a default text, as in
 * Eval Protocol.
 */
export async function initialStateFromResources(
  client: Client,
  options: { sessionId: string; signal: AbortSignal | undefined },
): Promise<Pick<ResetOutcome, "observation" | "source">> {
  const { sessionId, signal } = options;
  try {
    const resources = await client.listResources({ signal });
    const chosen = resources.find(looksInitial) ?? resources[0];
    if (!chosen)
      return { observation: { observation: "default_initial_state", session_id: sessionId }, source: "default" };
    const { contents } = await client.readResource(chosen.uri, { signal });
    const [first] = contents;
    const text = first?.text;
    if (text === undefined) return { observation: { observation: JSON.stringify(first ?? null) }, source: "resource" };
    return { observation: tryParseJson(text, { otherwise: { observation: text } }), source: "resource" };
  } catch {
    signal?.throwIfAborted();
    return { observation: { observation: "initial_state", message: "Session established" }, source: "default" };
  }
}

function looksInitial({ name, uri }: ResourceInfo): boolean {
  return /initial|state|observation|start/i.test(`${name ?? ""} ${uri}`);
}
