import type { JSX } from "preact";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Json } from "../../components/json.tsx";
import { Text } from "../../components/text.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { plural } from "../../format.ts";
import type { Entry } from "./sections.ts";
import { readableValue, unsetMeaning } from "./readable-value.ts";

/** The value of a setting, in units that people read, and what happens if it is not set. */
export function SettingValue({ entry }: { readonly entry: Entry }): JSX.Element {
  const { key, value } = entry;
  if (value === null || value === undefined) {
    const meaning = unsetMeaning(entry);
    return (
      <span class="muted">
        not set
        {meaning !== undefined && (
          <>
            {": "}
            <Text value={meaning} maxLength={200} isFixed />
          </>
        )}
      </span>
    );
  }
  if (key === "policies" && Array.isArray(value) && (value.length > 0 || entry.published !== undefined))
    return <RuleCounts inFile={value.length} published={entry.published} />;
  if (typeof value === "object" && Object.keys(value).length === 0) return <span class="muted">none</span>;
  const targets = key.startsWith("notifications.") ? namesIn(value) : undefined;
  if (targets)
    return (
      <ViewLink route="approvals" query={{ tab: "notifications" }}>
        <Text value={targets.join(", ")} maxLength={400} isFixed />
      </ViewLink>
    );
  if (isShortList(value)) return <Text value={value.join(", ")} maxLength={400} isMono />;
  if (typeof value === "object") return <Json value={value} depth={1} />;
  return <Text value={typeof value === "string" ? value : readableValue(key, value)} maxLength={400} isMono />;
}

/** `7 rules in the file, 2 published`. */
function RuleCounts(props: { readonly inFile: number; readonly published: number | undefined }): JSX.Element {
  const { inFile, published } = props;
  return (
    <>
      <ViewLink route="policies">
        {published === undefined ? plural(inFile, "rule") : `${plural(inFile, "rule")} in the file`}
      </ViewLink>
      {published !== undefined && (
        <>
          ,{" "}
          <ViewLink route="policies" query={{ tab: "published" }}>
            {published} published
          </ViewLink>
        </>
      )}
    </>
  );
}

/** The names of a list of which every item has one. */
function namesIn(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const names = value.map((each: unknown) => (isRecord(each) ? each["name"] : undefined));
  return names.every((name) => typeof name === "string") ? names : undefined;
}

/** What a setting does. Text in backticks is code. */
export function AboutSetting({ entry: { about } }: { readonly entry: Entry }): JSX.Element | null {
  if (about === undefined) return null;
  return (
    <span class="settings-about muted small">
      {about
        .slice(0, 400)
        .split("`")
        .map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}
    </span>
  );
}

/** A list of names, which reads best on one line. */
function isShortList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string" && each !== "");
}
