import type { JSX } from "preact";
import { pairsBeyond } from "../../components/input-values.ts";
import { Text } from "../../components/text.tsx";
import { QuestionLines } from "./question-lines.tsx";

/** The question about a call, and below it what the question does not have of the input. */
export function AboutCall(props: {
  readonly question: string;
  /** The input as JSON, or the beginning of that. */
  readonly input: string | null;
  readonly maxLength: number;
  /** A class of the line with the input. */
  readonly inputClass?: string;
}): JSX.Element {
  const { question, input, maxLength, inputClass = "" } = props;
  const values = pairsBeyond(question, input);
  return (
    <>
      <QuestionLines question={question} maxLength={maxLength} />
      {values !== "" && (
        <span class={`row-under approvals-line ${inputClass}`}>
          <Text value={values} maxLength={160} isFixed />
        </span>
      )}
    </>
  );
}
