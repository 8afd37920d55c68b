import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { usePost } from "../../resource.ts";
import { lostSession, person } from "../../session.ts";
import "./style.css";

/** One's own logins: this one, and a way to end all of them. */
export function OwnSessions(): JSX.Element | null {
  const [isEnding, setEnding] = useState(false);
  const out = usePost(async () => {
    await ask("DELETE /api/sessions");
    lostSession();
  });
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
          isBusy={out.isBusy}
          onConfirm={() => void out.run()}
          onClose={() => setEnding(false)}
        >
          <div class="stack-tight">
            <p>
              Your logins end in every browser, in this one too. Your tokens for programs stay; revoke those in
              Settings.
            </p>
            {out.error !== undefined && <Problem error={out.error} />}
          </div>
        </Confirm>
      )}
    </Card>
  );
}
