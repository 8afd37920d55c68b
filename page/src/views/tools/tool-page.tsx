import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ModuleState } from "../../../../packages/biplane/src/admin/events/event-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead, mayUse } from "../../access.ts";
import { Json } from "../../components/json.tsx";
import { Card, Facts, Page } from "../../components/page.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { ViewOnly } from "../../components/view-only.tsx";
import { chosenDuration } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { CallResults } from "./call-results.tsx";
import { CallCard } from "./call-form.tsx";
import { LatestCalls } from "./latest-calls.tsx";
import { ModuleProblem } from "./module-problem.tsx";
import { SchemaTable } from "./schema-table.tsx";
import { ToolBadges } from "./tool-badges.tsx";
import { LastDay, keyOf, runTimeText, useToolFigures } from "./tool-figures.tsx";
import { ToolRules, useToolRules } from "./tool-rules.tsx";
import { useCall } from "./use-call.ts";
import type { MadeCall } from "./use-call.ts";
import { useCallAgain, useModule } from "./use-module.ts";

const parent = { title: "Tools", href: href("tools") };

/** One tool: its description, its schemas, and a form to call it. */
export function ToolPage({ server, name }: { readonly server: string; readonly name: string }): JSX.Element {
  const found = useResource("/api/tools", { query: { server, query: name, limit: 1000 } });
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
        <Empty title="Tool not found" icon="tools">
          It may have been removed. <a href={parent.href}>View all tools</a>
        </Empty>
      )}
    </Page>
  );
}

function Found({
  tool,
  module,
}: {
  readonly tool: ToolSummary;
  readonly module: ModuleState | undefined;
}): JSX.Element {
  const form = useCall(tool);
  useCallAgain(tool, form, module?.version);
  const missing = missingScope(tool);
  const query = { server: tool.server, status: "open", limit: 100 };
  const episodes = usePagedList(
    "/api/episodes",
    "episodes",
    tool.needsEpisode && missing === undefined ? { query } : undefined,
  );
  const results = useRef<HTMLDivElement>(null);
  const { made } = form;
  useEffect(() => {
    if (made) scrollIntoSight(results.current);
  }, [made]);
  return (
    <Page
      title={tool.name}
      parent={parent}
      aside={<ToolBadges tool={tool} />}
      about={tool.description !== undefined && <Text value={tool.description} isBlock maxLength={800} />}
    >
      <ModuleProblem module={module} />
      <div class={`tools-parts ${!made ? "tools-parts-unmade" : made.results.length > 1 ? "tools-parts-many" : ""}`}>
        {missing === undefined ? (
          <CallCard tool={tool} form={form} episodes={episodes} />
        ) : (
          <Card title="Call this tool">
            <ViewOnly action="Calling this tool" scope={missing} />
          </Card>
        )}
        <div class="tools-right">
          <div ref={results} class="tools-results">
            {made && (
              <CallResults
                tool={tool}
                made={made}
                isBusy={form.call.isBusy}
                onAgain={() => void form.call.run(made.request).then(episodes.reload)}
                onStep={episodes.reload}
              />
            )}
          </div>
          <About tool={tool} made={made} />
        </div>
        <Schemas tool={tool} />
      </div>
    </Page>
  );
}

/** The scope that the user needs to call the tool and does not have. */
function missingScope({ needsEpisode }: ToolSummary): string | undefined {
  return ["tools", ...(needsEpisode ? ["episodes"] : [])].find((scope) => !mayUse(scope));
}

/** Scrolls the main area to the results, only if they are far down. */
function scrollIntoSight(element: HTMLElement | null): void {
  const main = document.getElementById("main");
  if (!element || !main) return;
  const { top } = element.getBoundingClientRect();
  const area = main.getBoundingClientRect();
  if (top > area.top + area.height * 0.55)
    main.scrollBy({ top: top - area.top - area.height * 0.2, behavior: "smooth" });
}

function About({ tool, made }: { readonly tool: ToolSummary; readonly made: MadeCall | undefined }): JSX.Element {
  const { server, title, timeoutMs, app } = tool;
  const calls = useToolFigures().get(keyOf(server, tool.name));
  const runTime = calls && runTimeText(calls);
  const rules = useToolRules(tool);
  return (
    <div class="stack tools-about-tool">
      <Card title="Details">
        <Facts
          facts={[
            ["Server", <Text key="server" value={server} />],
            title !== undefined && ["Title", <Text key="title" value={title} />],
            calls !== undefined && ["Last 24 hours", <LastDay key="calls" calls={calls} />],
            runTime !== undefined && ["Run time", runTime],
            mayRead("policies") && ["Policy rules", <ToolRules key="rules" lists={rules} />],
            ["Timeout", chosenDuration(timeoutMs)],
            app !== undefined && ["App", <Text key="app" value={app.uri} isMono />],
          ]}
        />
      </Card>
      {mayRead("calls") && <LatestCalls tool={tool} made={made} />}
    </div>
  );
}

function Schemas({ tool: { input, output } }: { readonly tool: ToolSummary }): JSX.Element {
  return (
    <div class="stack tools-fields">
      <Card title="Input" isFlush>
        <SchemaTable schema={input} label="Input" />
        <SchemaJson kind="Input" schema={input} />
      </Card>
      {output && (
        <Card title="Output" isFlush>
          <SchemaTable schema={output} label="Output" />
          <SchemaJson kind="Output" schema={output} />
        </Card>
      )}
    </div>
  );
}

function SchemaJson(props: { readonly kind: "Input" | "Output"; readonly schema: ToolSummary["input"] }): JSX.Element {
  return (
    <details class="tools-schemas">
      <summary>{props.kind} schema (JSON)</summary>
      <Json value={props.schema} depth={3} copyLabel={`Copy the ${props.kind.toLowerCase()} schema`} />
    </details>
  );
}
