import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { alertState, turnOffAlerts, turnOnAlerts } from "../../waiting-alerts.ts";

/** Turns notifications of this browser on and off. */
export function BrowserAlerts(): JSX.Element | null {
  switch (alertState.value) {
    case "unsupported":
    case "blocked":
      return null;
    case "on":
      return (
        <Button icon="bell" isPressed onClick={turnOffAlerts}>
          Notifying in this browser
        </Button>
      );
    case "off":
      return (
        <Button icon="bell" onClick={() => void turnOnAlerts()}>
          Notify me in this browser
        </Button>
      );
  }
}

/** Says where notifications of this browser are turned on, if it blocks them. */
export function BlockedAlerts(): JSX.Element | null {
  if (alertState.value !== "blocked") return null;
  return (
    <p class="approvals-blocked small muted">
      This browser blocks notifications of this page. To get them here, too, allow them beside the address of the page.
    </p>
  );
}
