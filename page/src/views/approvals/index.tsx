import type { JSX } from "preact";
import { pageLocation } from "../../router.ts";
import { ApprovalLists } from "./approval-lists.tsx";
import { OpenedApproval } from "./opened-approval.tsx";
import { useQueue } from "./use-queue.ts";
import "./style.css";

/** Waiting calls, answered calls, standing approvals, and one approval in detail. */
export default function Approvals(): JSX.Element {
  const [id] = pageLocation.value.path;
  const queue = useQueue();
  return id === undefined ? <ApprovalLists queue={queue} /> : <OpenedApproval key={id} id={id} queue={queue} />;
}
