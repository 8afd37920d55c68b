import type { JSX } from "preact";
import { person } from "../../session.ts";
import { OwnSessions } from "./own-sessions.tsx";
import { Passphrase } from "./passphrase.tsx";
import { Tokens } from "./tokens.tsx";

/** The user's tokens, passphrase and sessions. */
export function Account(): JSX.Element | null {
  const me = person.value;
  if (typeof me === "string") return null;
  return (
    <div class="stack">
      <Tokens />
      <div class={me.isProvided ? undefined : "split"}>
        {!me.isProvided && <Passphrase name={me.name} />}
        <OwnSessions />
      </div>
    </div>
  );
}
