import type { JSX } from "preact";
import type { SecretName } from "../../../../packages/biplane/src/governance/secrets/secrets.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import type { PagedList } from "../../paged-list.ts";
import { UsedBy } from "./used-by.tsx";

/** Secrets that scripts need but that are not set. */
export function MissingSecrets(props: {
  readonly uses: ReadonlyMap<string, readonly string[]>;
  readonly pages: PagedList<SecretName>;
  readonly onSet: ((name: string) => void) | undefined;
}): JSX.Element | null {
  const { uses, pages, onSet } = props;
  // Wait for the whole list, so that no existing secret looks missing.
  const isKnown = !pages.isLoading && !pages.hasMore && pages.error === undefined;
  const known = new Set(pages.items.map(({ name }) => name));
  const missing = [...uses].filter(([name]) => !known.has(name));
  if (!isKnown || missing.length === 0) return null;
  return (
    <Card title="Missing secrets">
      <ul class="secrets-missing">
        {missing.map(([name, scripts]) => (
          <li key={name}>
            <Text value={name} maxLength={64} isFixed isMono class="strong" />
            <span class="grow">
              <span class="muted">used by</span> <UsedBy scripts={scripts} />
            </span>
            {onSet && (
              <Button size="small" label={`Set ${name}`} onClick={() => onSet(name)}>
                Set
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
