import { builtInApp } from "../../app/built-in.ts";
import { BiplaneError } from "../../errors.ts";
import type { Pack } from "../../server/pack.ts";
import { reply, text } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import { ownApprovals } from "./own-approvals.ts";
import type { OwnApproval, ApprovalsPackOptions } from "./own-approvals.ts";

/**
 * Lets an agent, and whoever watches it, see which of its calls wait for a person. It only shows: the answer is given
 * where people log in, and the page leads there.
 */
export function approvalsPack(options: ApprovalsPackOptions): Pack {
  const { publicUrl } = options;
  if (typeof publicUrl === "string" && !/^https?:\/\//.test(publicUrl))
    throw new BiplaneError("INVALID_DEFINITION", `publicUrl is an http or https address, not ${publicUrl}`);
  const shared = {
    output: { type: "object", required: ["approvals"], properties: { approvals: { type: "array" } } },
    timeoutMs: 30_000,
    annotations: { readOnlyHint: true, openWorldHint: false },
  } as const;
  return {
    name: "approvals",
    tools: [
      tool({
        ...shared,
        name: "approvals_waiting",
        title: "Approvals",
        description:
          "Show which of your calls wait for a person's approval, and what became of the others. It decides nothing: only a person can.",
        ui: builtInApp("approvals"),
        run: async (_, call) => {
          const approvals = await ownApprovals(options, call);
          return reply(text(inWords(approvals)), { structured: { approvals } });
        },
      }),
      tool({
        ...shared,
        name: "approvals_status",
        title: "Approvals, for the page",
        description: "What the page of approvals asks again and again",
        ui: { visibility: ["app"] },
        run: async (_, call) => ({ approvals: await ownApprovals(options, call) }),
      }),
    ],
  };
}

/** What is waiting comes first; of the rest, what the agent can act on. */
function inWords(approvals: readonly OwnApproval[]): string {
  const waiting = approvals.filter(({ status }) => status === "waiting");
  const answered = approvals.filter(({ status }) => status === "approved" || status === "rejected");
  const head =
    waiting.length === 0
      ? "None of your calls waits for approval."
      : `${waiting.length} of your calls ${waiting.length === 1 ? "waits" : "wait"} for a person:`;
  return [head, ...[...waiting, ...answered].slice(0, 50).map(line)].join("\n");
}

function line({ id, status, tool, question, input, link, reason }: OwnApproval): string {
  const call = `${tool} ${JSON.stringify(input)}`.slice(0, 500);
  if (status === "approved") return `- approved: ${call}. Make the same call again and it goes through, once.`;
  if (status === "rejected") return `- rejected: ${call}. ${reason ?? "No reason was given."}`;
  return `- ${call}: ${question} (approval ${id}${link === undefined ? "" : `; a person decides at ${link}`})`;
}
