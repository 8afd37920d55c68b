import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PersonalToken } from "../../../../packages/biplane/src/governance/people/personal-tokens.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton, Snippet } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Input, Select } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { serverOverview } from "../../server-overview.ts";
import { useMutation } from "../../resource.ts";

type Made = PersonalToken & { readonly token: string };

/** Creates a token and shows it once, until the dialog closes. */
export function NewToken({
  onMade,
  onClose,
}: {
  readonly onMade: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("90");
  const [made, setMade] = useState<Made>();
  const make = useMutation(async () => {
    setMade(await callApi("POST /api/tokens", { body: { label, days: Number(days) } }));
    onMade();
  });
  if (made)
    return (
      <Dialog
        title="Your new token"
        onClose={onClose}
        actions={
          <Button kind="main" onClick={onClose}>
            Done
          </Button>
        }
      >
        <div class="stack-tight">
          <p>
            Copy it now. It is <strong>not shown again</strong>. It expires <Time at={made.expiresAt} />.
          </p>
          <div class="settings-token">
            <span class="grow">
              <Text value={made.token} isMono isFixed />
            </span>
            <CopyButton text={made.token} label="Copy the token" />
          </div>
          <p class="muted">Try it:</p>
          <Snippet text={curlFor(made.token)} language="shell" label="command" />
        </div>
      </Dialog>
    );
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" isBusy={make.isBusy} onClick={() => void make.run()}>
            Create token
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!make.isBusy) void make.run();
        }}
      >
        <Input
          label="Label"
          isFocused
          placeholder="nightly report"
          value={label}
          onInput={(text) => setLabel(text.slice(0, 100))}
        />
        <Select label="Valid for" value={days} choices={lifetimes} onChange={setDays} />
        {make.error !== undefined && <Problem error={make.error} />}
      </form>
    </Dialog>
  );
}

const lifetimes = [
  { value: "1", title: "1 day" },
  { value: "7", title: "7 days" },
  { value: "30", title: "30 days" },
  { value: "90", title: "90 days" },
  { value: "365", title: "1 year" },
];

function curlFor(token: string): string {
  const { url = location.origin } = serverOverview.value ?? {};
  return `curl -s ${url}/api/session \\
  -H "Authorization: Bearer ${token}"`;
}
