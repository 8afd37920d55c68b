import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import type { Mutation } from "../resource.ts";
import { StrengthMeter } from "./strength-meter.tsx";
import { strengthOf } from "./strength.ts";

export interface NewAccount {
  readonly name: string;
  readonly passphrase: string;
}

/** The form that creates an account. Fields without a value say so after the first try. */
export function AccountForm(props: {
  readonly create: Mutation<NewAccount, unknown>;
  /** An error from before the form was sent. */
  readonly error?: unknown;
  readonly nameHint?: string;
  readonly isNameFocused: boolean;
  /** False while a field of one's own, above the others, has no value. */
  readonly isReady?: boolean;
  readonly children?: (isTried: boolean) => ComponentChildren;
  readonly foot: ComponentChildren;
}): JSX.Element {
  const { create, nameHint, isNameFocused, isReady = true, children, foot } = props;
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [isTried, setTried] = useState(false);
  const isStrong = strengthOf(passphrase, name).isEnough;
  const error = create.error ?? props.error;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (isReady && name !== "" && isStrong) void create.run({ name, passphrase });
      }}
    >
      {children?.(isTried)}
      <Input
        label="Your name"
        isFocused={isNameFocused}
        value={name}
        onInput={setName}
        autocomplete="username"
        hint={nameHint}
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
      {error !== undefined && <Problem error={error} />}
      <Button kind="main" type="submit" isBusy={create.isBusy}>
        Create account
      </Button>
      <p class="welcome-foot">{foot}</p>
    </form>
  );
}
