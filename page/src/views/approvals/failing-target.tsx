import type { JSX } from "preact";
import { Elapsed } from "../../components/time.tsx";
import { isFailing } from "./message-groups.ts";
import type { Delivery } from "./message-groups.ts";

/** Says since when a target takes no message. Nothing, if it took the last one. */
export function FailingTarget(props: {
  readonly name: string;
  readonly deliveries: readonly Delivery[];
}): JSX.Element | null {
  const { name, deliveries } = props;
  const own = deliveries.filter(({ target }) => target === name);
  const lastSent = own.reduce((latest, { sentAt }) => (sentAt !== null && sentAt > latest ? sentAt : latest), "");
  const failed = own.filter((delivery) => delivery.createdAt > lastSent && isFailing(delivery));
  const since = failed.map(({ createdAt }) => createdAt).sort()[0];
  if (since === undefined) return null;
  return (
    <span class="text-bad block">
      failing for <Elapsed since={since} />
    </span>
  );
}
