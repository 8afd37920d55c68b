import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TraceAnnotation, TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Checkbox, Segmented, Textarea } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toastProblem } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";

/** What people wrote about a rollout, and a form to write more. */
export function TraceAnnotations(props: {
  readonly trace: TraceDetail;
  readonly at: number;
  readonly onMove: (at: number) => void;
  readonly onChange: () => void;
}): JSX.Element | null {
  const { trace, at, onMove, onChange } = props;
  const mayEdit = mayUse("edit-runs");
  if (!mayEdit && trace.annotations.length === 0) return null;
  const remove = (annotation: string) => {
    callApi("DELETE /api/traces/:id/annotations/:annotation", { id: trace.id, annotation }).then(
      onChange,
      toastProblem,
    );
  };
  return (
    <Card title="Annotations">
      <div class="stack">
        {trace.annotations.length > 0 && (
          <ul class="annotations" aria-label="Annotations">
            {trace.annotations.map((annotation) => (
              <li key={annotation.id} class="annotation">
                <AnnotationItem annotation={annotation} onMove={onMove} onDelete={mayEdit ? remove : undefined} />
              </li>
            ))}
          </ul>
        )}
        {mayEdit && <AnnotationForm id={trace.id} at={at} onSaved={onChange} />}
      </div>
    </Card>
  );
}

function AnnotationItem(props: {
  readonly annotation: TraceAnnotation;
  readonly onMove: (at: number) => void;
  readonly onDelete: ((id: string) => void) | undefined;
}): JSX.Element {
  const { annotation, onMove, onDelete } = props;
  const { id, step, verdict, text, author, createdAt } = annotation;
  return (
    <>
      <div class="annotation-head">
        {verdict !== null && <Badge tone={verdict}>{verdict}</Badge>}
        <span class="strong ellipsis">
          <Text value={author} maxLength={60} isFixed />
        </span>
        <span class="muted small">
          <Time at={createdAt} />
        </span>
        <span class="grow" />
        {step !== null && (
          <button type="button" class="more" onClick={() => onMove(step)}>
            {step === 0 ? "prompt" : `step ${step}`}
          </button>
        )}
        {onDelete && (
          <Button kind="quiet" size="small" icon="trash" label="Delete annotation" onClick={() => onDelete(id)} />
        )}
      </div>
      <Text value={text} isBlock maxLength={1000} />
    </>
  );
}

function AnnotationForm(props: {
  readonly id: string;
  readonly at: number;
  readonly onSaved: () => void;
}): JSX.Element {
  const { id, at, onSaved } = props;
  const [text, setText] = useState("");
  const [verdict, setVerdict] = useState<"" | "good" | "bad">("");
  const [isWhole, setWhole] = useState(false);
  const save = useMutation(async () => {
    const step = isWhole ? null : at;
    const body = { text: text.trim(), step, verdict: verdict === "" ? null : verdict };
    await callApi("POST /api/traces/:id/annotations", { id, body });
    setText("");
    setVerdict("");
    onSaved();
  });
  return (
    <form
      class="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <Textarea
        label="New annotation"
        isLabelHidden
        placeholder={isWhole ? "About this rollout" : at === 0 ? "About the prompt" : `About step ${at}`}
        rows={2}
        value={text}
        onInput={setText}
      />
      <div class="row">
        <Segmented
          label="Verdict"
          value={verdict}
          choices={{ "": "Remark", good: "Good", bad: "Bad" }}
          onChange={setVerdict}
        />
        <Checkbox label="Whole rollout" isChecked={isWhole} onChange={setWhole} />
        <span class="grow" />
        <Button type="submit" size="small" isBusy={save.isBusy} isDisabled={text.trim() === "" || text.length > 4000}>
          Annotate {isWhole ? "rollout" : at === 0 ? "prompt" : `step ${at}`}
        </Button>
      </div>
      {save.error !== undefined && <Problem error={save.error} />}
    </form>
  );
}
