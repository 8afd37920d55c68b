import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Approval, Hold } from "../../../../src/admin/approvals/approval.ts";
import { messageOf } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Segmented, Textarea } from "../../components/field.tsx";
import { jsonText } from "../../components/json.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { Proven } from "./caller.tsx";
import { PatternRows } from "./pattern-rows.tsx";
import { patternWords } from "./pattern-words.ts";
import { mostRows, patternOf, rowsOf } from "./pattern.ts";
import type { Row } from "./pattern.ts";

type Whom = "caller" | "everyone";

/** Which calls like this one need no answer from now on: argument by argument, or as a rule is written. */
export function PatternDialog(props: {
  readonly approval: Approval;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onApprove: (hold: Hold) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { approval, isBusy, error, onApprove, onClose } = props;
  const [all] = useState(() => rowsOf(approval.input));
  const [rows, setRows] = useState<readonly Row[]>(all.slice(0, mostRows));
  const [mode, setMode] = useState<"form" | "json">("form");
  const [text, setText] = useState("");
  const [whom, setWhom] = useState<Whom>("caller");
  const made = mode === "form" ? patternOf(approval.tool, rows) : written(text);
  const { pattern, fault } = made;
  return (
    <Dialog
      title="Approve by a pattern"
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="main"
            isBusy={isBusy}
            isDisabled={pattern === undefined}
            onClick={() => onApprove({ kind: "pattern", pattern, for: whom })}
          >
            Approve calls like this
          </Button>
        </>
      }
    >
      <div class="stack">
        <div class="row">
          <Segmented
            label="How to write the pattern"
            value={mode}
            choices={[
              { value: "form", title: "Arguments" },
              { value: "json", title: "JSON" },
            ]}
            onChange={(next) => {
              setMode(next);
              if (next === "json") setText(jsonText(pattern ?? { tool: approval.tool }));
            }}
          />
          <Segmented
            label="For whom"
            value={whom}
            choices={[
              { value: "caller", title: "For this caller" },
              { value: "everyone", title: "For everyone" },
            ]}
            onChange={setWhom}
          />
        </div>
        {mode === "json" ? (
          <Textarea
            label="Pattern"
            hint="As a rule of a policy writes it: tool, principal, agent, route, mode, arguments, time."
            isMono
            rows={Math.min(18, Math.max(6, text.split("\n").length + 1))}
            value={text}
            error={fault?.message}
            onInput={setText}
          />
        ) : (
          <PatternRows rows={rows} fault={fault} onChange={setRows} />
        )}
        {all.length > mostRows && mode === "form" && (
          <p class="text-warn">
            {plural(all.length - mostRows, "argument")} cannot be named, because there are so many, and may be anything.
          </p>
        )}
        <div class="approvals-sentence" role="status" aria-label="What it will cover" tabIndex={0}>
          {pattern === undefined ? (
            <span class="muted">The pattern is not right yet.</span>
          ) : (
            <>
              From now on <Text value={patternWords(pattern)} most={2000} /> go through without a question when{" "}
              {whom === "everyone" ? <strong>anybody</strong> : <Proven principal={approval.principal} />} makes them.
              Everything else still asks.
            </>
          )}
        </div>
        {error !== undefined && <Problem error={error} />}
      </div>
    </Dialog>
  );
}

function written(text: string): { pattern?: object; fault?: { path: string; message: string } } {
  try {
    const pattern: unknown = JSON.parse(text);
    if (typeof pattern === "object" && pattern !== null && !Array.isArray(pattern)) return { pattern };
    return { fault: { path: "", message: 'It must be an object, such as { "tool": "refund_*" }' } };
  } catch (error) {
    return { fault: { path: "", message: messageOf(error) } };
  }
}
