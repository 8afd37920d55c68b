import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { alertState, turnOffAlerts, turnOnAlerts } from "../../waiting-alerts.ts";

/** Turns notifications of this browser on and off. */
export function BrowserAlerts(): JSX.Element | null {
  switch (alertState.value) {
    case "unsupported":
      return null;
    case "blocked":
      return (
        <Button kind="quiet" icon="bell" isDisabled title="Allow notifications of this page in the browser's settings.">
          Notifications are blocked
        </Button>
      );
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
