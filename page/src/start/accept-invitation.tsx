import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import { useMutation } from "../resource.ts";
import { person } from "../session.ts";
import { StrengthMeter } from "./strength-meter.tsx";
import { strengthOf } from "./strength.ts";
import { Welcome } from "./welcome.tsx";

/** Creates the account of an invitation link. */
export function AcceptInvitation({ invitation }: { readonly invitation: string }): JSX.Element {
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const accept = useMutation(async (_: void, signal) => {
    const body = { key: invitation, name, passphrase };
    person.value = await callApi("POST /api/invitations/accept", { body, signal });
  });
  const isReady = name !== "" && strengthOf(passphrase, name).isEnough;
  return (
    <Welcome title="You are invited" about="Choose a name and a passphrase for your account.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void accept.run();
        }}
      >
        <Input
          label="Your name"
          isFocused
          value={name}
          onInput={setName}
          autocomplete="username"
          placeholder="ada"
          hint="Letters, digits and . _ @ -"
        />
        <Input
          label="Passphrase"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          autocomplete="new-password"
          hint={<StrengthMeter passphrase={passphrase} name={name} />}
        />
        {accept.error !== undefined && <Problem error={accept.error} />}
        <Button kind="main" type="submit" isBusy={accept.isBusy} isDisabled={!isReady}>
          Create account
        </Button>
        <p class="welcome-foot">The link works once. Do not share it.</p>
      </form>
    </Welcome>
  );
}
