import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, callApi } from "./api.ts";
import { Toasts } from "./components/toast.tsx";
import { hasSessionKey } from "./session-key.ts";
import { Shell } from "./components/shell.tsx";
import { Problem } from "./components/states.tsx";
import { pageLocation, setQuery } from "./router.ts";
import { signInByKey, person } from "./session.ts";
import { AcceptInvitation } from "./start/accept-invitation.tsx";
import { takeReturn } from "./start/provider-attempt.ts";
import { AnswerLink } from "./start/answer-link.tsx";
import { SignIn } from "./start/sign-in.tsx";
import { Setup } from "./start/setup.tsx";
import { Welcome } from "./start/welcome.tsx";

/** Shows the views if signed in, otherwise the sign-in page or the first-time setup. */
export function App(): JSX.Element {
  return (
    <>
      <Root />
      <Toasts />
    </>
  );
}

function Root(): JSX.Element {
  const who = person.value;
  const [isSetupNeeded, setSetupNeeded] = useState<boolean>();
  const [provider, setProvider] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // The link printed in the terminal carries a one-time key.
  const { key } = pageLocation.value.query;
  const isAnswerLink = pageLocation.value.view === "answer";
  const [signInError, setSignInError] = useState<unknown>();
  useEffect(() => {
    setProblem(undefined);
    if (isAnswerLink) return;
    if (key !== undefined) return void signInWithKey(key).then(setSignInError);
    // An error of a sign-in link stays.
    if (who === "unknown")
      loadSession().then((error) => setSignInError((before: unknown) => error ?? before), setProblem);
    if (who === "signed-out")
      callApi("GET /api/setup").then(({ needed, provider: label }) => {
        setProvider(label);
        setSetupNeeded(needed);
      }, setProblem);
  }, [who, attempt, key, isAnswerLink]);
  // A link in a message answers one call, also for people who are signed in.
  if (isAnswerLink) return <AnswerLink />;
  if (problem !== undefined)
    return (
      <Welcome title="Biplane">
        <Problem error={problem} retry={() => setAttempt(attempt + 1)} />
      </Welcome>
    );
  if (who === "unknown" || (who === "signed-out" && isSetupNeeded === undefined)) return <div class="blank" />;
  if (who !== "signed-out") return <Shell person={who} />;
  const { view, path } = pageLocation.value;
  if (view === "invite" && path[0] !== undefined) return <AcceptInvitation invitation={path[0]} />;
  // A server with sign-in links has no passphrases, so show the error instead of the sign-in form.
  if (signInError !== undefined && !isSetupNeeded && provider === null)
    return (
      <Welcome title="Biplane">
        <Problem error={signInError} />
      </Welcome>
    );
  if (isSetupNeeded && (provider === null || view === "setup")) return <Setup onTaken={() => setSetupNeeded(false)} />;
  return <SignIn provider={provider} error={signInError} />;
}

/** Returns the error of a provider that did not sign the user in, if any. */
async function loadSession(): Promise<unknown> {
  const returned = takeReturn();
  if (returned) return completeSignIn(returned);
  try {
    if (!hasSessionKey()) person.value = "signed-out";
    else person.value = await callApi("GET /api/session");
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    person.value = "signed-out";
  }
  return undefined;
}

async function completeSignIn(returned: NonNullable<ReturnType<typeof takeReturn>>): Promise<unknown> {
  try {
    if (returned === "unknown") throw new Error("This sign-in was not started in this tab. Sign in again.");
    person.value = await callApi("PUT /api/session/oidc", { body: returned.body });
    return undefined;
  } catch (error) {
    person.value = "signed-out";
    return error;
  }
}

/** Returns the error, if any. Always removes the key from the address. */
async function signInWithKey(key: string): Promise<unknown> {
  try {
    signInByKey(await callApi("POST /api/session", { body: { key } }));
    return undefined;
  } catch (error) {
    return error;
  } finally {
    setQuery({ key: undefined });
  }
}
