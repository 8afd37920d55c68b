import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { alertState, turnOffAlerts, turnOnAlerts } from "../../waiting-alerts.ts";

/** Turns notifications of this browser on and off. `isAlways` says so even if the browser blocks them. */
export function BrowserAlerts({ isAlways }: { readonly isAlways: boolean }): JSX.Element | null {
  switch (alertState.value) {
    case "unsupported":
      return null;
    case "blocked":
      if (!isAlways) return null;
      return (
        <span class="row-tight muted small">
          <Icon name="bell" size={14} /> Allow notifications in the browser's site settings
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
