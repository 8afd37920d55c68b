import type { Catalog, CatalogChange } from "./catalog.ts";
import type { Fleet } from "./fleet.ts";

export interface SharedChanges {
  readonly name: string;
  readonly catalog: Catalog;
  /** Called with a change in another process. */
  readonly onChange: (change: CatalogChange) => void;
  readonly report: (fault: unknown) => void;
}

/** Tells the other processes what changes in a server, and hears it from them. Equal changes are sent once. */
export function shareChanges(fleet: Fleet, { name, catalog, onChange, report }: SharedChanges): void {
  const topic = `changes of ${name}`;
  let changes = new Map<string, CatalogChange>();
  const send = () => {
    const data = [...changes.values()];
    changes = new Map();
    fleet.send({ topic, data }).catch(report);
  };
  catalog.onChange((change) => {
    if (changes.size === 0) setTimeout(send, gatherMs).unref();
    changes.set(JSON.stringify(change), change);
  });
  fleet.receive(topic, (data) => {
    for (const change of data as CatalogChange[]) onChange(change);
  });
}

const gatherMs = 20;
