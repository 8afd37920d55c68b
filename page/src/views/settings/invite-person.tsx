import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import { Snippet } from "../../components/copy.tsx";
import { DoneDialog, FormDialog } from "../../components/dialog.tsx";
import { Input, Select } from "../../components/field.tsx";
import { Time } from "../../components/time.tsx";
import { useMutation } from "../../resource.ts";
import { AccessPicker, accessBody, firstChoice } from "./access-choice.tsx";
import type { AccessChoice } from "./access-choice.tsx";

/** Creates a link with which one person can create an account. It is shown once. */
export function InvitePerson({
  onDone,
  onClose,
}: {
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const [access, setAccess] = useState<AccessChoice>(firstChoice);
  const [days, setDays] = useState("7");
  const [note, setNote] = useState("");
  const [link, setLink] = useState<{ readonly address: string; readonly expiresAt: string }>();
  const invite = useMutation(async () => {
    const body = { ...accessBody(access), days: Number(days), note };
    const { key, expiresAt } = await callApi("POST /api/invitations", { body });
    setLink({ address: `${location.origin}/#/invite/${key}`, expiresAt });
    onDone();
  });
  if (link)
    return (
      <DoneDialog title="Send this link" onClose={onClose}>
        <p>
          The first person to open it creates an account. It works <strong>once</strong>, expires{" "}
          <Time at={link.expiresAt} />, and is <strong>not shown again</strong>.
        </p>
        <Snippet text={link.address} label="invitation link" />
      </DoneDialog>
    );
  return (
    <FormDialog title="Invite a person" onClose={onClose} action="Create link" mutation={invite}>
      <Input
        label="For (optional)"
        hint="A name or address. The invited person sees it, too."
        maxLength={100}
        value={note}
        onInput={setNote}
      />
      <AccessPicker value={access} onChange={setAccess} />
      <Select label="Link is valid for" value={days} choices={lifetimes} onChange={setDays} />
    </FormDialog>
  );
}

const lifetimes = [
  { value: "1", title: "1 day" },
  { value: "7", title: "7 days" },
  { value: "30", title: "30 days" },
];
