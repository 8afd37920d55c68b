import type { JSX } from "preact";
import type { Answer, Approval } from "../../../../src/admin/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { plural } from "../../format.ts";

/** What can be done with all that is selected. */
export function SelectionBar(props: {
  readonly chosen: readonly Approval[];
  readonly isBusy: boolean;
  readonly onAnswer: (answer: Answer) => void;
  readonly onReject: () => void;
  readonly onClear: () => void;
}): JSX.Element {
  const { chosen, isBusy, onAnswer, onReject, onClear } = props;
  const always = (whom: "caller" | "everyone") => () =>
    onAnswer({ verdict: "approve", hold: { kind: "always", for: whom } });
  return (
    <div class="approvals-bar" role="region" aria-label="What is selected">
      <span class="strong">{plural(chosen.length, "call")} selected</span>
      <span class="grow" />
      <Button kind="main" isBusy={isBusy} onClick={() => onAnswer({ verdict: "approve" })}>
        Approve once <kbd class="approvals-key">a</kbd>
      </Button>
      <Menu
        label="Approve always"
        class="button button-plain button-usual"
        items={[
          { title: "For these callers", icon: "person", run: always("caller") },
          { title: "For everyone", icon: "door", run: always("everyone") },
        ]}
      >
        Always <Icon name="down" size={12} />
      </Menu>
      <Button kind="bad" isDisabled={isBusy} onClick={onReject}>
        Reject… <kbd class="approvals-key">r</kbd>
      </Button>
      <Button kind="quiet" icon="close" label="Select none" onClick={onClear} />
    </div>
  );
}
