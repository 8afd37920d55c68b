import { Fragment } from "preact";
import type { JSX } from "preact";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Text } from "../../components/text.tsx";
import { cutText } from "../../components/visible-text.ts";
import { plural } from "../../format.ts";

/** When a rule applies, and what it says then: `refund where amount ≤ 50`. */
export function Conditions({ rule }: { readonly rule: Readonly<Record<string, unknown>> }): JSX.Element {
  const { when, says } = describe(rule);
  return (
    <>
      <span class="mono">
        {cutText(when, maxLength)
          .split(" ")
          .map((word, at) => (
            <Fragment key={at}>
              <span class="policies-word">
                <Text value={word} isFixed />
              </span>{" "}
            </Fragment>
          ))}
        {when.length > maxLength && "…"}
      </span>
      {says !== "" && (
        <span class="block">
          <Text value={says} maxLength={maxLength} isFixed />
        </span>
      )}
    </>
  );
}

const maxLength = 200;

function describe(rule: Readonly<Record<string, unknown>>): { readonly when: string; readonly says: string } {
  const { tool = "*", ask, deny, approvers } = rule;
  const conditions = conditionsOf(rule);
  const question = typeof ask === "string" ? [`Asks “${ask}”`] : [];
  const reason = typeof deny === "string" ? [`Says “${deny}”`] : [];
  const people = typeof approvers === "number" ? [`${plural(approvers, "person", "people")} must approve`] : [];
  return {
    when: `${tool === "*" ? "any tool" : textOf(tool)}${conditions.length > 0 ? ` where ${conditions.join(" and ")}` : ""}`,
    says: [...question, ...reason, ...people].join("; "),
  };
}

/** When a rule applies to a tool: `amount ≤ 50`, `agent is like bulk-*`. */
export function conditionsOf(rule: Readonly<Record<string, unknown>>): readonly string[] {
  const {
    name: _name,
    allow: _allow,
    tool: _tool,
    arguments: inputs,
    ask: _ask,
    deny: _deny,
    approvers: _,
    ...rest
  } = rule;
  return [
    ...(isRecord(inputs) ? Object.entries(inputs).map(([name, wanted]) => argumentOf(name, wanted)) : []),
    ...Object.entries(rest).map(([key, wanted]) => conditionOf(key, wanted)),
  ];
}

/** Text that looks like a glob matches only itself here: the condition for globs is `like`. */
function argumentOf(name: string, wanted: unknown): string {
  const isLikeGlob = typeof wanted === "string" && /[*?]/.test(wanted);
  return isLikeGlob ? `${name} is exactly "${wanted}"` : conditionOf(name, wanted);
}

/** `amount ≤ 50`, `amount ≥ 10 and ≤ 50`, `time from 01:00 to 04:00`. What has no sign stays as it is written. */
function conditionOf(name: string, wanted: unknown): string {
  if (!isRecord(wanted)) return `${name} is ${textOf(wanted)}`;
  const parts = Object.entries(wanted).map(([key, value]) => `${signs[key] ?? key} ${textOf(value)}`);
  return `${name} ${parts.join(name === "time" ? " " : " and ")}`;
}

const signs: Readonly<Record<string, string>> = {
  max: "≤",
  min: "≥",
  like: "is like",
  in: "is one of",
  is: "is a",
  not: "is not",
  any: "is any of",
  days: "on",
  zone: "in",
};

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
