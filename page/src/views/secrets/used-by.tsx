import type { JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { href } from "../../router.ts";

/** The scripts that declare a secret. Uses by packs and mounted servers are not known. */
export function UsedBy({ scripts }: { readonly scripts: readonly string[] }): JSX.Element {
  if (scripts.length === 0) return <span class="muted">no script uses it</span>;
  return (
    <span class="secrets-uses">
      {scripts.slice(0, 5).map((name) => (
        <a key={name} class="mono" href={href("scripts", [name])}>
          <Text value={name} maxLength={40} isFixed />
        </a>
      ))}
      {scripts.length > 5 && <span class="muted">and {scripts.length - 5} more</span>}
    </span>
  );
}
