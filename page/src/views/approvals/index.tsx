import type { JSX } from "preact";
import { place } from "../../router.ts";
import { ApprovalLists } from "./approval-lists.tsx";
import { OpenedApproval } from "./opened-approval.tsx";
import { useQueue } from "./use-queue.ts";
import "./style.css";

/** What agents wait for: the queue, one call of it, what was answered, and what holds from now on. */
export default function Approvals(): JSX.Element {
  const [id] = place.value.path;
  const queue = useQueue();
  return id === undefined ? <ApprovalLists queue={queue} /> : <OpenedApproval key={id} id={id} queue={queue} />;
}
