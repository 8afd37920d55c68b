import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SecretName } from "../../../../packages/biplane/src/governance/secrets/secrets.ts";
import { callApi } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Input, Select } from "../../components/field.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";

/** Sets a secret. The value is sent to the server and never shown again. */
export function SetSecret(props: {
  /** Empty for a new secret. */
  readonly name: string;
  readonly known: readonly SecretName[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { known, onDone, onClose } = props;
  const [name, setName] = useState(props.name);
  const [value, setValue] = useState("");
  const [rotation, setRotation] = useState("");
  const set = useMutation(async () => {
    await callApi("PUT /api/secrets/:name", {
      name,
      body: { value, ...(rotation !== "" && { rotateDays: rotation === "0" ? null : Number(rotation) }) },
    });
    setValue("");
    toast(`Set ${name}`);
    onDone();
  });
  const existing = known.find((each) => each.name === name);
  const isName = /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
  const isReady = isName && value.length >= fewest;
  return (
    <FormDialog
      title={existing ? "Replace a secret" : "Set a secret"}
      onClose={onClose}
      action={existing ? "Replace" : "Set"}
      mutation={set}
      isReady={isReady}
      isSentByEnter
    >
      <Input
        label="Name"
        isMono
        isRequired
        isFocused={props.name === ""}
        placeholder="CRM_TOKEN"
        value={name}
        error={
          name === "" || isName ? undefined : "Use capital letters, digits and underscores, starting with a letter."
        }
        onInput={(text) => setName(text.toUpperCase().replaceAll(/[\s-]/g, "_"))}
      />
      <Input
        label="Value"
        type="password"
        isMono
        isRequired
        isFocused={props.name !== ""}
        autocomplete="new-password"
        hint={`At least ${fewest} characters. Stored encrypted and never shown again.`}
        value={value}
        onInput={setValue}
      />
      <Select
        label="Remind to replace it"
        value={rotation}
        choices={[
          {
            value: "",
            title: existing?.rotateDays === undefined ? "Never" : `As before: every ${existing.rotateDays} days`,
          },
          ...(existing?.rotateDays === undefined ? [] : [{ value: "0", title: "Never" }]),
          ...["30", "90", "180", "365"].map((days) => ({ value: days, title: `Every ${days} days` })),
        ]}
        onChange={setRotation}
      />
      {existing?.source === "environment" && (
        <p class="text-warn">
          The environment also sets this name and takes precedence. The stored value will not be used.
        </p>
      )}
    </FormDialog>
  );
}

/** Shorter values could not be redacted reliably. */
const fewest = 8;
