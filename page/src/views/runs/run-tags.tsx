import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";

/** The tags that people gave a run. */
export function RunTags({ tags }: { readonly tags: readonly string[] }): JSX.Element | null {
  if (tags.length === 0) return null;
  return (
    <span class="run-tags">
      {tags.slice(0, maxTags).map((tag) => (
        <Badge key={tag}>
          <Text value={tag} maxLength={40} isFixed />
        </Badge>
      ))}
      {tags.length > maxTags && <span class="muted">+{tags.length - maxTags}</span>}
    </span>
  );
}

const maxTags = 8;
