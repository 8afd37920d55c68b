import type { JSX } from "preact";
import type { WayAnswer } from "../../../../src/desk/contract.ts";
import { href } from "../../router.ts";
import { wayTitles } from "./ways.tsx";

/** Leads to the call in the list of calls. What a wire itself refused never was one. */
export function CallLink({ answer }: { readonly answer: WayAnswer }): JSX.Element | null {
  return answer.call === null ? null : (
    <a class="small" href={href("live", [answer.call])} aria-label={`Open the call by ${wayTitles[answer.way]}`}>
      Open
      <span class="wide-only"> the call</span>
    </a>
  );
}
