import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedScript as Opened } from "../../../../src/desk/contract.ts";
import { ApiError, ask, segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Diff } from "../../components/diff.tsx";
import { Icon } from "../../components/icon.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Loaded, Problem } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Text } from "../../components/text.tsx";
import { toast } from "../../components/toast.tsx";
import { usePost, useResource } from "../../resource.ts";
import { href, place, setQuery } from "../../router.ts";
import { RejectDialog } from "../approvals/reject-dialog.tsx";
import { shownText } from "../approvals/shown-text.ts";
import { ScriptHistory } from "./script-history.tsx";
import { ScriptSide } from "./script-side.tsx";
import { ScriptStatus } from "./script-status.tsx";
import { TryScript } from "./try-script.tsx";

type Verdict = { readonly verdict: "approve" } | { readonly verdict: "reject"; readonly reason: string };
type Tab = "source" | "changes" | "try" | "history";

/** A script to be read: its bytes, what changed in them, what it may use, and how it does with nothing real in reach. */
export function OpenedScript({ name }: { readonly name: string }): JSX.Element {
  const path = `/api/scripts/${segment(name)}` as const;
  const resource = useResource<Opened>(path);
  const { data: script } = resource;
  const [isRejecting, setRejecting] = useState(false);
  const decide = usePost(async (verdict: Verdict) => {
    // The hash of what is on the screen: the server refuses it for any other bytes.
    const decided = await ask<Opened>(`POST ${path}/verdict`, { body: { ...verdict, hash: script?.hash } });
    resource.replace(decided);
    setRejecting(false);
    toast(`${verdict.verdict === "approve" ? "Approved" : "Rejected"} this version of ${shownText(decided.name)}`);
  });
  const isStale = decide.error instanceof ApiError && decide.error.status === 409;
  const lookAgain = () => {
    decide.clear();
    setRejecting(false);
    resource.reload();
  };
  const mayDecide = script !== undefined && script.status !== "broken" && !isStale;
  return (
    <Page
      title={shownText(name)}
      aside={script && <ScriptStatus status={script.status} />}
      about={script && script.description !== null ? <Text value={script.description} /> : undefined}
      parent={{ title: "Scripts", href: href("scripts") }}
      actions={
        <>
          <Button icon="refresh" label="Read it again" onClick={lookAgain} />
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
        <Changed onLook={lookAgain} />
      ) : (
        !isRejecting && decide.error !== undefined && <Problem error={decide.error} retry={lookAgain} />
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
        <RejectDialog
          what="this version of the script"
          isBusy={decide.isBusy}
          error={decide.error}
          onReject={(reason) => void decide.run({ verdict: "reject", reason })}
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
  const { tab = "" } = place.value.query;
  const tabs: readonly { readonly id: Tab; readonly title: string }[] = [
    { id: "source", title: "Source" },
    ...(approvedSource === null ? [] : [{ id: "changes", title: "Changes" } as const]),
    { id: "try", title: "Try it" },
    { id: "history", title: `Decisions (${history.length})` },
  ];
  const current = tabs.find(({ id }) => id === tab)?.id ?? (approvedSource === null ? "source" : "changes");
  return (
    <Tabs label="Parts of the script" tabs={tabs} current={current} onChange={(id) => setQuery({ tab: id })}>
      {current === "source" && (
        <Card title="Source" isFlush actions={<CopyButton text={source} label="Copy the source" />}>
          <Code source={source} language="starlark" label="Source" isNumbered mostLines={2000} />
        </Card>
      )}
      {current === "changes" && approvedSource !== null && (
        <Card title="What changed since it was approved last" isFlush>
          <Diff before={approvedSource} after={source} label="Changes since it was approved" />
        </Card>
      )}
      {current === "try" && <TryScript key={script.hash} script={script} />}
      {current === "history" && <ScriptHistory history={history} current={script.hash} />}
    </Tabs>
  );
}

function Changed({ onLook }: { readonly onLook: () => void }): JSX.Element {
  return (
    <div class="scripts-changed" role="alert">
      <Icon name="info" />
      <span class="grow">It has changed since: look again. Nothing was decided.</span>
      <Button size="small" icon="refresh" onClick={onLook}>
        Look again
      </Button>
    </div>
  );
}

function Fault({ message }: { readonly message: string }): JSX.Element {
  return (
    <div class="problem">
      <Icon name="warn" />
      <span class="grow">
        It cannot be used as it is: <Text value={message} most={1000} />
      </span>
    </div>
  );
}
