import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ScriptDetail as Opened } from "../../../../packages/biplane/src/admin/scripts/script-api.ts";
import { mayUse } from "../../access.ts";
import { ApiError, callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Diff } from "../../components/diff.tsx";
import { Icon } from "../../components/icon.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Loaded, Problem } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation, useResource } from "../../resource.ts";
import { countWaitingScripts } from "../../waiting-scripts.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { AnswerDialog } from "../approvals/answer-dialog.tsx";
import { personName } from "../approvals/person-name.ts";
import { shownText } from "../approvals/shown-text.ts";
import { ScriptSide } from "./script-side.tsx";
import { ScriptStatus, waitsForApproval } from "./script-status.tsx";
import { TryScript } from "./try-script.tsx";

type Verdict = { readonly verdict: "approve" } | { readonly verdict: "reject"; readonly reason: string };

/** One script: its source, its changes, its secrets and a dry run. */
export function OpenedScript({ name }: { readonly name: string }): JSX.Element {
  const resource = useResource("/api/scripts/:name", { name });
  const { data: script } = resource;
  const [isRejecting, setRejecting] = useState(false);
  const decide = useMutation(async (verdict: Verdict) => {
    // The hash of the displayed source: the server rejects the verdict if the file has changed.
    const decided = await callApi("POST /api/scripts/:name/verdict", {
      name,
      body: { ...verdict, hash: script?.hash ?? "" },
    });
    resource.replace(decided);
    setRejecting(false);
    void countWaitingScripts();
    toast(`${verdict.verdict === "approve" ? "Approved" : "Rejected"} this version of ${shownText(decided.name)}`);
  });
  const isStale = decide.error instanceof ApiError && decide.error.status === 409;
  const reload = () => {
    decide.clear();
    setRejecting(false);
    resource.reload();
  };
  const mayDecide = mayUse("approvals") && script !== undefined && script.status !== "broken" && !isStale;
  return (
    <Page
      title={shownText(name)}
      aside={
        <>
          {script && <ScriptStatus status={script.status} />}
          <Button kind="quiet" size="small" icon="refresh" label="Reload" onClick={reload} />
        </>
      }
      about={script && script.description !== null ? <Text value={script.description} /> : undefined}
      parent={{ title: "Scripts", href: href("scripts") }}
      actions={
        <>
          {mayDecide && script.status !== "rejected" && (
            <Button kind="bad" onClick={() => setRejecting(true)}>
              Reject…
            </Button>
          )}
          {mayDecide && script.status !== "approved" && (
            <Button
              kind="main"
              icon="check"
              isBusy={decide.isBusy}
              onClick={() => void decide.run({ verdict: "approve" })}
            >
              Approve this version
            </Button>
          )}
        </>
      }
    >
      {isStale ? (
        <Changed onReload={reload} />
      ) : (
        !isRejecting && decide.error !== undefined && <Problem error={decide.error} retry={reload} />
      )}
      <Loaded resource={resource} rows={8}>
        {(opened) => (
          <>
            {opened.fault !== null && <Fault message={opened.fault} />}
            {waitsForApproval(opened) && <Waiting script={opened} />}
            <div class="split split-side">
              <Parts script={opened} />
              <ScriptSide script={opened} />
            </div>
          </>
        )}
      </Loaded>
      {isRejecting && !isStale && (
        <AnswerDialog
          verdict="reject"
          what="this version of the script"
          isBusy={decide.isBusy}
          error={decide.error}
          onAnswer={(given) => given.verdict === "reject" && void decide.run(given)}
          onClose={() => {
            setRejecting(false);
            decide.clear();
          }}
        />
      )}
    </Page>
  );
}

/** What people read, then try. */
function Parts({ script }: { readonly script: Opened }): JSX.Element {
  const { source, approvedSource, lastApproval } = script;
  const current = pageLocation.value.query["tab"] === "source" ? "source" : "changes";
  return (
    <div class="stack">
      {approvedSource === null ? (
        <Source source={source} />
      ) : (
        <Tabs label="Parts of the script" tabs={tabs} current={current} onChange={(id) => setQuery({ tab: id })}>
          {current === "source" ? (
            <Source source={source} />
          ) : (
            <Card
              title="Changes since the last approval"
              isFlush
              actions={
                lastApproval && (
                  <span class="muted small">
                    approved by <Text value={personName(lastApproval.by)} maxLength={60} isFixed />,{" "}
                    <Time at={lastApproval.at} />
                  </span>
                )
              }
            >
              <Diff before={approvedSource} after={source} label="Changes since the last approval" />
            </Card>
          )}
        </Tabs>
      )}
      {mayUse("approvals") && script.fault === null && <TryScript key={script.hash} script={script} />}
    </div>
  );
}

const tabs = [
  { id: "changes", title: "Changes" },
  { id: "source", title: "Source" },
] as const;

function Source({ source }: { readonly source: string }): JSX.Element {
  return (
    <Card title="Source" isFlush actions={<CopyButton text={source} label="Copy the source" />}>
      <Code source={source} language="starlark" label="Source" isNumbered isWhole />
    </Card>
  );
}

/** What an approval does. */
function Waiting({ script: { changedAt } }: { readonly script: Opened }): JSX.Element {
  return (
    <div class="scripts-notice">
      <Icon name="info" />
      <p class="grow">
        Agents cannot run this version
        {changedAt !== null && (
          <>
            {" "}
            (last changed <Time at={changedAt} />)
          </>
        )}{" "}
        until it is approved. An approval holds for every agent that the policies allow to run scripts, until the file
        changes.
      </p>
    </div>
  );
}

function Changed({ onReload }: { readonly onReload: () => void }): JSX.Element {
  return (
    <div class="scripts-notice" role="alert">
      <Icon name="info" />
      <span class="grow">The script has changed since you opened it. Nothing was decided.</span>
      <Button size="small" icon="refresh" onClick={onReload}>
        Show the new version
      </Button>
    </div>
  );
}

function Fault({ message }: { readonly message: string }): JSX.Element {
  return (
    <div class="problem">
      <Icon name="warn" />
      <span class="grow">
        This script cannot run: <Text value={message} maxLength={1000} />
      </span>
    </div>
  );
}
