import type { JSX } from "preact";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { InlineJson } from "../../components/code.tsx";
import { Text } from "../../components/text.tsx";
import { briefInput } from "./brief.ts";

/**
 * The input of a call in short: each member apart, so that no value breaks between two lines if it fits on one. Values
 * are JSON, so that a text cannot imitate other members. Shows everything if the JSON has at most `maxLength` characters.
 */
export function BriefInput({ input, maxLength }: { readonly input: unknown; readonly maxLength: number }): JSX.Element {
  if (!isRecord(input) || Object.keys(input).length === 0)
    return <InlineJson text={briefInput(input)} maxLength={maxLength} />;
  let left = maxLength;
  return (
    <>
      {Object.entries(input).map(([key, value]) => {
        if (left <= 0) return null;
        const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key);
        const text = briefInput(value).replaceAll(/\\(.)/g, (escape, sign) => (sign === "n" ? "↵" : escape));
        const maxShown = Math.max(1, left - name.length);
        left -= name.length + text.length;
        return (
          <span key={key} class="approvals-member">
            <span class="json-name">
              <Text value={name} maxLength={maxLength} isFixed />:
            </span>{" "}
            <InlineJson text={text} maxLength={maxShown} />
          </span>
        );
      })}
    </>
  );
}
