import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { roles } from "../../../packages/biplane/src/governance/people/roles.ts";
import { callApi } from "../api.ts";
import type { ApiResponse } from "../api.ts";
import { Text } from "../components/text.tsx";
import { Time } from "../components/time.tsx";
import { useMutation } from "../resource.ts";
import { person } from "../session.ts";
import { AccountForm } from "./account-form.tsx";
import type { NewAccount } from "./account-form.tsx";
import { Welcome } from "./welcome.tsx";

/** Creates the account of an invitation link. */
export function AcceptInvitation({ invitation }: { readonly invitation: string }): JSX.Element {
  const accept = useMutation(async (account: NewAccount, signal) => {
    const body = { key: invitation, ...account };
    person.value = await callApi("POST /api/invitations/accept", { body, signal });
  });
  const read = useMutation((_: void, signal) =>
    callApi("POST /api/invitations/read", { body: { key: invitation }, signal }),
  );
  const [details, setDetails] = useState<Details>();
  useEffect(() => void read.run().then(setDetails), [invitation]);
  return (
    <Welcome title="You are invited" about={<Offer details={details} />}>
      <AccountForm
        create={accept}
        error={read.error}
        nameHint="Letters, digits and . _ @ -"
        isNameFocused
        foot={
          <>
            This link works once
            {details && (
              <>
                , until <Time at={details.expiresAt} />
              </>
            )}
            . Do not share it.
          </>
        }
      />
    </Welcome>
  );
}

type Details = ApiResponse<"POST /api/invitations/read"> | undefined;

/** Who invites, and what the account may do. The same height while it loads. */
function Offer({ details }: { readonly details: Details }): JSX.Element {
  if (!details) return <>Choose a name and a passphrase for your account.</>;
  const { server, invitedBy, role, scopes } = details;
  return (
    <>
      <b>
        <Text value={invitedBy} maxLength={60} isFixed />
      </b>{" "}
      invites you{" "}
      {role === null ? (
        <>
          to use <Text value={scopes.join(", ") || "the overview"} maxLength={120} isFixed />
        </>
      ) : (
        <>
          as <b>{role}</b>
        </>
      )}{" "}
      on{" "}
      <b>
        <Text value={server} maxLength={128} isFixed />
      </b>{" "}
      ({location.host}).
      {role !== null && (
        <span class="block welcome-role">
          <b>{role}</b>: {roles[role].about}
        </span>
      )}
    </>
  );
}
