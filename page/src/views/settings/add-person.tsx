import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Input } from "../../components/field.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import { strengthOf } from "../../start/strength.ts";
import { shownText } from "../approvals/shown-text.ts";
import { AccessPicker, accessBody, firstChoice } from "./access-choice.tsx";
import type { AccessChoice } from "./access-choice.tsx";
import { StrengthMeter } from "../../start/strength-meter.tsx";

/** Adds a person with an initial passphrase, for people who cannot be sent a link. */
export function AddPerson({
  onDone,
  onClose,
}: {
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [email, setEmail] = useState("");
  const [access, setAccess] = useState<AccessChoice>(firstChoice);
  const add = useMutation(async () => {
    const body = { name, passphrase, ...(email.trim() !== "" && { email }), ...accessBody(access) };
    const added = await callApi("POST /api/people", { body });
    toast(`${shownText(added.name)} can now sign in.`);
    onDone();
  });
  const isReady = name.trim() !== "" && strengthOf(passphrase, name).isEnough;
  return (
    <FormDialog title="Add a person with a passphrase" onClose={onClose} action="Add" mutation={add} isReady={isReady}>
      <Input label="Name" isRequired isFocused placeholder="bob" value={name} onInput={setName} />
      <Input
        label="Initial passphrase"
        isRequired
        type="password"
        autocomplete="new-password"
        value={passphrase}
        onInput={setPassphrase}
        hint={<StrengthMeter passphrase={passphrase} name={name} />}
      />
      <Input
        label="E-mail (optional)"
        type="email"
        value={email}
        onInput={setEmail}
        hint="Accounts with the same e-mail address count as one person in approvals."
      />
      <AccessPicker value={access} onChange={setAccess} />
    </FormDialog>
  );
}
