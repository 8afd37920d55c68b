import type { JSX } from "preact";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

/** The annotations and other traits of a tool. */
export function ToolBadges(props: {
  readonly tool: ToolSummary;
  /** Left out where it is said of all tools at once. */
  readonly isEpisodeSaid?: boolean;
  /** Says it of tools without traits, too. */
  readonly isList?: boolean;
}): JSX.Element {
  const { tool, isEpisodeSaid = false, isList = false } = props;
  const traits = traitsOf({ ...tool, needsEpisode: tool.needsEpisode && !isEpisodeSaid });
  return (
    <span class="row tools-badges">
      {isList && traits.length === 0 && (
        <span class="muted small" title="The tool does not say whether it changes anything">
          not stated
        </span>
      )}
      {traits.map(({ label, tone, about }) => (
        <Badge key={label} tone={tone} title={about}>
          {label}
        </Badge>
      ))}
    </span>
  );
}

interface Trait {
  readonly label: string;
  readonly tone: Tone;
  readonly about: string;
}

function traitsOf(tool: ToolSummary): readonly Trait[] {
  const { annotations, app } = tool;
  const isReadOnly = annotations.readOnlyHint === true;
  const traits: readonly (Trait | false)[] = [
    isReadOnly && { label: "read-only", tone: "good", about: "Declares that it changes nothing" },
    annotations.destructiveHint === true &&
      !isReadOnly && { label: "destructive", tone: "warn", about: "Declares that it may delete or overwrite data" },
    annotations.destructiveHint === false &&
      !isReadOnly && {
        label: "not destructive",
        tone: "plain",
        about: "Declares that it deletes and overwrites nothing",
      },
    (tool.idempotent || annotations.idempotentHint === true) &&
      !isReadOnly && { label: "idempotent", tone: "plain", about: "Repeated calls have the same effect as one call" },
    tool.interactive && { label: "interactive", tone: "info", about: "May ask the user questions while it runs" },
    tool.task !== undefined && {
      label: tool.task === "required" ? "task required" : "task",
      tone: "info",
      about: "Can run as a background task",
    },
    app !== undefined && { label: "app", tone: "accent", about: "Shows its result in an app" },
    app !== undefined &&
      !app.visibility.includes("model") && { label: "for apps only", tone: "plain", about: "Hidden from models" },
    tool.needsEpisode && { label: "needs an episode", tone: "plain", about: "Each call is a step of an episode" },
  ];
  return traits.filter((trait) => trait !== false);
}
