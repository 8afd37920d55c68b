import { BiplaneError } from "@biplane/core";
import type { SessionRecording } from "./read-sessions.ts";

/** Finds a session by its id, a part of it that no other has, or the id of its label. */
export function chooseSession(sessions: readonly SessionRecording[], name: string): SessionRecording {
  const exact = sessions.find(({ id, label }) => id === name || label.id === name);
  if (exact) return exact;
  const found = sessions.filter(({ id }) => id.includes(name));
  const [first] = found;
  if (first && found.length === 1) return first;
  const ids = (first ? found : sessions).map(({ id, label }) => label.id ?? id);
  const shown = `${ids.slice(0, maxShown).join(", ")}${ids.length > maxShown ? " …" : ""}`;
  throw new BiplaneError(
    "INVALID_INPUT",
    first
      ? `${JSON.stringify(name)} matches several recorded sessions: ${shown}.`
      : `There is no recorded session ${JSON.stringify(name)}. Sessions: ${shown}.`,
  );
}

const maxShown = 20;
