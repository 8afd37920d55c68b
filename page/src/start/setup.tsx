import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, ask } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import { usePost } from "../resource.ts";
import { go, href, place } from "../router.ts";
import { person } from "../session.ts";
import type { Person } from "../session.ts";
import { strengthOf } from "./strength.ts";
import { Welcome } from "./welcome.tsx";

/** The first start: whoever can read the terminal makes the first person. */
export function Setup({ onTaken }: { readonly onTaken: () => void }): JSX.Element {
  // The terminal's link brings the code along.
  const brought = place.value.view === "setup" ? (place.value.path[0] ?? "") : "";
  const [code, setCode] = useState(brought);
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const setUp = usePost(async (_: void, signal) => {
    try {
      const first = await ask<Person>("POST /api/setup", { body: { code, name, passphrase }, signal });
      go(href("overview"));
      person.value = first;
    } catch (error) {
      // Somebody else was first: from now on one logs in.
      if (error instanceof ApiError && !(await ask<{ needed: boolean }>("GET /api/setup")).needed) onTaken();
      throw error;
    }
  });
  const strength = strengthOf(passphrase, name);
  const isReady = code !== "" && name !== "" && strength.isEnough;
  return (
    <Welcome title="Welcome to Biplane" about="You are the first one here. Make yourself a name and a passphrase.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void setUp.run();
        }}
      >
        <Input
          label="Code"
          hint="It stands in the terminal where the server was started."
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          isMono
          isFocused={brought === ""}
          value={code}
          onInput={setCode}
          autocomplete="one-time-code"
        />
        <Input
          label="Your name"
          isFocused={brought !== ""}
          value={name}
          onInput={setName}
          autocomplete="username"
          placeholder="ada"
        />
        <Input
          label="Passphrase"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          autocomplete="new-password"
          hint={
            <span class="strength">
              <meter min={0} max={4} low={2} high={3} optimum={4} value={strength.score} aria-label="Strength" />
              <span>{strength.about}</span>
            </span>
          }
        />
        {setUp.error !== undefined && <Problem error={setUp.error} />}
        <Button kind="main" type="submit" isBusy={setUp.isBusy} isDisabled={!isReady}>
          Begin
        </Button>
        <p class="welcome-foot">Nothing here is open before this is done, and nothing leaves this server.</p>
      </form>
    </Welcome>
  );
}
