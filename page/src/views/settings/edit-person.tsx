import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Person } from "../../../../packages/biplane/src/governance/people/person.ts";
import { callApi } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import { shownText } from "../approvals/shown-text.ts";
import { AccessPicker, accessBody } from "./access-choice.tsx";
import type { AccessChoice } from "./access-choice.tsx";
import { roleOf } from "./role-badge.tsx";

/** Changes what a person may. It holds at once. */
export function EditPerson(props: {
  readonly person: Person;
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { person: edited, onDone, onClose } = props;
  const [access, setAccess] = useState<AccessChoice>({
    role: roleOf(edited) ?? "custom",
    scopes: roleOf(edited) === null ? edited.scopes : [],
  });
  const save = useMutation(async () => {
    await callApi("PUT /api/people/:name", { name: edited.name, body: accessBody(access) });
    toast(`Changed the access of ${shownText(edited.name)}`);
    onDone();
  });
  return (
    <FormDialog title={`Access of ${shownText(edited.name, 40)}`} onClose={onClose} action="Save" mutation={save}>
      <AccessPicker value={access} onChange={setAccess} />
      <p class="muted">It holds at once, also where {shownText(edited.name, 40)} is signed in.</p>
    </FormDialog>
  );
}
