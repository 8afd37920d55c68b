import type { JSX } from "preact";
import { strengthOf } from "./strength.ts";

export function StrengthMeter({
  passphrase,
  name,
}: {
  readonly passphrase: string;
  readonly name: string;
}): JSX.Element {
  const { score, about } = strengthOf(passphrase, name);
  return (
    <span class="strength">
      {passphrase !== "" && <meter min={0} max={4} low={2} high={3} optimum={4} value={score} aria-label="Strength" />}
      <span>{about}</span>
    </span>
  );
}
