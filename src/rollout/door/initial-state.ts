import type { Client } from "../../client/client.ts";
import type { ResourceInfo } from "../../client/results.ts";
import type { Beginning } from "./door.ts";

/**
 * What is seen first where the control plane does not tell: the resource that looks most like it, and without any,
 * words that say so.
 */
export async function initialStateFromResources(
  client: Client,
  options: { sessionId: string; signal: AbortSignal },
): Promise<Pick<Beginning, "observation" | "source">> {
  const { sessionId, signal } = options;
  try {
    const resources = await client.listResources({ signal });
    const chosen = resources.find(looksInitial) ?? resources[0];
    if (!chosen)
      return { observation: { observation: "default_initial_state", session_id: sessionId }, source: "default" };
    const { contents } = await client.readResource(chosen.uri, { signal });
    return { observation: readText(contents[0]?.text, contents[0]), source: "resource" };
  } catch {
    signal.throwIfAborted();
    return { observation: { observation: "initial_state", message: "Session established" }, source: "default" };
  }
}

function looksInitial({ name, uri }: ResourceInfo): boolean {
  return /initial|state|observation|start/i.test(`${name ?? ""} ${uri}`);
}

function readText(text: string | undefined, whole: unknown): unknown {
  if (text === undefined) return { observation: JSON.stringify(whole ?? null) };
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { observation: text };
  }
}
