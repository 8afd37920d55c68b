import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, callApi } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import { useMutation } from "../resource.ts";
import { go, href, pageLocation } from "../router.ts";
import { person } from "../session.ts";
import { StrengthMeter } from "./strength-meter.tsx";
import { strengthOf } from "./strength.ts";
import { Welcome } from "./welcome.tsx";

/** Creates the administrator account on the first start. The code proves access to the terminal. */
export function Setup({ onTaken }: { readonly onTaken: () => void }): JSX.Element {
  // The link in the terminal contains the code.
  const linkCode = pageLocation.value.view === "setup" ? (pageLocation.value.path[0] ?? "") : "";
  const [code, setCode] = useState(linkCode);
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const setUp = useMutation(async (_: void, signal) => {
    try {
      const first = await callApi("POST /api/setup", { body: { code, name, passphrase }, signal });
      go(href("overview"));
      person.value = first;
    } catch (error) {
      // Another person has finished the setup meanwhile.
      if (error instanceof ApiError && !(await callApi("GET /api/setup")).needed) onTaken();
      throw error;
    }
  });

  const [isTried, setTried] = useState(false);
  const isStrong = strengthOf(passphrase, name).isEnough;
  const isReady = code !== "" && name !== "" && isStrong;
  return (
    <Welcome title="Welcome to Biplane" about="Create the administrator account.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (isReady) void setUp.run();
        }}
      >
        <Input
          label="Code"
          hint="Printed in the terminal where the server was started."
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          isMono
          isFocused={linkCode === ""}
          value={code}
          onInput={setCode}
          autocomplete="one-time-code"
          error={isTried && code === "" ? "Enter the code." : undefined}
        />
        <Input
          label="Your name"
          isFocused={linkCode !== ""}
          value={name}
          onInput={setName}
          autocomplete="username"
          error={isTried && name === "" ? "Enter a name." : undefined}
        />
        <Input
          label="Passphrase"
          type="password"
          value={passphrase}
          onInput={setPassphrase}
          autocomplete="new-password"
          hint={<StrengthMeter passphrase={passphrase} name={name} />}
          error={isTried && !isStrong ? "Choose a stronger passphrase." : undefined}
        />
        {setUp.error !== undefined && <Problem error={setUp.error} />}
        <Button kind="main" type="submit" isBusy={setUp.isBusy}>
          Create account
        </Button>
        <p class="welcome-foot">The server stays locked until the account exists. All data stays on this server.</p>
      </form>
    </Welcome>
  );
}
