import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Input } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import { person } from "../../session.ts";
import { strengthOf } from "../../start/strength.ts";
import { StrengthMeter } from "../../start/strength-meter.tsx";

/** Changes the user's passphrase. All other sessions end. */
export function Passphrase({ name }: { readonly name: string }): JSX.Element {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const change = useMutation(async () => {
    person.value = await callApi("PUT /api/passphrase", { body: { current, passphrase: next } });
    for (const clear of [setCurrent, setNext, setAgain]) clear("");
    toast("Passphrase changed. Your other sessions have ended.");
  });
  const isSame = next === again;
  const isReady = current !== "" && isSame && strengthOf(next, name).isEnough;
  return (
    <Card title="Your passphrase">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !change.isBusy) void change.run();
        }}
      >
        <input
          class="hidden"
          type="text"
          autocomplete="username"
          value={name}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <Input
          label="Current passphrase"
          type="password"
          autocomplete="current-password"
          value={current}
          onInput={setCurrent}
        />
        <Input
          label="New passphrase"
          type="password"
          autocomplete="new-password"
          value={next}
          onInput={setNext}
          hint={<StrengthMeter passphrase={next} name={name} />}
        />
        <Input
          label="Repeat new passphrase"
          type="password"
          autocomplete="new-password"
          value={again}
          onInput={setAgain}
          error={again !== "" && !isSame ? "The passphrases do not match." : undefined}
        />
        {change.error !== undefined && <Problem error={change.error} />}
        <div>
          <Button type="submit" isBusy={change.isBusy} isDisabled={!isReady}>
            Change passphrase
          </Button>
        </div>
      </form>
    </Card>
  );
}
