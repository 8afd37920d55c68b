import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { alertState, turnOffAlerts, turnOnAlerts } from "../../waiting-alerts.ts";

/** Turns notifications of this browser on and off. */
export function BrowserAlerts(): JSX.Element | null {
  switch (alertState.value) {
    case "unsupported":
      return null;
    case "blocked":
      return (
        <span class="row-tight muted small">
          <Icon name="bell" size={14} /> Notifications are blocked. Allow them in the browser's site settings.
        </span>
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
