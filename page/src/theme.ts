import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];

const key = "biplane.theme";

/** The chosen theme, stored in the browser. */
export const theme = signal<Theme>(storedTheme());

/** Applies and stores the theme whenever it changes. Colours use `light-dark()`, so only the scheme is set. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    storeTheme(theme.value);
  });
}

function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(key);
    return themes.find((each) => each === value) ?? "system";
  } catch {
    return "system"; // no storage
  }
}

function storeTheme(value: Theme): void {
  try {
    if (value === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    return; // no storage
  }
}
