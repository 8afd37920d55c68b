import type { JSX } from "preact";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Checkbox } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { go, href } from "../../router.ts";
import { serverOverview } from "../../server-overview.ts";
import { person } from "../../session.ts";
import { briefLengths, hiddenCharacters, isReadable } from "./brief.ts";
import { AssigneeBadge } from "./assignee-badge.tsx";
import { BriefInput } from "./brief-input.tsx";
import { Caller } from "./caller.tsx";
import { DestructiveBadge } from "./destructive-badge.tsx";
import { isOwnCall } from "./own-call.ts";
import { RuleBadges } from "./rule-badges.tsx";
import { shownText } from "./shown-text.ts";
import { Deadline, TimeLeft } from "./time-left.tsx";
import { VoteCount, approveTitle } from "./votes.tsx";

/** What a card can do. */
export interface CardActions {
  /** False for people who may only view approvals. */
  readonly mayAnswer: boolean;
  readonly isDestructive: (approval: Approval) => boolean;
  readonly isBusy: boolean;
  readonly onApprove: (approval: Approval) => void;
  /** Asks for a comment or a reason first. */
  readonly onAsk: (approval: Approval, verdict: "approve" | "reject") => void;
  readonly onAssign: (approval: Approval, to: string | null) => void;
}

/** A waiting call that can be answered without opening it. */
export function WaitingCard(
  props: CardActions & {
    readonly approval: Approval;
    readonly isTicked: boolean;
    readonly onTick: (isTicked: boolean) => void;
  },
): JSX.Element {
  const { approval, isTicked, mayAnswer, isBusy, onTick, onApprove, onAsk } = props;
  const { id, question, tool, server, input, askedAt, expiresAt } = approval;
  const own = isOwnCall(approval);
  const isRead = isReadable(approval);
  const about = shownText(question);
  return (
    <li class={isTicked ? "approvals-row approvals-ticked" : "approvals-row"} data-approval={id}>
      {mayAnswer ? (
        <Checkbox label={`Select ${about}`} isLabelHidden isChecked={isTicked} onChange={onTick} />
      ) : (
        <span />
      )}
      <div class="approvals-what">
        <div class="row">
          <a class="approvals-open" href={href("approvals", [id])}>
            <Text value={question} maxLength={briefLengths.question} isFixed />
          </a>
          {props.isDestructive(approval) && <DestructiveBadge />}
          <VoteCount approval={approval} />
        </div>
        <div class="approvals-call mono">
          <Text value={tool} maxLength={briefLengths.tool} isFixed class="strong" />{" "}
          <BriefInput input={input} maxLength={briefLengths.input} />
        </div>
        {hiddenCharacters(approval) > 0 && (
          <p class="small text-warn">
            Not everything is shown here. {mayAnswer && (isRead ? "You have read it." : "Open it to approve.")}
          </p>
        )}
        <div class="approvals-who small muted">
          <Caller agent={approval.agent} principal={approval.principal} />
          {server !== serverOverview.value?.name && (
            <span>
              on <Text value={server} maxLength={60} isFixed />
            </span>
          )}
          <RuleBadges rules={approval.rules} />
          <AssigneeBadge approval={approval} />
        </div>
      </div>
      <div class="approvals-side">
        <div class="approvals-when small">
          <span class="muted">
            requested <Time at={askedAt} />
          </span>
          <TimeLeft until={expiresAt} />
        </div>
        <div class="approvals-actions">
          {!mayAnswer ? (
            <LinkButton size="small" icon="right" label={`Open: ${about}`} href={href("approvals", [id])}>
              Open
            </LinkButton>
          ) : own ? (
            <span class="small muted">Your own call</span>
          ) : (
            <>
              {isRead ? (
                <Button
                  size="small"
                  icon="check"
                  isDisabled={isBusy}
                  label={`${approveTitle(approval)}: ${about}`}
                  onClick={() => onApprove(approval)}
                >
                  {approveTitle(approval)}
                </Button>
              ) : (
                <LinkButton size="small" icon="right" label={`Review: ${about}`} href={href("approvals", [id])}>
                  Review
                </LinkButton>
              )}
              <Button
                size="small"
                icon="close"
                isDisabled={isBusy}
                label={`Reject: ${about}`}
                onClick={() => onAsk(approval, "reject")}
              >
                Reject…
              </Button>
            </>
          )}
          {mayAnswer && <CardMenu {...props} isOwn={own} />}
        </div>
      </div>
      <Deadline from={askedAt} until={expiresAt} />
    </li>
  );
}

function CardMenu(props: CardActions & { readonly approval: Approval; readonly isOwn: boolean }): JSX.Element {
  const { approval, isOwn: own, onAsk, onAssign } = props;
  const me = typeof person.value === "string" ? undefined : person.value.name;
  const { assignee } = approval;
  return (
    <Menu
      label={`More for ${shownText(approval.question)}`}
      class="button button-quiet button-small button-icon"
      items={[
        ...(own || !isReadable(approval)
          ? []
          : [{ title: "Approve with a comment…", icon: "check" as const, run: () => onAsk(approval, "approve") }]),
        ...(me === undefined || assignee === me
          ? []
          : [{ title: "Assign to me", icon: "person" as const, run: () => onAssign(approval, me) }]),
        ...(assignee === undefined
          ? []
          : [{ title: "Remove the assignment", icon: "minus" as const, run: () => onAssign(approval, null) }]),
        { title: "Open", icon: "right" as const, run: () => go(href("approvals", [approval.id])) },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
