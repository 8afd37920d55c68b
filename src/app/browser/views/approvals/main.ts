import "../page/theme.css";
import "./approvals.css";
import type { ToolResult } from "../../bridge/content.ts";
import { connectView } from "../../view/connect-view.ts";
import { element } from "../page/element.ts";
import { resultText } from "../page/result-text.ts";
import { approvalCard } from "./approval-card.ts";
import type { CardActions } from "./approval-card.ts";
import { readApprovals } from "./read-approvals.ts";
import type { Approval } from "./read-approvals.ts";

document.title = "Approvals";
const heading = element("h1", { text: "Approvals", attributes: { "aria-live": "polite" } });
const note = element("p", { class: "note", attributes: { role: "status" } });
const list = element("ul", { class: "approvals", attributes: { "aria-label": "Your calls" } });
document.body.append(element("main", {}, [heading, list, note]));

/** What the page knows of a call beyond the queue: how it went when it was run from here. */
const runs = new Map<string, { readonly text: string; readonly isError: boolean }>();
let approvals: readonly Approval[] = [];
let drawn = "";

const view = connectView({
  name: "approvals",
  title: "Approvals",
  version: "1.0.0",
  onResult: (result) => {
    take(result);
    poll();
  },
  onCancelled: () => poll(),
});
view.ready.catch((error: Error) => say(error.message, true));

const actions: CardActions = {
  /** The decision is made where people log in; from here there is only the way to it. */
  decide: ({ link }) => attempt(async () => link !== undefined && view.openLink(link)),
  runAgain: (approval) => attempt(() => runAgain(approval)),
};

async function runAgain({ id, tool, input }: Approval): Promise<void> {
  const result = await view.callTool(tool, input as Record<string, unknown>).catch((error: Error) => error);
  if (result instanceof Error) {
    // A tool that is for models alone: then the model is asked to call it.
    return view.message(`${tool} was approved. Please make the same call again.`);
  }
  const text = resultText(result);
  runs.set(id, { text, isError: result.isError === true });
  await view
    .updateContext({
      content: `On the page of approvals the user ran ${tool} ${JSON.stringify(input)}. It answered: ${text}`,
    })
    .catch(() => undefined);
  take(await view.callTool("approvals_status"));
}

async function attempt(act: () => unknown): Promise<void> {
  try {
    say("");
    await act();
  } catch (error) {
    say((error as Error).message, true);
  }
}

/** While somebody looks, the queue is asked again; what waits is looked after more often than what does not. */
function poll(): void {
  const isWaiting = approvals.some(({ status }) => status === "waiting");
  setTimeout(
    async () => {
      try {
        if (!document.hidden) take(await view.callTool("approvals_status"));
      } catch (error) {
        say((error as Error).message, true);
      }
      poll();
    },
    isWaiting ? 1000 : 2500,
  );
}

function take(result: ToolResult): void {
  if (result.isError) return say(resultText(result), true);
  approvals = readApprovals(result.structuredContent) ?? approvals;
  draw();
}

/** Only what has changed is drawn, so that nobody loses the button he is on. */
function draw(): void {
  const next = JSON.stringify([approvals, [...runs]]);
  if (next === drawn) return;
  drawn = next;
  const waiting = approvals.filter(({ status }) => status === "waiting").length;
  heading.textContent =
    waiting === 0
      ? "Nothing waits for approval"
      : `${waiting} ${waiting === 1 ? "call waits" : "calls wait"} for a person`;
  const order = [...approvals].sort((a, b) => rank(a) - rank(b)).slice(0, 30);
  list.replaceChildren(...order.map((approval) => approvalCard(approval, runs.get(approval.id), actions)));
}

function rank({ status }: Approval): number {
  return { waiting: 0, approved: 1, rejected: 2, used: 3, expired: 4 }[status];
}

function say(text: string, isProblem = false): void {
  note.textContent = text;
  note.classList.toggle("problem", isProblem);
}
