import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { callApi } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Input } from "../../components/field.tsx";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../format.ts";
import { useMutation } from "../../resource.ts";

/** Names and tags one run, or adds tags to several. The live list shows the change. */
export function EditRuns(props: {
  readonly runs: readonly RunSummary[];
  readonly onClose: () => void;
  readonly onSaved?: () => void;
}): JSX.Element {
  const { runs, onClose, onSaved } = props;
  const only = runs.length === 1 ? runs[0] : undefined;
  const [name, setName] = useState(only?.name ?? "");
  const [words, setWords] = useState(only ? only.tags.join(", ") : "");
  const save = useMutation(async () => {
    const tags = words.split(",").flatMap((word) => word.trim() || []);
    for (const { id, tags: known } of runs) {
      const body = only ? { name, tags } : { tags: [...new Set([...known, ...tags])] };
      await callApi("PATCH /api/runs/:id", { id, body });
    }
    toast(only ? "Saved" : `Tagged ${plural(runs.length, "run")}`);
    onSaved?.();
    onClose();
  });
  return (
    <FormDialog
      title={only ? "Name and tags" : `Add tags to ${runs.length} runs`}
      width="narrow"
      onClose={onClose}
      action="Save"
      mutation={save}
      isSentByEnter
    >
      {only && <Input label="Name" value={name} onInput={setName} hint="Empty for no name." isFocused />}
      <Input
        label="Tags"
        value={words}
        onInput={setWords}
        hint="Comma-separated. A run with the tag keep is never deleted because of its age."
        isFocused={!only}
      />
    </FormDialog>
  );
}
