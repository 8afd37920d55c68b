import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PersonalToken } from "../../../../packages/biplane/src/governance/people/personal-tokens.ts";
import { callApi } from "../../api.ts";
import { Snippet } from "../../components/copy.tsx";
import { DoneDialog, FormDialog } from "../../components/dialog.tsx";
import { Input, Select } from "../../components/field.tsx";
import { Time } from "../../components/time.tsx";
import { serverOverview } from "../../server-overview.ts";
import { useMutation } from "../../resource.ts";
import { TokenToCopy } from "./shown-token.tsx";

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
      <DoneDialog title="Your new token" onClose={onClose}>
        <p>
          Copy it now. It is <strong>not shown again</strong>. It expires <Time at={made.expiresAt} />.
        </p>
        <TokenToCopy token={made.token} />
        <p class="muted">Try it:</p>
        <Snippet text={curlFor(made.token)} language="shell" label="command" />
      </DoneDialog>
    );
  return (
    <FormDialog title="New token" onClose={onClose} action="Create token" mutation={make} isSentByEnter>
      <Input
        label="Label"
        isFocused
        placeholder="nightly report"
        value={label}
        onInput={(text) => setLabel(text.slice(0, 100))}
      />
      <Select label="Valid for" value={days} choices={lifetimes} onChange={setDays} />
    </FormDialog>
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
