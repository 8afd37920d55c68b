import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Checkbox, Input, Segmented } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import { person } from "../../session.ts";
import { strengthOf } from "../../start/strength.ts";
import { shownText } from "../approvals/shown-text.ts";
import { canGrant, scopes } from "./scopes.ts";
import { StrengthMeter } from "../../start/strength-meter.tsx";

/** Adds a person with an initial passphrase and scopes. */
export function AddPerson({
  onDone,
  onClose,
}: {
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const own = typeof person.value === "string" ? [] : person.value.scopes;
  const mayAll = own.includes("*");
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [reach, setReach] = useState<"all" | "some">("some");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const add = useMutation(async () => {
    const body = { name, passphrase, scopes: reach === "all" ? ["*"] : chosen };
    const added = await callApi("POST /api/people", { body });
    toast(`${shownText(added.name)} can now sign in.`);
    onDone();
  });
  const isReady = name.trim() !== "" && strengthOf(passphrase, name).isEnough;
  return (
    <Dialog
      title="Add a person"
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
        {mayAll && (
          <div>
            <Segmented
              label="Access"
              value={reach}
              choices={[
                { value: "some", title: "Selected scopes" },
                { value: "all", title: "All scopes" },
              ]}
              onChange={setReach}
            />
          </div>
        )}
        {reach === "some" && (
          <fieldset class="settings-choices">
            <legend class="hidden">Scopes</legend>
            {scopes.map((scope) => (
              <Checkbox
                key={scope.name}
                label={scope.name}
                hint={scope.about}
                isDisabled={!canGrant(own, scope.name)}
                isChecked={chosen.includes(scope.name)}
                onChange={(isOn) =>
                  setChosen(isOn ? [...chosen, scope.name] : chosen.filter((each) => each !== scope.name))
                }
              />
            ))}
          </fieldset>
        )}
        {add.error !== undefined && <Problem error={add.error} />}
      </form>
    </Dialog>
  );
}
