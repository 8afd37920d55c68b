import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DryRun, PolicyVersion } from "../../../../packages/biplane/src/admin/governance/policy-api.ts";
import { callApi, messageOf } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm, FormDialog } from "../../components/dialog.tsx";
import { Diff } from "../../components/diff.tsx";
import { Textarea } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Problem } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { useMutation } from "../../resource.ts";
import { DryRunResult } from "./dry-run-result.tsx";
import { RulesEditor } from "./rules-editor.tsx";
import { VersionList } from "./version-list.tsx";

/** Edits the rules that live in the store, tries them on recorded calls, and publishes them. */
export function PublishedEditor(props: {
  readonly published: PolicyVersion | null;
  readonly onDone: () => void;
}): JSX.Element {
  const { published, onDone } = props;
  const [draft, setDraft] = useState(published?.source ?? "");
  const [loaded, setLoaded] = useState(published);
  const [replacing, setReplacing] = useState<PolicyVersion>();
  const [result, setResult] = useState<{ readonly draft: string; readonly found: DryRun }>();
  const [sent, setSent] = useState<string>();
  const [isPublishing, setPublishing] = useState(false);
  const isChanged = draft !== (published?.source ?? "");
  const dryRun = useMutation(async (_: void, signal) => {
    setSent(draft);
    const found = await callApi("POST /api/policies/dry-run", { body: { draft }, signal });
    setResult({ draft, found });
  });
  const isTried = result?.draft === draft;
  const load = (version: PolicyVersion | null) => {
    setDraft(version?.source ?? "");
    setLoaded(version);
    setReplacing(undefined);
  };
  return (
    <div class="split split-side policies-edit">
      <div class="stack">
        <Card
          title={titleOf(loaded?.version, isChanged)}
          actions={
            <>
              {isChanged ? (
                <Button kind="quiet" size="small" onClick={() => load(published)}>
                  Undo changes
                </Button>
              ) : (
                <span class="small muted">no changes</span>
              )}
              {isChanged && !isTried && <span class="small muted">not tried yet</span>}
              <Button size="small" icon="play" isBusy={dryRun.isBusy} onClick={() => void dryRun.run()}>
                Dry run
              </Button>
              <Button
                size="small"
                kind="main"
                isDisabled={!isChanged || !isTried}
                title={isTried ? undefined : "Do a dry run first"}
                onClick={() => setPublishing(true)}
              >
                Publish…
              </Button>
            </>
          }
        >
          <div class="stack-tight">
            <RulesEditor
              label="Rules"
              placeholder={example}
              hint="Published rules can ask and deny. They cannot lift what the config file or code forbids. Do a dry run before you publish."
              value={draft}
              wrongLine={sent === draft ? wrongLineOf(dryRun.error) : undefined}
              onInput={setDraft}
            />
            {dryRun.error !== undefined && (
              <div class="policies-problem">
                <Problem error={dryRun.error} />
              </div>
            )}
          </div>
        </Card>
        {result && <DryRunResult result={result.found} isOutdated={!isTried} />}
      </div>
      <VersionList
        current={published}
        onLoad={(version) => {
          const isEdited = isChanged && draft !== loaded?.source;
          if (isEdited) setReplacing(version);
          else load(version);
        }}
      />
      {replacing && (
        <Confirm
          title={`Open version ${replacing.version}?`}
          action="Replace the draft"
          run={async () => load(replacing)}
          onClose={() => setReplacing(undefined)}
        >
          Your draft is not published. The rules of version {replacing.version} replace it.
        </Confirm>
      )}
      {isPublishing && (
        <PublishDialog
          draft={draft}
          published={published}
          changed={result?.found.changed ?? 0}
          onClose={() => setPublishing(false)}
          onDone={() => {
            setPublishing(false);
            onDone();
          }}
        />
      )}
    </div>
  );
}

function titleOf(version: number | undefined, isChanged: boolean): string {
  if (version === undefined) return isChanged ? "Draft" : "Rules";
  return isChanged ? `Draft, from version ${version}` : `Rules of version ${version}`;
}

/** Messages about a draft begin with its place, such as `rules:3:5: `. */
function wrongLineOf(error: unknown): number | undefined {
  const line = error === undefined ? undefined : /^rules:(\d+):\d+: /.exec(messageOf(error))?.[1];
  return line === undefined ? undefined : Number(line);
}

function PublishDialog(props: {
  readonly draft: string;
  readonly published: PolicyVersion | null;
  readonly changed: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { draft, published, changed, onClose, onDone } = props;
  const base = published?.version ?? 0;
  const [comment, setComment] = useState("");
  const publish = useMutation(async () => {
    const body = { draft, base, ...(comment.trim() !== "" && { comment }) };
    const { version } = await callApi("POST /api/policies/publish", { body });
    toast(`Published version ${version}`);
    onDone();
  });
  return (
    <FormDialog
      title={`Publish version ${base + 1}`}
      class="stack-tight"
      action="Publish"
      mutation={publish}
      onClose={onClose}
    >
      <p>
        The rules apply to new calls at once, on every server of this store. In the dry run, {changed} recorded{" "}
        {changed === 1 ? "call was" : "calls were"} decided differently.
      </p>
      {published !== null && <Diff before={published.source} after={draft} label={`Changes since version ${base}`} />}
      <Textarea
        label="Comment"
        rows={2}
        isFocused
        value={comment}
        onInput={(text) => setComment(text.slice(0, 1000))}
      />
    </FormDialog>
  );
}

const example = `- name: large refunds
  tool: refund_*
  arguments: { amount: { min: 1000 } }
  ask: "May {agent} refund {arguments.amount}?"
  approvers: 2`;
