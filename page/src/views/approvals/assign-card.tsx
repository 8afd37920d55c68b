import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { useResource } from "../../resource.ts";
import { person } from "../../session.ts";
import { shownText } from "./shown-text.ts";
import { useAssign } from "./use-assign.ts";

/** Names the person who should answer. Everyone who may answer still can. */
export function AssignCard(props: { readonly approval: Approval; readonly onDone: () => void }): JSX.Element {
  const { approval, onDone } = props;
  const { assignee = "" } = approval;
  const approvers = useResource("/api/approvers", {}, { isCached: true });
  const assign = useAssign(onDone);
  const me = typeof person.value === "string" ? "" : person.value.name;
  const names = new Set([...(approvers.data?.names ?? []), ...(assignee === "" ? [] : [assignee])]);
  const change = (to: string) => void assign.run({ approvals: [approval], to: to === "" ? null : to });
  return (
    <Card title="Assigned to">
      <div class="stack-tight">
        <div class="row">
          <div class="grow">
            <Select
              label="Assigned to"
              isLabelHidden
              isDisabled={assign.isBusy}
              value={assignee}
              choices={[
                { value: "", title: "Nobody" },
                ...Array.from(names, (name) => ({ value: name, title: shownText(name) })),
              ]}
              onChange={change}
            />
          </div>
          {me !== "" && assignee !== me && (
            <Button isDisabled={assign.isBusy} onClick={() => change(me)}>
              Assign to me
            </Button>
          )}
        </div>
        {assign.error !== undefined && <Problem error={assign.error} />}
      </div>
    </Card>
  );
}
