import type { JSX } from "preact";
import { valuesBeyond } from "../../components/input-values.ts";
import { Text } from "../../components/text.tsx";
import { QuestionLines } from "./question-lines.tsx";

/** The question about a call, and below it the values of its input that the question does not have. */
export function AboutCall(props: {
  readonly question: string;
  /** The input as JSON, or the beginning of that. */
  readonly input: string | null;
  readonly maxLength: number;
}): JSX.Element {
  const { question, input, maxLength } = props;
  const values = valuesBeyond(question, input);
  return (
    <>
      <QuestionLines question={question} maxLength={maxLength} />
      {values !== "" && (
        <span class="row-under approvals-line">
          <Text value={values} maxLength={160} isFixed />
        </span>
      )}
    </>
  );
}
