import "../page/theme.css";
import "./approvals.css";
import type { AppToolResult } from "../../bridge/content.ts";
import { connectView } from "../../view/connect-view.ts";
import { element } from "../page/element.ts";
import { resultText } from "../page/result-text.ts";
import { approvalCard } from "./approval-card.ts";
import type { CardActions, RunResult } from "./approval-card.ts";
import { readApprovals } from "./read-approvals.ts";
import type { ApprovalItem } from "./read-approvals.ts";

document.title = "Approvals";
const heading = element("h1", { text: "Approvals", attributes: { "aria-live": "polite" } });
const note = element("p", { class: "note", attributes: { role: "status" } });
const list = element("ul", { class: "approvals", attributes: { "aria-label": "Your calls" } });
document.body.append(element("main", {}, [heading, list, note]));

/** Results of calls that were run from this page, by approval id. */
const results = new Map<string, RunResult>();
let approvals: readonly ApprovalItem[] = [];
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
  /** Decisions need a signed-in person, so this only opens the admin page. */
  decide: ({ link }) => attempt(async () => link !== undefined && view.openLink(link)),
  runAgain: (approval) => attempt(() => runAgain(approval)),
};

async function runAgain({ id, tool, input }: ApprovalItem): Promise<void> {
  const result = await view.callTool(tool, input as Record<string, unknown>).catch((error: Error) => error);
  if (result instanceof Error) {
    // Only models may call this tool, so ask the model to.
    return view.message(`${tool} was approved. Please make the same call again.`);
  }
  const text = resultText(result);
  results.set(id, { text, isError: result.isError === true });
  await view
    .updateContext({
      content: `On the approvals page the user ran ${tool} ${JSON.stringify(input)}. Its result: ${text}`,
    })
    .catch(() => undefined);
  take(await view.callTool("approvals_status"));
}

async function attempt(action: () => unknown): Promise<void> {
  try {
    say("");
    await action();
  } catch (error) {
    say((error as Error).message, true);
  }
}

/** Polls while the page is visible, and more often while a call is waiting. */
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

function take(result: AppToolResult): void {
  if (result.isError) return say(resultText(result), true);
  approvals = readApprovals(result.structuredContent) ?? approvals;
  draw();
}

/** Redraws only after a change, so that the focus is kept. */
function draw(): void {
  const next = JSON.stringify([approvals, [...results]]);
  if (next === drawn) return;
  drawn = next;
  const waiting = approvals.filter(({ status }) => status === "waiting").length;
  heading.textContent =
    waiting === 0
      ? "No calls are waiting for approval"
      : `${waiting} ${waiting === 1 ? "call is" : "calls are"} waiting for approval`;
  const order = [...approvals].sort((a, b) => rank(a) - rank(b)).slice(0, 30);
  list.replaceChildren(
    ...order.map((approval) => approvalCard(approval, { result: results.get(approval.id), actions })),
  );
}

function rank({ status }: ApprovalItem): number {
  return { waiting: 0, approved: 1, rejected: 2, used: 3, expired: 4 }[status];
}

function say(text: string, isProblem = false): void {
  note.textContent = text;
  note.classList.toggle("problem", isProblem);
}
