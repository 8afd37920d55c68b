import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask } from "./api.ts";
import { Toasts } from "./components/toast.tsx";
import { Shell } from "./components/shell.tsx";
import { Problem } from "./components/states.tsx";
import { place, setQuery } from "./router.ts";
import { enteredByKey, person } from "./session.ts";
import type { Person } from "./session.ts";
import { Login } from "./start/login.tsx";
import { Setup } from "./start/setup.tsx";
import { Welcome } from "./start/welcome.tsx";

/** Nobody comes further than the login without a session; the first one of all makes himself known. */
export function App(): JSX.Element {
  return (
    <>
      <Room />
      <Toasts />
    </>
  );
}

function Room(): JSX.Element {
  const who = person.value;
  const [isSetupNeeded, setSetupNeeded] = useState<boolean>();
  const [problem, setProblem] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const hasKey = place.value.query["key"] !== undefined;
  useEffect(() => {
    // A new link, opened where the session had ended.
    if (who === "nobody" && hasKey) person.value = "unknown";
  }, [who, hasKey]);
  useEffect(() => {
    setProblem(undefined);
    if (who === "unknown") whoIsIt().catch(setProblem);
    if (who === "nobody")
      ask<{ needed: boolean }>("GET /api/setup").then(({ needed }) => setSetupNeeded(needed), setProblem);
  }, [who, turn]);
  if (problem !== undefined)
    return (
      <Welcome title="Biplane">
        <Problem error={problem} retry={() => setTurn(turn + 1)} />
      </Welcome>
    );
  if (who === "unknown" || (who === "nobody" && isSetupNeeded === undefined)) return <div class="blank" />;
  if (who !== "nobody") return <Shell person={who} />;
  return isSetupNeeded ? <Setup onTaken={() => setSetupNeeded(false)} /> : <Login />;
}

async function whoIsIt(): Promise<void> {
  const { key } = place.peek().query;
  const refusal = key === undefined ? undefined : await enterBy(key);
  if (key !== undefined && refusal === undefined) return;
  try {
    person.value = await ask<Person>("GET /api/session");
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    // A link that was used is no reason to be asked for a passphrase that nobody has.
    if (refusal !== undefined) throw refusal;
    person.value = "nobody";
  }
}

/** The terminal's link brings a key along. It must not stay in the address, whatever it opens. */
async function enterBy(key: string): Promise<unknown> {
  setQuery({ key: undefined });
  try {
    enteredByKey(await ask<Person>("POST /api/session", { body: { key } }));
    return undefined;
  } catch (error) {
    return error;
  }
}
