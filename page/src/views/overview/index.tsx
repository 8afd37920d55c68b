import type { JSX } from "preact";
import { Page } from "../../components/page.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { figures } from "../../events.ts";
import { plural } from "../../format.ts";
import { serverOverview, overviewError, loadOverview } from "../../server-overview.ts";
import { Connect } from "./connect.tsx";
import { FleetTable } from "./fleet.tsx";
import { Health } from "./health.tsx";
import { Latest } from "./latest.tsx";
import { ServedServers } from "./served.tsx";
import "./style.css";

/** The servers, their endpoints, their health, and how to connect. */
export default function OverviewView(): JSX.Element {
  const overview = serverOverview.value;
  if (!overview)
    return (
      <Page title="Overview">
        {overviewError.value === undefined ? (
          <Loading rows={6} />
        ) : (
          <Problem error={overviewError.value} retry={() => void loadOverview()} />
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
      <ServedServers overview={overview} />
      <FleetTable />
    </Page>
  );
}
