import type { JSX } from "preact";
import type { ShownTool } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

/** What there is to know of a tool before it is called, in words. */
export function ToolBadges({ tool }: { readonly tool: ShownTool }): JSX.Element {
  return (
    <span class="row tools-badges">
      {traitsOf(tool).map(({ word, tone, about }) => (
        <Badge key={word} tone={tone} title={about}>
          {word}
        </Badge>
      ))}
    </span>
  );
}

interface Trait {
  readonly word: string;
  readonly tone: Tone;
  readonly about: string;
}

function traitsOf(tool: ShownTool): readonly Trait[] {
  const { annotations, app } = tool;
  const isReadOnly = annotations.readOnlyHint === true;
  const traits: readonly (Trait | false)[] = [
    isReadOnly && { word: "read-only", tone: "good", about: "It says that it changes nothing" },
    annotations.destructiveHint === true &&
      !isReadOnly && { word: "destructive", tone: "bad", about: "It says that it may destroy what was there" },
    (tool.idempotent || annotations.idempotentHint === true) &&
      !isReadOnly && { word: "idempotent", tone: "plain", about: "Calling it twice is as good as calling it once" },
    tool.interactive && { word: "interactive", tone: "info", about: "It may ask the user questions while it runs" },
    tool.task !== undefined && {
      word: tool.task === "required" ? "always a task" : "task",
      tone: "info",
      about: "It can run in the background, and is asked about later",
    },
    app !== undefined && { word: "app", tone: "accent", about: "Its result is shown by an interactive page" },
    app !== undefined &&
      !app.visibility.includes("model") && { word: "for apps only", tone: "plain", about: "Models do not see it" },
    tool.needsEpisode && { word: "needs an episode", tone: "plain", about: "A call is a step of an episode" },
  ];
  return traits.filter((trait) => trait !== false);
}
