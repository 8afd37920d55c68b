import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

/** A value that this browser keeps, as JSON. Without storage it lasts until the page closes. */
export function storedSetting<T>(name: string, preset: T): Signal<T> {
  const key = `biplane-${name}`;
  const setting = signal<T>((read(key) as T | undefined) ?? preset);
  setting.subscribe((value) => {
    try {
      if (value === preset) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // The page works without it.
    }
  });
  return setting;
}

function read(key: string): unknown {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? "null") as unknown) ?? undefined;
  } catch {
    return undefined;
  }
}
