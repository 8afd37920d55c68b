import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import { shownText } from "./shown-text.ts";
import { noRule } from "./no-rule.ts";

/** The rules that decided about a call. Records of version 0.1 have none. */
export function RuleBadges({ rules = [] }: { readonly rules?: readonly string[] | undefined }): JSX.Element {
  // A list without a matching rule says nothing if another list has one.
  const named = rules.filter((rule) => rule !== noRule);
  if (named.length === 0 && rules.length > 0) return <span class="muted">no rule</span>;
  return (
    <>
      {named.slice(0, 5).map((rule) => (
        <Badge key={rule} tone="info" title={`Rule ${shownText(rule)}`}>
          <span class="hidden">Rule </span>
          <Text value={rule} maxLength={48} isFixed />
        </Badge>
      ))}
    </>
  );
}
