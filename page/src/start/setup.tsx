import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, callApi } from "../api.ts";
import { Input } from "../components/field.tsx";
import { useMutation } from "../resource.ts";
import { go, href, pageLocation } from "../router.ts";
import { person } from "../session.ts";
import { AccountForm } from "./account-form.tsx";
import type { NewAccount } from "./account-form.tsx";
import { Welcome } from "./welcome.tsx";

/** Creates the administrator account on the first start. The code proves access to the terminal. */
export function Setup({ onTaken }: { readonly onTaken: () => void }): JSX.Element {
  // The link in the terminal contains the code.
  const linkCode = pageLocation.value.view === "setup" ? (pageLocation.value.path[0] ?? "") : "";
  const [code, setCode] = useState(linkCode);
  const setUp = useMutation(async (account: NewAccount, signal) => {
    try {
      const first = await callApi("POST /api/setup", { body: { code, ...account }, signal });
      go(href("overview"));
      person.value = first;
    } catch (error) {
      // Another person has finished the setup meanwhile.
      if (error instanceof ApiError && !(await callApi("GET /api/setup")).needed) onTaken();
      throw error;
    }
  });
  return (
    <Welcome title="Welcome to Biplane" about="Create the administrator account.">
      <AccountForm
        create={setUp}
        isNameFocused={linkCode !== ""}
        isReady={code !== ""}
        foot="The server stays locked until the account exists. All data stays on this server."
      >
        {(isTried) => (
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
        )}
      </AccountForm>
    </Welcome>
  );
}
