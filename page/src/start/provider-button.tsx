import type { JSX } from "preact";
import { callApi } from "../api.ts";
import { Button } from "../components/button.tsx";
import { Problem } from "../components/states.tsx";
import { useMutation } from "../resource.ts";
import { shownText } from "../views/approvals/shown-text.ts";
import { keepAttempt } from "./provider-attempt.ts";

/** Leaves for the OpenID provider. It sends the browser back to the page with a code. */
export function ProviderButton({ label }: { readonly label: string }): JSX.Element {
  const leave = useMutation(async () => {
    const { url, ...attempt } = await callApi("POST /api/session/oidc");
    keepAttempt(attempt, location.hash);
    location.assign(url);
  });
  return (
    <div class="form">
      <Button kind="main" icon="person" isBusy={leave.isBusy} onClick={() => void leave.run()}>
        Sign in with {shownText(label, 60)}
      </Button>
      {leave.error !== undefined && <Problem error={leave.error} />}
    </div>
  );
}
