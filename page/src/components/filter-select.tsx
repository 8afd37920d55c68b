import type { JSX } from "preact";
import { setQuery } from "../router.ts";
import { serverOverview } from "../server-overview.ts";
import { Select } from "./field.tsx";
import type { Choice } from "./field.tsx";

/** A filter or an order in a toolbar. It is kept in the address, unless it is the `preset`. */
export function FilterSelect(props: {
  readonly label: string;
  /** Its name in the address. */
  readonly name: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly preset?: string;
}): JSX.Element {
  const { name, preset = "", ...select } = props;
  return (
    <Select
      {...select}
      isLabelHidden
      onChange={(value) => setQuery({ [name]: value === preset ? undefined : value })}
    />
  );
}

/** Chooses one of the servers, if there are several. */
export function ServerSelect({ value }: { readonly value: string }): JSX.Element | null {
  const servers = serverOverview.value?.servers ?? [];
  if (servers.length <= 1) return null;
  const choices = [{ value: "", title: "All servers" }, ...servers.map(({ name }) => ({ value: name, title: name }))];
  return <FilterSelect label="Server" name="server" value={value} choices={choices} />;
}
