import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { roleFrom } from "../../../../packages/biplane/src/governance/people/roles.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card, Facts } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toastProblem } from "../../components/toast.tsx";
import { clearSession, person } from "../../session.ts";
import { RoleBadge } from "./role-badge.tsx";

/** The user's session, and buttons that end this one or all of them. */
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
      <div class="stack">
        <Facts
          facts={[
            ["Signed in as", <Text key="name" value={me.name} isFixed class="strong" />],
            ["Role", <RoleBadge key="role" access={{ role: roleFrom(me.role), scopes: me.scopes }} />],
            me.expiresAt !== undefined && ["Expires", <Time key="expires" at={me.expiresAt} />],
          ]}
        />
        <div class="row">
          <Button icon="logout" onClick={() => void callApi("DELETE /api/session").then(clearSession, toastProblem)}>
            Sign out
          </Button>
          <Button kind="quiet" onClick={() => setEnding(true)}>
            Sign out everywhere…
          </Button>
        </div>
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
