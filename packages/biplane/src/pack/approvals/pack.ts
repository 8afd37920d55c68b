import { builtInApp } from "@biplane/core/apps/builtin";
import { BiplaneError } from "@biplane/core";
import type { Pack } from "@biplane/core";
import { object } from "../../schema/builders.ts";
import { packTool, textReply } from "../shared/pack-tool.ts";
import { ownApprovals } from "./own-approvals.ts";
import type { OwnApproval, ApprovalsPackOptions } from "./own-approvals.ts";

/** Shows an agent which of its calls wait for approval. Read-only: people decide on the admin page. */
export function approvalsPack(options: ApprovalsPackOptions): Pack {
  const { publicUrl } = options;
  if (typeof publicUrl === "string" && !/^https?:\/\//.test(publicUrl))
    throw new BiplaneError("INVALID_DEFINITION", `publicUrl must be an http or https URL, not ${publicUrl}.`);
  const shared = {
    output: object({ approvals: { type: "array" } }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  } as const;
  return {
    name: "approvals",
    tools: [
      packTool({
        ...shared,
        name: "approvals_waiting",
        title: "Approvals",
        description:
          "Show which of your calls wait for approval by a person, and the decisions on the others. Read-only: only a person can approve.",
        ui: builtInApp("approvals"),
        run: async (_, call) => {
          const approvals = await ownApprovals(options, call);
          return textReply(describeApprovals(approvals), { approvals });
        },
      }),
      packTool({
        ...shared,
        name: "approvals_status",
        title: "Approvals, for the app",
        description: "Polled by the approvals app",
        ui: { visibility: ["app"] },
        run: async (_, call) => ({ approvals: await ownApprovals(options, call) }),
      }),
    ],
  };
}

/** Lists waiting calls first, then the approved and rejected ones. */
function describeApprovals(approvals: readonly OwnApproval[]): string {
  const waiting = approvals.filter(({ status }) => status === "waiting");
  const answered = approvals.filter(({ status }) => status === "approved" || status === "rejected");
  const head =
    waiting.length === 0
      ? "None of your calls waits for approval."
      : `${waiting.length} of your calls ${waiting.length === 1 ? "waits" : "wait"} for approval:`;
  return [head, ...[...waiting, ...answered].slice(0, 50).map(line)].join("\n");
}

function line({ id, status, tool, question, input, link, reason }: OwnApproval): string {
  const call = `${tool} ${JSON.stringify(input)}`.slice(0, 500);
  if (status === "approved") return `- approved: ${call}. Repeat the same call to run it once.`;
  if (status === "rejected") return `- rejected: ${call}. ${reason ?? "No reason was given."}`;
  return `- ${call}: ${question} (approval ${id}${link === undefined ? "" : `; a person decides at ${link}`})`;
}
