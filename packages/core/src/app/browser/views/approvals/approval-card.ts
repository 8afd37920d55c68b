import { element } from "../page/element.ts";
import type { ApprovalStatus } from "../../../../tool/approval-status.ts";
import type { ApprovalItem } from "./read-approvals.ts";

/** The result of a call that was run from the page. */
export interface RunResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface CardActions {
  decide(approval: ApprovalItem): Promise<void>;
  runAgain(approval: ApprovalItem): Promise<void>;
}

/** Shows one call with its input, its status and a button. */
export function approvalCard(
  approval: ApprovalItem,
  { result, actions }: { result: RunResult | undefined; actions: CardActions },
): HTMLElement {
  const { id, status, tool, question, reason, askedAt } = approval;
  const children: Node[] = [
    element("div", { class: "row" }, [
      element("strong", { text: tool }),
      element("span", { class: `state ${status}`, text: states[status] }),
    ]),
    element("p", { class: "question", text: question }),
    inputOf(approval),
  ];
  if (reason !== undefined) children.push(element("p", { class: "reason", text: `Reason: ${reason}` }));
  if (result) children.push(element("pre", { class: result.isError ? "answer problem" : "answer", text: result.text }));
  const foot = footOf(approval, actions);
  if (Number.isFinite(askedAt)) foot.push(element("span", { class: "when", text: `Asked at ${time.format(askedAt)}` }));
  children.push(element("div", { class: "row" }, foot));
  return element("li", { class: `approval ${status}`, attributes: { "data-id": id } }, children);
}

const states: Readonly<Record<ApprovalStatus, string>> = {
  waiting: "Waiting for approval",
  approved: "Approved",
  used: "Approved and run",
  rejected: "Rejected",
  expired: "Expired",
};

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

function inputOf({ input, status }: ApprovalItem): HTMLElement {
  const code = element("pre", { text: visibleJson(input) });
  const isOpen = status === "waiting" || status === "approved";
  return element("details", { attributes: { open: isOpen } }, [element("summary", { text: "Input" }), code]);
}

/** Escapes invisible characters and those that change the text direction. */
function visibleJson(input: unknown): string {
  const json = JSON.stringify(input, undefined, 2) ?? "";
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (mark) => mark.split("").map(escape).join(""));
}

function footOf(approval: ApprovalItem, actions: CardActions): Node[] {
  if (approval.status === "waiting")
    return approval.link === undefined
      ? [element("span", { class: "when", text: "Decide on the admin page of this server." })]
      : [press("Open to decide", () => actions.decide(approval))];
  return approval.status === "approved" ? [press("Run it now", () => actions.runAgain(approval))] : [];
}

/** A button that is disabled while its action runs. */
function press(text: string, action: () => Promise<void>): HTMLElement {
  const click = () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    void action().finally(() => button.removeAttribute("aria-disabled"));
  };
  const button = element("button", { class: "main", text, attributes: { type: "button" }, on: { click } });
  return button;
}
