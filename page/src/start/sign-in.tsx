import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import { useMutation } from "../resource.ts";
import { person } from "../session.ts";
import { ProviderButton } from "./provider-button.tsx";
import { Welcome } from "./welcome.tsx";

export function SignIn(props: { readonly provider: string | null; readonly error?: unknown }): JSX.Element {
  const { provider, error } = props;
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const signIn = useMutation(async (_: void, signal) => {
    person.value = await callApi("POST /api/session", { body: { name, passphrase }, signal });
  });
  return (
    <Welcome
      title="Sign in"
      about={
        <>
          to <b class="welcome-server">{location.host}</b>
        </>
      }
    >
      {error !== undefined && <Problem error={error} />}
      {provider !== null && (
        <>
          <ProviderButton label={provider} />
          <div class="welcome-or" role="separator">
            or
          </div>
        </>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn.run();
        }}
      >
        <Input label="Name" value={name} onInput={setName} autocomplete="username" isFocused={provider === null} />
        <Input
          label="Passphrase"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          autocomplete="current-password"
        />
        {signIn.error !== undefined && <Problem error={signIn.error} />}
        <Button kind={provider === null ? "main" : "plain"} type="submit" isBusy={signIn.isBusy}>
          Sign in
        </Button>
        <p class="welcome-foot">
          Forgot your passphrase? Ask an owner to reset it with <code>biplane people passwd</code>.
        </p>
      </form>
    </Welcome>
  );
}
