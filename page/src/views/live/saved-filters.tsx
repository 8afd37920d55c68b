import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { FormDialog } from "../../components/dialog.tsx";
import { Input } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { useMutation } from "../../resource.ts";
import { go, href } from "../../router.ts";
import { storedSetting } from "../../stored-setting.ts";
import { shownText } from "../approvals/shown-text.ts";
import type { CallFilter } from "./filters.tsx";

interface SavedFilter {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Filters by name, in this browser. */
const saved = storedSetting<readonly SavedFilter[]>("call-filters", []);

/** Opens, saves and deletes named filters. */
export function SavedFilters({ filter }: { readonly filter: CallFilter }): JSX.Element {
  const [isSaving, setSaving] = useState(false);
  const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
  const isEmpty = Object.keys(query).length === 0;
  const current = saved.value.find((each) => JSON.stringify(each.query) === JSON.stringify(query));
  return (
    <>
      <Menu
        label={current ? `Saved filters: ${shownText(current.name, 24)}` : "Saved filters"}
        class="button button-plain button-usual"
        items={[
          ...saved.value.map((each) => ({
            title: shownText(each.name, 40),
            isChecked: each === current,
            run: () => go(href("live", [], each.query)),
          })),
          !isEmpty && !current && { title: "Save this filter…", icon: "plus", run: () => setSaving(true) },
          current !== undefined && {
            title: `Delete “${shownText(current.name, 40)}”`,
            icon: "trash",
            isBad: true,
            run: () => {
              saved.value = saved.value.filter((each) => each !== current);
            },
          },
          isEmpty &&
            saved.value.length === 0 && { title: "Set a filter first, then save it here", run: () => undefined },
        ]}
      >
        <Icon name="audit" />
        <span>{current ? shownText(current.name, 24) : "Saved filters"}</span>
      </Menu>
      {isSaving && <SaveDialog query={query} onClose={() => setSaving(false)} />}
    </>
  );
}

function SaveDialog({
  query,
  onClose,
}: {
  readonly query: SavedFilter["query"];
  readonly onClose: () => void;
}): JSX.Element {
  const [name, setName] = useState("");
  const save = useMutation(async () => {
    const others = saved.value.filter((each) => each.name !== name.trim());
    saved.value = [...others, { name: name.trim(), query }].slice(-maxSaved);
    onClose();
  });
  return (
    <FormDialog
      title="Save this filter"
      width="narrow"
      onClose={onClose}
      action="Save"
      mutation={save}
      isReady={name.trim() !== ""}
      isSentByEnter
    >
      <Input
        label="Name"
        isFocused
        placeholder="slow refunds"
        value={name}
        onInput={(text) => setName(text.slice(0, 60))}
        hint="Kept in this browser."
      />
    </FormDialog>
  );
}

const maxSaved = 30;
