import type { ComponentChildren, JSX } from "preact";
import type { ApprovalAnswer } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { count } from "../../format.ts";

/** Selects all calls. Large screens have the actions beside it. */
export function SelectionBar(props: {
  readonly chosen: number;
  readonly shown: number;
  readonly onAll: (isAll: boolean) => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { chosen, shown, onAll, children } = props;
  return (
    <div class={chosen > 0 ? "approvals-bar approvals-bar-on" : "approvals-bar"} role="region" aria-label="Selection">
      <Checkbox
        label={chosen === 0 ? `Select all ${count(shown)}` : `${count(chosen)} of ${count(shown)} selected`}
        isChecked={chosen > 0 && chosen === shown}
        onChange={onAll}
      />
      <span class="grow" />
      {children}
    </div>
  );
}

/** The actions for all selected calls, if there are any. */
export function SelectionActions(props: {
  readonly chosen: number;
  /** How many of the selected calls have to be opened before they can be approved. */
  readonly unread: number;
  /** How many of them may delete or overwrite data. */
  readonly destructive: number;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onReject: () => void;
}): JSX.Element {
  const { chosen, unread, destructive, isBusy, onAnswer, onReject } = props;
  if (chosen === 0) return <></>;
  const isUnread = unread > 0;
  const always = (callers: "caller" | "everyone") => () =>
    onAnswer({ verdict: "approve", scope: { kind: "always", for: callers } });
  return (
    <>
      {destructive > 0 && !isUnread && <span class="small text-bad">{count(destructive)} destructive</span>}
      {isUnread && (
        <span class="small text-warn">
          {unread === 1 ? "1 call is" : `${count(unread)} calls are`} not shown in full. Open{" "}
          {unread === 1 ? "it" : "them"} to approve.
        </span>
      )}
      <Button kind="main" isBusy={isBusy} isDisabled={isUnread} onClick={() => onAnswer({ verdict: "approve" })}>
        Approve once <kbd class="approvals-key">a</kbd>
      </Button>
      {!isBusy && !isUnread && (
        <Menu
          label="Approve always"
          class="button button-plain button-usual"
          items={[
            { title: "For these callers", icon: "person", run: always("caller") },
            { title: "For everyone", icon: "connections", run: always("everyone") },
          ]}
        >
          Always <Icon name="down" size={12} />
        </Menu>
      )}
      <Button kind="bad" isDisabled={isBusy} onClick={onReject}>
        Reject… <kbd class="approvals-key">r</kbd>
      </Button>
    </>
  );
}
