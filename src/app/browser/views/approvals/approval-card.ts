import { element } from "../page/element.ts";
import type { Approval, Status } from "./read-approvals.ts";

export interface CardActions {
  decide(approval: Approval): Promise<void>;
  runAgain(approval: Approval): Promise<void>;
}

/** One call: what it would do, where it stands, and what can be done about it here. */
export function approvalCard(
  approval: Approval,
  run: { readonly text: string; readonly isError: boolean } | undefined,
  actions: CardActions,
): HTMLElement {
  const { id, status, tool, question, reason, askedAt } = approval;
  const children: Node[] = [
    element("div", { class: "line" }, [
      element("strong", { text: tool }),
      element("span", { class: `state ${status}`, text: states[status] }),
    ]),
    element("p", { class: "question", text: question }),
    inputOf(approval),
  ];
  if (reason !== undefined) children.push(element("p", { class: "reason", text: `Reason: ${reason}` }));
  if (run) children.push(element("pre", { class: run.isError ? "answer problem" : "answer", text: run.text }));
  const foot = footOf(approval, actions);
  if (Number.isFinite(askedAt)) foot.push(element("span", { class: "when", text: `Asked at ${time.format(askedAt)}` }));
  children.push(element("div", { class: "line" }, foot));
  return element("li", { class: `approval ${status}`, attributes: { "data-id": id } }, children);
}

const states: Readonly<Record<Status, string>> = {
  waiting: "Waits for a person",
  approved: "Approved",
  used: "Approved and run",
  rejected: "Rejected",
  expired: "Expired",
};

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

function inputOf({ input, status }: Approval): HTMLElement {
  const code = element("pre", { text: visibleJson(input) });
  const isOpen = status === "waiting" || status === "approved";
  return element("details", { attributes: { open: isOpen } }, [element("summary", { text: "Input" }), code]);
}

/** What is not seen, or turns the text around it, is spelled out. */
function visibleJson(input: unknown): string {
  const json = JSON.stringify(input, undefined, 2) ?? "";
  const spelled = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (mark) => mark.split("").map(spelled).join(""));
}

function footOf(approval: Approval, actions: CardActions): Node[] {
  if (approval.status === "waiting")
    return approval.link === undefined
      ? [element("span", { class: "when", text: "A person decides on the page of this server." })]
      : [press("Open to decide", () => actions.decide(approval))];
  return approval.status === "approved" ? [press("Run it now", () => actions.runAgain(approval))] : [];
}

/** Pressed once is enough while it is being done. */
function press(text: string, act: () => Promise<void>): HTMLElement {
  const click = () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    void act().finally(() => button.removeAttribute("aria-disabled"));
  };
  const button = element("button", { class: "main", text, attributes: { type: "button" }, on: { click } });
  return button;
}
