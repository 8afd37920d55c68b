import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SecretName } from "../../../../src/admin/secrets/secrets.ts";
import { ask, segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Input } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { usePost } from "../../resource.ts";

/** A name and a value. The value leaves this field for the server and is shown nowhere again. */
export function SetSecret(props: {
  /** Empty for a new one. */
  readonly name: string;
  readonly known: readonly SecretName[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { known, onDone, onClose } = props;
  const [name, setName] = useState(props.name);
  const [value, setValue] = useState("");
  const set = usePost(async () => {
    await ask(`PUT /api/secrets/${segment(name)}`, { body: { value } });
    setValue("");
    toast(`Set ${name}`);
    onDone();
  });
  const there = known.find((each) => each.name === name);
  const isName = /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
  const isReady = isName && value.length >= fewest;
  const submit = () => isReady && !set.isBusy && void set.run();
  return (
    <Dialog
      title={there ? "Replace a secret" : "Set a secret"}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" isBusy={set.isBusy} isDisabled={!isReady} onClick={submit}>
            {there ? "Replace" : "Set"}
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Input
          label="Name"
          isMono
          isRequired
          isFocused={props.name === ""}
          placeholder="CRM_TOKEN"
          value={name}
          error={name === "" || isName ? undefined : "Capital letters, digits and underscores, a letter first"}
          onInput={(text) => setName(text.toUpperCase().replaceAll(/[\s-]/g, "_"))}
        />
        <Input
          label="Value"
          type="password"
          isMono
          isRequired
          isFocused={props.name !== ""}
          autocomplete="new-password"
          hint={`At least ${fewest} characters. It is kept encrypted and cannot be shown again.`}
          value={value}
          onInput={setValue}
        />
        {there?.source === "environment" && (
          <p class="text-warn">The environment gives one of this name, which goes first: this one will not be used.</p>
        )}
        {set.error !== undefined && <Problem error={set.error} />}
        <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" disabled={!isReady} />
      </form>
    </Dialog>
  );
}

/** A shorter one could not be told from other text, and so not be hidden. */
const fewest = 8;
