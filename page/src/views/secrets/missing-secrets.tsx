import type { JSX } from "preact";
import type { SecretName } from "../../../../src/admin/secrets/secrets.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import type { Pages } from "../../pages.ts";
import { UsedBy } from "./used-by.tsx";

/** What scripts ask for and nobody has set. */
export function MissingSecrets(props: {
  readonly uses: ReadonlyMap<string, readonly string[]>;
  readonly pages: Pages<SecretName>;
  readonly onSet: (name: string) => void;
}): JSX.Element | null {
  const { uses, pages, onSet } = props;
  // Before all are known, one that is set could look as if it were missing.
  const isKnown = !pages.isLoading && !pages.hasMore && pages.error === undefined;
  const known = new Set(pages.items.map(({ name }) => name));
  const missing = [...uses].filter(([name]) => !known.has(name));
  if (!isKnown || missing.length === 0) return null;
  return (
    <Card title="Needed by scripts, and not set">
      <ul class="secrets-missing">
        {missing.map(([name, scripts]) => (
          <li key={name}>
            <span class="mono strong">
              <Text value={name} most={64} isFixed />
            </span>
            <span class="grow">
              <span class="muted">used by</span> <UsedBy scripts={scripts} />
            </span>
            <Button size="small" label={`Set ${name}`} onClick={() => onSet(name)}>
              Set
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
