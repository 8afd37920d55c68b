import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { mayRead } from "./access.ts";
import { callApi } from "./api.ts";
import { useEvents } from "./events.ts";

/** Number of scripts that are new or were changed, so that they need approval. Only the first hundred are looked at. */
export const waitingScripts = signal(0);

/** Keeps the number up to date. Files change without an event, so it looks now and then. */
export function useWaitingScripts(): void {
  const isOn = mayRead("approvals");
  useEffect(() => {
    if (!isOn) return;
    void countWaitingScripts();
    const timer = setInterval(() => document.hidden || void countWaitingScripts(), reloadMs);
    return () => clearInterval(timer);
  }, [isOn]);
  useEvents(isOn ? "approvals" : undefined, () => void countWaitingScripts());
}

export async function countWaitingScripts(): Promise<void> {
  const found = await callApi("GET /api/scripts", { query: { limit: 100 } }).catch(() => undefined);
  if (found) waitingScripts.value = found.scripts.filter(({ status }) => waiting.has(status)).length;
}

const waiting: ReadonlySet<string> = new Set(["pending", "modified"]);
const reloadMs = 60_000;
