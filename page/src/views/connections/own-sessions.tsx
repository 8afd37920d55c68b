import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { lostSession, person } from "../../session.ts";
import "./style.css";

/** One's own logins: this one, and a way to end all of them. */
export function OwnSessions(): JSX.Element | null {
  const [isEnding, setEnding] = useState(false);
  const signOut = async () => {
    await ask("DELETE /api/sessions");
    lostSession();
  };
  const me = person.value;
  if (typeof me === "string") return null;
  return (
    <Card title="Your logins">
      <div class="connections-own">
        <p class="grow">
          You are{" "}
          <strong>
            <Text value={me.name} isFixed />
          </strong>
          {me.expiresAt !== undefined && (
            <>
              ; this login ends <Time at={me.expiresAt} /> at the latest
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
          Your logins end in every browser, in this one too. Your tokens for programs stay; revoke those in Settings.
        </Confirm>
      )}
    </Card>
  );
}
