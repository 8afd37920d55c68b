import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];

const key = "biplane.theme";

/** What this browser prefers; kept for the next visit. */
export const theme = signal<Theme>(kept());

/** Follows the choice from now on: the colours are `light-dark()`, so the scheme is all there is to set. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    keep(theme.value);
  });
}

function kept(): Theme {
  try {
    const value = localStorage.getItem(key);
    return themes.find((each) => each === value) ?? "system";
  } catch {
    return "system"; // a browser that keeps nothing
  }
}

function keep(value: Theme): void {
  try {
    if (value === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    return; // a browser that keeps nothing
  }
}
