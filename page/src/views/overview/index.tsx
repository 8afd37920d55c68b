import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Overview } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { mayRead } from "../../access.ts";
import { Button } from "../../components/button.tsx";
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
import { storedSetting } from "../../stored-setting.ts";
import { ServedServers } from "./served.tsx";
import { Traffic, TrafficIfAny } from "./traffic.tsx";
import "./style.css";

/** What the user wants. Otherwise the instructions are there until the first call. */
const wantsConnect = storedSetting<boolean | "unset">("connect-shown", "unset");

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
  return <Shown overview={overview} />;
}

function Shown({ overview }: { readonly overview: Overview }): JSX.Element {
  // Without any call, the way to make one comes first. It stays there while one looks at it.
  const [isUnused] = useState(overview.figures.calls === 0);
  const wanted = wantsConnect.value;
  const isConnectShown = mayRead("tools") && (wanted === "unset" ? isUnused : wanted);
  const showConnect = (isShown: boolean) => {
    wantsConnect.value = isShown;
  };
  const middle = (
    <div class={isConnectShown && mayRead("calls") ? "split overview-middle" : "stack"}>
      {isConnectShown && <Connect overview={overview} onDismiss={() => showConnect(false)} />}
      {mayRead("calls") && <Latest isHalf={isConnectShown} />}
    </div>
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
      actions={
        mayRead("tools") &&
        !isConnectShown && (
          <Button icon="connections" onClick={() => showConnect(true)}>
            Connect a client
          </Button>
        )
      }
    >
      {isUnused && middle}
      <Health figures={figures.value ?? overview.figures} />
      {mayRead("calls") &&
        (isUnused ? <TrafficIfAny /> : <Traffic>{!isConnectShown && <Latest isHalf={false} />}</Traffic>)}
      {!isUnused && (isConnectShown || !mayRead("calls")) && middle}
      <ServedServers overview={overview} />
      <FleetTable />
    </Page>
  );
}
