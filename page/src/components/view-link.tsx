import type { ComponentChildren, JSX } from "preact";
import { mayOpen } from "../access.ts";
import { href } from "../router.ts";

/** A link into another view, or plain text if the user may not open it. */
export function ViewLink(props: {
  readonly route: string;
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { route, path = [], query, children } = props;
  if (!mayOpen(route)) return <span class={props.class}>{children}</span>;
  return (
    <a class={props.class} href={href(route, path, query)}>
      {children}
    </a>
  );
}
