import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Input } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
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
    <Dialog
      title="Add a person with a passphrase"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" isBusy={add.isBusy} isDisabled={!isReady} onClick={() => void add.run()}>
            Add
          </Button>
        </>
      }
    >
      <form class="form" onSubmit={(event) => event.preventDefault()}>
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
        {add.error !== undefined && <Problem error={add.error} />}
      </form>
    </Dialog>
  );
}
