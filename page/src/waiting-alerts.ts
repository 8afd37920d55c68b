import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { mayUse } from "./access.ts";
import { callApi } from "./api.ts";
import { cutText, visiblePieces } from "./components/visible-text.ts";
import { figures, useEvents } from "./events.ts";
import { go, href } from "./router.ts";

/** Number of calls that wait for approval. */
export const waitingCount = computed(() => figures.value?.approvalsWaiting ?? 0);

/** `(3) Approvals · Biplane`. */
export function documentTitle(title: string): string {
  const waiting = waitingCount.value;
  return `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Biplane`;
}

/** What the browser allows, and whether this person wants notifications in this browser. */
export const alertState = signal<"off" | "on" | "blocked" | "unsupported">(readState());

export async function turnOnAlerts(): Promise<void> {
  const permission = await Notification.requestPermission();
  if (permission === "granted") localStorage.setItem(storageKey, "on");
  alertState.value = readState();
}

export function turnOffAlerts(): void {
  localStorage.removeItem(storageKey);
  alertState.value = readState();
}

/** Shows a browser notification for each new waiting call while the page is in the background. */
export function useWaitingAlerts(): void {
  const isOn = alertState.value === "on" && mayUse("approvals");
  useEffect(() => {
    if (!isOn) return;
    void look(false);
    // Hidden pages have no event stream, so they ask now and then.
    const timer = setInterval(() => document.hidden && void look(true), pollMs);
    return () => clearInterval(timer);
  }, [isOn]);
  useEvents(isOn ? "approvals" : undefined, () => void look(true));
}

const seen = new Set<string>();

async function look(isShown: boolean): Promise<void> {
  const query = { status: "waiting", limit: maxListed };
  const found = await callApi("GET /api/approvals", { query }).catch(() => undefined);
  if (!found) return;
  const { approvals } = found;
  const last = figures.value;
  if (document.hidden && last && approvals.length < maxListed)
    figures.value = { ...last, approvalsWaiting: approvals.length };
  const fresh = approvals.filter(({ id, askedAt }) => !seen.has(`${id} ${askedAt}`));
  for (const { id, askedAt } of fresh) seen.add(`${id} ${askedAt}`);
  if (!isShown || document.hasFocus()) return;
  for (const { id, tool, question } of fresh.slice(0, maxAtOnce))
    show(id, `Approval needed: ${plain(tool, 60)}`, question);
}

function show(id: string, title: string, question: string): void {
  const alert = new Notification(title, { body: plain(question, 200), tag: id });
  alert.addEventListener("click", () => {
    window.focus();
    go(href("approvals", [id]));
    alert.close();
  });
}

/** The text of an agent, with marks for what is invisible. */
function plain(text: string, maxLength: number): string {
  const pieces = visiblePieces(cutText(text, maxLength));
  return pieces.map((piece) => piece.text).join("");
}

function readState(): "off" | "on" | "blocked" | "unsupported" {
  if (typeof Notification === "undefined" || !isSecureContext) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(storageKey) === "on" ? "on" : "off";
}

const storageKey = "biplane-alerts";
const pollMs = 15_000;
const maxListed = 100;
const maxAtOnce = 3;
