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
import { ScriptHistory } from "./script-history.tsx";
import { ScriptSide } from "./script-side.tsx";
import { ScriptStatus } from "./script-status.tsx";
import { TryScript } from "./try-script.tsx";

type Verdict = { readonly verdict: "approve" } | { readonly verdict: "reject"; readonly reason: string };
type Tab = "source" | "changes" | "try" | "history";

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
      aside={script && <ScriptStatus status={script.status} />}
      about={script && script.description !== null ? <Text value={script.description} /> : undefined}
      parent={{ title: "Scripts", href: href("scripts") }}
      actions={
        <>
          <Button icon="refresh" label="Reload" onClick={reload} />
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

function Parts({ script }: { readonly script: Opened }): JSX.Element {
  const { source, approvedSource, history } = script;
  const { tab = "" } = pageLocation.value.query;
  const tabs: readonly { readonly id: Tab; readonly title: string }[] = [
    { id: "source", title: "Source" },
    ...(approvedSource === null ? [] : [{ id: "changes", title: "Changes" } as const]),
    ...(mayUse("approvals") ? [{ id: "try", title: "Dry run" } as const] : []),
    { id: "history", title: `Decisions (${history.length})` },
  ];
  const current = tabs.find(({ id }) => id === tab)?.id ?? (approvedSource === null ? "source" : "changes");
  return (
    <Tabs label="Parts of the script" tabs={tabs} current={current} onChange={(id) => setQuery({ tab: id })}>
      {current === "source" && (
        <Card title="Source" isFlush actions={<CopyButton text={source} label="Copy the source" />}>
          <Code source={source} language="starlark" label="Source" isNumbered isWhole />
        </Card>
      )}
      {current === "changes" && approvedSource !== null && (
        <Card
          title="Changes since the last approval"
          isFlush
          actions={
            script.lastApproval && (
              <span class="muted small">
                <Text value={personName(script.lastApproval.by)} maxLength={60} isFixed />,{" "}
                <Time at={script.lastApproval.at} />
              </span>
            )
          }
        >
          <Diff before={approvedSource} after={source} label="Changes since the last approval" />
        </Card>
      )}
      {current === "try" && <TryScript key={script.hash} script={script} />}
      {current === "history" && <ScriptHistory history={history} current={script.hash} />}
    </Tabs>
  );
}

function Changed({ onReload }: { readonly onReload: () => void }): JSX.Element {
  return (
    <div class="scripts-changed" role="alert">
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
