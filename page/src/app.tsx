import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask } from "./api.ts";
import { Toasts } from "./components/toast.tsx";
import { hasKey } from "./our-key.ts";
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
  // The terminal's link brings a key along.
  const { key } = place.value.query;
  const [refusal, setRefusal] = useState<unknown>();
  useEffect(() => {
    setProblem(undefined);
    if (key !== undefined) return void enterBy(key).then(setRefusal);
    if (who === "unknown") whoIsIt().catch(setProblem);
    if (who === "nobody")
      ask<{ needed: boolean }>("GET /api/setup").then(({ needed }) => setSetupNeeded(needed), setProblem);
  }, [who, turn, key]);
  if (problem !== undefined)
    return (
      <Welcome title="Biplane">
        <Problem error={problem} retry={() => setTurn(turn + 1)} />
      </Welcome>
    );
  if (who === "unknown" || (who === "nobody" && isSetupNeeded === undefined)) return <div class="blank" />;
  if (who !== "nobody") return <Shell person={who} />;
  // Where one comes in by links, nobody has a passphrase.
  if (refusal !== undefined && !isSetupNeeded)
    return (
      <Welcome title="Biplane">
        <Problem error={refusal} />
      </Welcome>
    );
  return isSetupNeeded ? <Setup onTaken={() => setSetupNeeded(false)} /> : <Login />;
}

async function whoIsIt(): Promise<void> {
  try {
    if (!hasKey()) person.value = "nobody";
    else person.value = await ask<Person>("GET /api/session");
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    person.value = "nobody";
  }
}

/** Gives what was said against it. The key does not stay in the address, whatever it opened. */
async function enterBy(key: string): Promise<unknown> {
  try {
    enteredByKey(await ask<Person>("POST /api/session", { body: { key } }));
    return undefined;
  } catch (error) {
    return error;
  } finally {
    setQuery({ key: undefined });
  }
}
