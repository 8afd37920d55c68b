import type { JSX } from "preact";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { Elapsed } from "../../components/time.tsx";
import { dateTime } from "../../format.ts";
import { failureOf } from "./message-groups.ts";
import type { Delivery } from "./message-groups.ts";

interface FailingTargetProps {
  readonly name: string;
  readonly deliveries: readonly Delivery[];
}

/** Says since when a target takes no message. Nothing, if it took the last one. */
export function FailingTarget({ name, deliveries }: FailingTargetProps): JSX.Element | null {
  const failure = failureOf(name, deliveries);
  if (!failure) return null;
  return (
    <span class="text-bad block">
      failing for <Elapsed since={failure.since} />
    </span>
  );
}

/** The same with the reason, and what to do. */
export function FailingBanner({ name, deliveries }: FailingTargetProps): JSX.Element | null {
  const failure = failureOf(name, deliveries);
  if (!failure) return null;
  return (
    <div class="problem" role="alert">
      <Icon name="warn" />
      <div class="grow">
        <b>
          <Text value={name} maxLength={40} isFixed />
        </b>{" "}
        has taken no message since {dateTime(failure.since)}: <Text value={failure.reason} maxLength={200} />. Check its
        address and whether it runs, then send a test.
      </div>
    </div>
  );
}
