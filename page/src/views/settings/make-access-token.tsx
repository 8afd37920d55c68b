import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { StoredToken } from "../../../../packages/biplane/src/governance/access/stored-tokens.ts";
import { callApi } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Input, Segmented, Select } from "../../components/field.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import { shownText } from "../approvals/shown-text.ts";
import { ShownToken } from "./shown-token.tsx";

/** Makes a token for an agent or a trainer, or changes the scopes of one. */
export function MakeAccessToken(props: {
  readonly token?: StoredToken;
  readonly onMade: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { token: existing, onMade, onClose } = props;
  const [principal, setPrincipal] = useState(existing?.principal ?? "");
  const [kind, setKind] = useState<"token" | "trainer">(existing?.kind ?? "token");
  const [scopes, setScopes] = useState(existing?.scopes.join(" ") ?? "");
  const [days, setDays] = useState("90");
  const [secret, setSecret] = useState<string>();
  const save = useMutation(async () => {
    const wanted = [...new Set(scopes.split(/[\s,]+/).filter((scope) => scope !== ""))];
    if (existing) {
      await callApi("PUT /api/access-tokens/:id", { id: existing.id, body: { scopes: wanted } });
      toast(`Changed the scopes of ${shownText(existing.principal)}`);
    } else {
      const body = { principal: principal.trim(), kind, scopes: wanted, ...(days !== "" && { days: Number(days) }) };
      setSecret((await callApi("POST /api/access-tokens", { body })).token);
    }
    onMade();
  });
  if (secret !== undefined) return <ShownToken token={secret} kind={kind} onClose={onClose} />;
  return (
    <FormDialog
      title={existing ? `Scopes of ${shownText(existing.principal, 40)}` : "New token"}
      onClose={onClose}
      action={existing ? "Save" : "Create token"}
      mutation={save}
      isReady={principal.trim() !== ""}
    >
      {!existing && (
        <>
          <Segmented
            label="For"
            value={kind}
            choices={{ token: "An agent", trainer: "A trainer" }}
            onChange={setKind}
          />
          <Input
            label="Name"
            isRequired
            isFocused
            placeholder="support-agent"
            value={principal}
            onInput={(text) => setPrincipal(text.slice(0, 128))}
            hint="The caller's id in limits, policies and the audit log."
          />
        </>
      )}
      <Input
        label="Scopes"
        isMono
        isFocused={existing !== undefined}
        placeholder="crm:read crm:write"
        value={scopes}
        onInput={setScopes}
        hint="Separated by spaces. Policies and toolScopes can require them. The scope metrics opens /metrics."
      />
      {!existing && <Select label="Valid for" value={days} choices={lifetimes} onChange={setDays} />}
    </FormDialog>
  );
}

const lifetimes = [
  { value: "7", title: "7 days" },
  { value: "30", title: "30 days" },
  { value: "90", title: "90 days" },
  { value: "365", title: "1 year" },
  { value: "", title: "No expiry" },
];
