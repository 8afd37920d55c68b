import type { JSX } from "preact";
import { mayOpen } from "../access.ts";
import { href } from "../router.ts";
import { LinkButton } from "./button.tsx";

/** To the instructions that connect a client. They are on the overview until the first call. */
export function ConnectLink(): JSX.Element | null {
  if (!mayOpen("tools")) return null;
  return (
    <LinkButton kind="main" icon="connections" href={href("overview")}>
      Connect a client
    </LinkButton>
  );
}
