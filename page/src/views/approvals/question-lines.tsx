import type { JSX } from "preact";
import { Text } from "../../components/text.tsx";

/** The questions of an approval, a line each: several rules can ask about one call. */
export function QuestionLines(props: { readonly question: string; readonly maxLength: number }): JSX.Element {
  return (
    <>
      {props.question.split("\n").map((line, at) => (
        <span key={at} class={at === 0 ? "block" : "row-under"}>
          <Text value={line} maxLength={props.maxLength} isFixed />
        </span>
      ))}
    </>
  );
}
