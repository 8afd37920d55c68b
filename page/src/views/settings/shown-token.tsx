import type { JSX } from "preact";
import { CopyButton, Snippet } from "../../components/copy.tsx";
import { DoneDialog } from "../../components/dialog.tsx";
import { Text } from "../../components/text.tsx";
import { serverOverview } from "../../server-overview.ts";

/** A new token of an agent or a trainer, shown once. */
export function ShownToken(props: {
  readonly token: string;
  readonly kind: "token" | "trainer";
  readonly onClose: () => void;
}): JSX.Element {
  const { token, kind, onClose } = props;
  const { url = location.origin } = serverOverview.value ?? {};
  return (
    <DoneDialog title="The new token" onClose={onClose}>
      <p>
        Copy it now. It is <strong>not shown again</strong>.
      </p>
      <TokenToCopy token={token} />
      <p class="muted">{kind === "trainer" ? "A trainer without headers uses:" : "In the settings of an MCP host:"}</p>
      {kind === "trainer" ? (
        <Snippet text={`${url}/k/${token}`} label="URL" />
      ) : (
        <Snippet
          text={JSON.stringify({ url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } }, undefined, 2)}
          language="json"
          label="settings"
        />
      )}
    </DoneDialog>
  );
}

export function TokenToCopy({ token }: { readonly token: string }): JSX.Element {
  return (
    <div class="settings-token">
      <span class="grow">
        <Text value={token} isMono isFixed />
      </span>
      <CopyButton text={token} label="Copy the token" />
    </div>
  );
}
