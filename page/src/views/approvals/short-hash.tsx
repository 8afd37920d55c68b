import type { JSX } from "preact";
import { CopyButton } from "../../components/copy.tsx";
import { Text } from "../../components/text.tsx";

/** The start of a hash, and a button for all of it. */
export function ShortHash({ hash, what }: { readonly hash: string; readonly what: string }): JSX.Element {
  return (
    <span class="approvals-hash">
      <span class="mono" title={hash}>
        <Text value={hash.slice(0, 12)} isFixed />…
      </span>
      <CopyButton text={hash} label={`Copy the ${what}`} />
    </span>
  );
}
