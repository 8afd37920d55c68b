import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Approval, ApprovalScope } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { messageOf } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Segmented, Textarea } from "../../components/field.tsx";
import { jsonText } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { PrincipalName } from "./caller.tsx";
import { PatternRows } from "./pattern-rows.tsx";
import { describePattern } from "./describe-pattern.ts";
import { maxRows, patternOf, rowsOf } from "./pattern.ts";
import type { Row } from "./pattern.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";

type Callers = "caller" | "everyone";

/** Edits the pattern of calls to auto-approve: by argument, or as a policy rule. */
export function PatternDialog(props: {
  readonly approval: Approval;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onApprove: (scope: ApprovalScope) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { approval, isBusy, error, onApprove, onClose } = props;
  const [all] = useState(() => rowsOf(approval.input));
  const [rows, setRows] = useState<readonly Row[]>(all.slice(0, maxRows));
  const [mode, setMode] = useState<"form" | "json">("form");
  const [text, setText] = useState("");
  const [callers, setCallers] = useState<Callers>("caller");
  const made = mode === "form" ? patternOf(approval.tool, rows) : parsePattern(text);
  const { pattern, fault } = made;
  return (
    <FormDialog
      title="Approve by pattern"
      width="wide"
      class="stack"
      action="Approve matching calls"
      mutation={{ run: async () => onApprove({ kind: "pattern", pattern, for: callers }), isBusy, error }}
      isReady={pattern !== undefined}
      onClose={onClose}
    >
      <div class="row">
        <Segmented
          label="Pattern editor"
          value={mode}
          choices={{ form: "Arguments", json: "JSON" }}
          onChange={(next) => {
            setMode(next);
            if (next === "json") setText(jsonText(pattern ?? { tool: approval.tool }));
          }}
        />
        <Segmented
          label="Applies to"
          value={callers}
          choices={{ caller: "For this caller", everyone: "For everyone" }}
          onChange={setCallers}
        />
      </div>
      {mode === "json" ? (
        <Textarea
          label="Pattern"
          hint="Uses the syntax of policy rules: tool, principal, agent, route, mode, arguments, time."
          isMono
          rows={Math.min(18, Math.max(6, text.split("\n").length + 1))}
          value={text}
          error={fault?.message}
          onInput={setText}
        />
      ) : (
        <PatternRows rows={rows} fault={fault} onChange={setRows} />
      )}
      {all.length > maxRows && mode === "form" && (
        <p class="text-warn">
          A pattern has at most {maxRows} arguments. {plural(all.length - maxRows, "argument")} more can have any value.
        </p>
      )}
      <div class="approvals-sentence" role="status" aria-label="Covered calls" tabIndex={0}>
        {pattern === undefined ? (
          <span class="muted">The pattern is not valid yet.</span>
        ) : (
          <>
            Auto-approves <Text value={describePattern(pattern)} maxLength={2000} />. Applies to{" "}
            {callers === "everyone" ? <strong>every caller</strong> : <PrincipalName principal={approval.principal} />}.
            All other calls still need approval.
          </>
        )}
      </div>
    </FormDialog>
  );
}

function parsePattern(text: string): { pattern?: object; fault?: { path: string; message: string } } {
  try {
    const pattern: unknown = JSON.parse(text);
    if (isRecord(pattern)) return { pattern };
    return { fault: { path: "", message: 'Must be a JSON object, such as { "tool": "refund_*" }.' } };
  } catch (error) {
    return { fault: { path: "", message: messageOf(error) } };
  }
}
