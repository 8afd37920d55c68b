import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { StoredToken } from "../../../../packages/biplane/src/governance/access/stored-tokens.ts";
import { callApi } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Select } from "../../components/field.tsx";
import { useMutation } from "../../resource.ts";
import { shownText } from "../approvals/shown-text.ts";
import { ShownToken } from "./shown-token.tsx";

/** Replaces the secret of a token, with a time in which both are accepted. */
export function RotateAccessToken(props: {
  readonly token: StoredToken;
  readonly onDone: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { token, onDone, onClose } = props;
  const [hours, setHours] = useState("24");
  const [secret, setSecret] = useState<string>();
  const rotate = useMutation(async () => {
    const body = { graceHours: Number(hours) };
    setSecret((await callApi("POST /api/access-tokens/:id/rotate", { id: token.id, body })).token);
    onDone();
  });
  if (secret !== undefined) return <ShownToken token={secret} kind={token.kind} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate the token of ${shownText(token.principal, 40)}`}
      width="narrow"
      onClose={onClose}
      action="Rotate"
      mutation={rotate}
    >
      <p>You get a new secret. Name, scopes and lifetime stay.</p>
      <Select label="Accept the old secret for" value={hours} choices={graces} onChange={setHours} />
    </FormDialog>
  );
}

const graces = [
  { value: "0", title: "Reject it now (it leaked)" },
  { value: "1", title: "1 hour" },
  { value: "24", title: "24 hours" },
  { value: "168", title: "7 days" },
];
