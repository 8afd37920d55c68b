import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName | undefined;
  /** Use `main` once per screen. `quiet` has no border. `bad` marks irreversible actions. */
  readonly kind?: "plain" | "main" | "quiet" | "bad" | undefined;
  readonly size?: "small" | "usual" | undefined;
  /** Accessible name and tooltip. Required for icon-only buttons. */
  readonly label?: string | undefined;
  readonly title?: string | undefined;
  readonly type?: "button" | "submit";
  readonly isDisabled?: boolean | undefined;
  /** Shows a spinner and disables the button. */
  readonly isBusy?: boolean | undefined;
  readonly isPressed?: boolean | undefined;
  readonly onClick?: ((event: MouseEvent) => void) | undefined;
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, icon, kind = "plain", size = "usual", label, type = "button", isBusy = false } = props;
  return (
    <button
      type={type}
      class={classOf(kind, size, children)}
      aria-label={label}
      title={props.title ?? label}
      aria-pressed={props.isPressed}
      aria-busy={isBusy || undefined}
      disabled={props.isDisabled === true || isBusy}
      onClick={props.onClick}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

/** A link that looks like a button. */
export function LinkButton(
  props: Pick<ButtonProps, "children" | "icon" | "kind" | "size" | "label"> & {
    readonly href: string;
    readonly isNewTab?: boolean;
  },
): JSX.Element {
  const { children, icon, kind = "plain", size = "usual", label, href, isNewTab = false } = props;
  const target = isNewTab ? { target: "_blank", rel: "noreferrer" } : {};
  return (
    <a class={classOf(kind, size, children)} href={href} aria-label={label} title={label} {...target}>
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </a>
  );
}

function classOf(kind: string, size: string, children: ComponentChildren): string {
  return `button button-${kind} button-${size}${children === undefined ? " button-icon" : ""}`;
}
