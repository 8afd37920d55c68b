import type { JSX } from "preact";
import { CopyButton } from "../../components/copy.tsx";
import { Text } from "../../components/text.tsx";
import "./small.css";

/** The start of a hash, with a button that copies all of it. */
export function ShortHash({ hash, what }: { readonly hash: string; readonly what: string }): JSX.Element {
  return (
    <span class="approvals-hash">
      <span class="mono" title={hash}>
        <Text value={shortHash(hash)} isFixed />…
      </span>
      <CopyButton text={hash} label={`Copy the ${what}`} />
    </span>
  );
}

/** Twelve digits are enough to compare by eye. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, "").slice(0, 12);
}
