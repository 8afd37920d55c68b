import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { figures } from "../../events.ts";
import { plural } from "../../format.ts";
import { house, houseProblem, loadHouse } from "../../house.ts";
import { Connect } from "./connect.tsx";
import { Health } from "./health.tsx";
import { Latest } from "./latest.tsx";
import { ServedThings } from "./served.tsx";
import "./style.css";

/** What is served, on which doors, how it does, and how to reach it. */
export default function OverviewView(): JSX.Element {
  const overview = house.value;
  if (!overview)
    return (
      <Page title="Overview">
        {houseProblem.value === undefined ? (
          <Loading rows={6} />
        ) : (
          <Problem error={houseProblem.value} retry={() => void loadHouse()} />
        )}
      </Page>
    );
  const tools = overview.servers.reduce((sum, server) => sum + server.tools, 0);
  return (
    <Page
      title="Overview"
      about={
        <>
          {plural(tools, "tool")} on {plural(overview.servers.length, "server")}, started{" "}
          <Time at={overview.startedAt} />
        </>
      }
    >
      <Health figures={figures.value ?? overview.figures} />
      <div class="split overview-middle">
        <Connect overview={overview} />
        <Latest overview={overview} />
      </div>
      <ServedThings overview={overview} />
    </Page>
  );
}
