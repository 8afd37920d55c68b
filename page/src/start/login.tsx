import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import { usePost } from "../resource.ts";
import { person } from "../session.ts";
import type { Person } from "../session.ts";
import { Welcome } from "./welcome.tsx";

export function Login(): JSX.Element {
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const logIn = usePost(async (_: void, signal) => {
    person.value = await ask<Person>("POST /api/session", { body: { name, passphrase }, signal });
  });
  return (
    <Welcome title="Log in" about="Watch agents work, decide what they may do, understand what happened.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void logIn.run();
        }}
      >
        <Input label="Name" value={name} onInput={setName} autocomplete="username" isFocused />
        <Input
          label="Passphrase"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          autocomplete="current-password"
        />
        {logIn.error !== undefined && <Problem error={logIn.error} />}
        <Button kind="main" type="submit" isBusy={logIn.isBusy}>
          Log in
        </Button>
        <p class="welcome-foot">
          Lost it? Whoever runs the server sets a new one with <code>biplane people passwd</code>.
        </p>
      </form>
    </Welcome>
  );
}
