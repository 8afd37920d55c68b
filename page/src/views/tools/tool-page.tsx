import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ModuleState, ShownTool } from "../../../../src/desk/contract.ts";
import { LinkButton } from "../../components/button.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts, Page } from "../../components/page.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { usePages } from "../../pages.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { Answers } from "./answers.tsx";
import { CallCard } from "./call-form.tsx";
import { ModuleProblem } from "./module-problem.tsx";
import { SchemaTable } from "./schema-table.tsx";
import { ToolBadges } from "./tool-badges.tsx";
import { useCall } from "./use-call.ts";
import { useCallAgain, useModule } from "./use-module.ts";

const parent = { title: "Tools", href: href("tools") };

/** One tool: what it says of itself, and a way to call it. */
export function ToolPage({ server, name }: { readonly server: string; readonly name: string }): JSX.Element {
  const found = useResource<{ tools: readonly ShownTool[] }>("/api/tools", { server, query: name, limit: 1000 });
  const tool = found.data?.tools.find((each) => each.name === name);
  const module = useModule(found.reload);
  if (tool) return <Found tool={tool} module={module} />;
  return (
    <Page title="Tool" parent={parent}>
      <ModuleProblem module={module} />
      {found.error !== undefined ? (
        <Problem error={found.error} retry={found.reload} />
      ) : found.isLoading ? (
        <Loading rows={6} />
      ) : (
        <Empty title="There is no such tool" icon="tools">
          It may have been taken away since. <a href={parent.href}>See all tools</a>
        </Empty>
      )}
    </Page>
  );
}

function Found({ tool, module }: { readonly tool: ShownTool; readonly module: ModuleState | undefined }): JSX.Element {
  const form = useCall(tool);
  useCallAgain(tool, form, module?.version);
  const query = { server: tool.server, status: "open", limit: 100 };
  const episodes = usePages(tool.needsEpisode ? "/api/episodes" : undefined, "episodes", query);
  const answers = useRef<HTMLDivElement>(null);
  const { made } = form;
  useEffect(() => {
    if (made) bringIntoSight(answers.current);
  }, [made]);
  return (
    <Page
      title={tool.name}
      parent={parent}
      aside={<ToolBadges tool={tool} />}
      about={tool.description !== undefined && <Text value={tool.description} isBlock most={800} />}
      actions={
        <LinkButton icon="live" href={href("live", [], { server: tool.server, tool: tool.name })}>
          Its calls
        </LinkButton>
      }
    >
      <ModuleProblem module={module} />
      <div class={`tools-parts ${!made ? "tools-parts-unmade" : made.answers.length > 1 ? "tools-parts-many" : ""}`}>
        <CallCard tool={tool} form={form} episodes={episodes} />
        <div ref={answers} class="tools-answers">
          {made && (
            <Answers
              tool={tool}
              made={made}
              isBusy={form.call.isBusy}
              onAgain={() => void form.call.run(made.wish).then(episodes.reload)}
              onStep={episodes.reload}
            />
          )}
        </div>
        <About tool={tool} />
      </div>
    </Page>
  );
}

/** Scrolls no further than it must, and nothing but the content. */
function bringIntoSight(element: HTMLElement | null): void {
  const main = document.getElementById("main");
  if (!element || !main) return;
  const { top } = element.getBoundingClientRect();
  const room = main.getBoundingClientRect();
  if (top > room.top + room.height * 0.55)
    main.scrollBy({ top: top - room.top - room.height * 0.2, behavior: "smooth" });
}

function About({ tool }: { readonly tool: ShownTool }): JSX.Element {
  const { server, title, timeoutMs, app, input, output } = tool;
  return (
    <div class="stack tools-about-tool">
      <Card title="What it takes" isFlush>
        <SchemaTable schema={input} label="Input" />
      </Card>
      {output && (
        <Card title="What it answers" isFlush>
          <SchemaTable schema={output} label="Output" />
        </Card>
      )}
      <Card title="Facts">
        <Facts
          facts={[
            ["Server", <Text key="server" value={server} />],
            ...(title === undefined ? [] : [["Title", <Text key="title" value={title} />] as const]),
            ["Time limit", <Duration key="timeout" ms={timeoutMs} />],
            ...(app ? [["App", <Text key="app" value={app.uri} isMono />] as const] : []),
            ["Schemas", <Json key="schemas" value={{ input, ...(output && { output }) }} depth={0} />],
          ]}
        />
      </Card>
    </div>
  );
}
