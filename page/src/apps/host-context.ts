import type { HostContext, StyleVariable } from "../../../packages/core/src/app/browser/bridge/context.ts";

/** The theme and the resolved colours at `element`, as an MCP Apps host context. */
export function styleContext(element: HTMLElement): HostContext {
  const probe = element.ownerDocument.createElement("span");
  probe.hidden = true;
  element.append(probe);
  try {
    const style = getComputedStyle(probe);
    const variables: { [Name in StyleVariable]?: string } = { ...sizes };
    for (const [name, own] of Object.entries(colours)) {
      probe.style.color = `var(${own})`;
      variables[name as StyleVariable] = style.color;
    }
    for (const [name, own] of Object.entries(texts))
      variables[name as StyleVariable] = style.getPropertyValue(own).trim();
    return { theme: isDark() ? "dark" : "light", styles: { variables } };
  } finally {
    probe.remove();
  }
}

/** The parts of the host context that do not depend on the theme. */
export function staticContext(): HostContext {
  return {
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: { maxHeight: 900 },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "biplane-page",
    platform: "web",
    deviceCapabilities: {
      touch: matchMedia("(pointer: coarse)").matches,
      hover: matchMedia("(hover: hover)").matches,
    },
  };
}

/** The chosen theme, or the system's. */
function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

const colours: { readonly [Name in StyleVariable]?: string } = {
  "--color-background-primary": "--surface",
  "--color-background-secondary": "--sunken",
  "--color-background-tertiary": "--hover",
  "--color-background-inverse": "--text",
  "--color-background-disabled": "--hover",
  "--color-background-info": "--info-soft",
  "--color-background-danger": "--bad-soft",
  "--color-background-success": "--good-soft",
  "--color-background-warning": "--warn-soft",
  "--color-text-primary": "--text",
  "--color-text-secondary": "--text-soft",
  "--color-text-tertiary": "--text-soft",
  "--color-text-disabled": "--text-soft",
  "--color-text-inverse": "--surface",
  "--color-text-info": "--accent-text",
  "--color-text-danger": "--bad-text",
  "--color-text-success": "--good-text",
  "--color-text-warning": "--warn-text",
  "--color-border-primary": "--line",
  "--color-border-secondary": "--line-strong",
  "--color-border-tertiary": "--line",
  "--color-border-info": "--info",
  "--color-border-danger": "--bad",
  "--color-border-success": "--good",
  "--color-border-warning": "--warn",
  "--color-ring-primary": "--accent",
};

const texts: { readonly [Name in StyleVariable]?: string } = { "--font-sans": "--font", "--font-mono": "--mono" };

const sizes: { readonly [Name in StyleVariable]?: string } = {
  "--color-background-ghost": "transparent",
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--font-text-xs-size": "0.6875rem",
  "--font-text-sm-size": "0.75rem",
  "--font-text-md-size": "0.8125rem",
  "--font-text-lg-size": "0.9375rem",
  "--border-radius-sm": "5px",
  "--border-radius-md": "8px",
  "--border-radius-lg": "12px",
  "--border-width-regular": "1px",
};
