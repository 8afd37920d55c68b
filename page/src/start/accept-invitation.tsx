import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { roles } from "../../../packages/biplane/src/governance/people/roles.ts";
import { callApi } from "../api.ts";
import type { ApiResponse } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Input } from "../components/field.tsx";
import { Problem } from "../components/states.tsx";
import { Text } from "../components/text.tsx";
import { Time } from "../components/time.tsx";
import { useMutation } from "../resource.ts";
import { person } from "../session.ts";
import { shownText } from "../views/approvals/shown-text.ts";
import { StrengthMeter } from "./strength-meter.tsx";
import { strengthOf } from "./strength.ts";
import { Welcome } from "./welcome.tsx";

/** Creates the account of an invitation link. */
export function AcceptInvitation({ invitation }: { readonly invitation: string }): JSX.Element {
  const [name, setName] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const accept = useMutation(async (_: void, signal) => {
    const body = { key: invitation, name, passphrase };
    person.value = await callApi("POST /api/invitations/accept", { body, signal });
  });
  const read = useMutation((_: void, signal) =>
    callApi("POST /api/invitations/read", { body: { key: invitation }, signal }),
  );
  const [details, setDetails] = useState<Details>();
  useEffect(() => void read.run().then(setDetails), [invitation]);
  const [isTried, setTried] = useState(false);
  const isStrong = strengthOf(passphrase, name).isEnough;
  const isReady = name !== "" && isStrong;
  return (
    <Welcome title={titleFor(details)} about={<Offer details={details} />}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (isReady) void accept.run();
        }}
      >
        <Input
          label="Your name"
          isFocused
          value={name}
          onInput={setName}
          autocomplete="username"
          hint="For example grace or grace.lee"
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
        {(accept.error ?? read.error) !== undefined && <Problem error={accept.error ?? read.error} />}
        <Button kind="main" type="submit" isBusy={accept.isBusy}>
          Create account
        </Button>
        <p class="welcome-foot">
          This link works once
          {details && (
            <>
              , until <Time at={details.expiresAt} />
            </>
          )}
          . Do not share it.
        </p>
      </form>
    </Welcome>
  );
}

function titleFor(details: Details): string {
  return typeof details?.note === "string" ? `Welcome, ${shownText(details.note, 60)}` : "You are invited";
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
      <b class="welcome-server">
        <Text value={server} maxLength={128} isFixed />.
      </b>
      {role !== null && (
        <span class="block welcome-role">
          <b>{role}</b>: {roles[role].about}
        </span>
      )}
    </>
  );
}
