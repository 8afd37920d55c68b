import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { roleFrom } from "../../../../packages/biplane/src/governance/people/roles.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { clearSession, person } from "../../session.ts";
import { RoleBadge } from "./role-badge.tsx";

/** The user's session, and a button that ends all of them. */
export function OwnSessions(): JSX.Element | null {
  const [isEnding, setEnding] = useState(false);
  const signOut = async () => {
    await callApi("DELETE /api/sessions");
    clearSession();
  };
  const me = person.value;
  if (typeof me === "string") return null;
  return (
    <Card title="This session">
      <div class="settings-own">
        <p class="grow">
          Signed in as{" "}
          <strong>
            <Text value={me.name} isFixed />
          </strong>{" "}
          <RoleBadge access={{ role: roleFrom(me.role), scopes: me.scopes }} />
          {me.expiresAt !== undefined && (
            <>
              . This session expires <Time at={me.expiresAt} />
            </>
          )}
          .
        </p>
        <Button icon="logout" onClick={() => setEnding(true)}>
          Sign out everywhere…
        </Button>
      </div>
      {isEnding && (
        <Confirm
          title="Sign out everywhere?"
          action="Sign out everywhere"
          run={signOut}
          onClose={() => setEnding(false)}
        >
          Ends your sessions in every browser, including this one. Your tokens stay valid; revoke them in Settings.
        </Confirm>
      )}
    </Card>
  );
}
