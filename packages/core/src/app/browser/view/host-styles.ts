import type { HostContext } from "../bridge/context.ts";

/** Applies the host's styles to the document: `data-theme`, `color-scheme`, custom properties, fonts. */
export function hostStyles(): (changed: HostContext) => void {
  let applied: string[] = [];
  let fonts: HTMLStyleElement | undefined;
  return ({ theme, styles }) => {
    const root = document.documentElement;
    if (theme) {
      root.dataset["theme"] = theme;
      root.style.colorScheme = theme;
    }
    const { variables, css } = styles ?? {};
    if (variables) {
      for (const name of applied) root.style.removeProperty(name);
      // Only custom properties, so that a host cannot hide a page with `display`.
      const given = Object.entries(variables).filter(([name, value]) => name.startsWith("--") && value);
      for (const [name, value] of given) root.style.setProperty(name, value ?? null);
      applied = given.map(([name]) => name);
    }
    if (typeof css?.fonts === "string") {
      fonts ??= document.head.appendChild(document.createElement("style"));
      fonts.textContent = css.fonts;
    }
  };
}
