import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { StoredToken } from "../../../../packages/biplane/src/governance/access/stored-tokens.ts";
import { callApi } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Card } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import type { ApiResponse } from "../../api.ts";
import { configuredColumns, isExpired, tokenColumns } from "./access-token-columns.tsx";
import { MakeAccessToken } from "./make-access-token.tsx";
import { RotateAccessToken } from "./rotate-access-token.tsx";

type Action =
  | { readonly kind: "make" }
  | { readonly kind: "rotate" | "revoke" | "scopes"; readonly token: StoredToken };

/** The tokens with which agents and trainers call this server. */
export function AccessTokens(): JSX.Element {
  const resource = useResource("/api/access-tokens", {});
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  return (
    <div class="stack">
      <div class="toolbar settings-lead">
        <p class="muted grow">
          Agents and trainers send a token as <code>Authorization: Bearer</code>.{" "}
          <a href={href("policies")}>Policies</a> see its name and scopes. Without scopes, a token passes only rules
          that ask for none.
        </p>
        <Button kind="main" icon="plus" onClick={() => setAction({ kind: "make" })}>
          New token
        </Button>
      </div>
      <Loaded resource={resource}>
        {(data) => <Shown data={data} onAction={(kind, token) => setAction({ kind, token })} />}
      </Loaded>
      {action?.kind === "make" && <MakeAccessToken onMade={resource.reload} onClose={close} />}
      {action?.kind === "scopes" && (
        <MakeAccessToken
          token={action.token}
          onMade={() => {
            close();
            resource.reload();
          }}
          onClose={close}
        />
      )}
      {action?.kind === "rotate" && <RotateAccessToken token={action.token} onDone={resource.reload} onClose={close} />}
      {action?.kind === "revoke" && (
        <Confirm
          title="Revoke this token?"
          action="Revoke"
          run={() => callApi("DELETE /api/access-tokens/:id", { id: action.token.id })}
          done="Token revoked."
          onDone={resource.reload}
          onClose={close}
        >
          Calls with this token of <Text value={action.token.principal} maxLength={80} isFixed /> are refused at once.
          It cannot be restored.
        </Confirm>
      )}
    </div>
  );
}

function Shown(props: {
  readonly data: ApiResponse<"GET /api/access-tokens">;
  readonly onAction: (kind: "rotate" | "revoke" | "scopes", token: StoredToken) => void;
}): JSX.Element {
  const { isRequired, tokens, configured } = props.data;
  return (
    <>
      {!isRequired && (
        <Card title="Tokens are not required">
          <div class="stack-tight">
            <p>
              Anyone who can reach this server can call it, because the config has no authentication. Tokens made here
              take effect with this in <code>biplane.yaml</code>:
            </p>
            <Snippet text={"auth:\n  storedTokens: true"} language="text" label="config" />
          </div>
        </Card>
      )}
      <Table
        label="Tokens of agents and trainers"
        list={{ items: expiredLast(tokens) }}
        keyOf={({ id }) => id}
        columns={tokenColumns(props.onAction)}
        empty={
          <Empty title="No tokens yet" icon="secrets">
            Make one for each agent, so that limits, policies and the audit log tell them apart.
          </Empty>
        }
      />
      {configured.length > 0 && (
        <Card
          title={
            <>
              In the config file <Badge>read-only</Badge>
            </>
          }
          isFlush
        >
          <Table
            label="Tokens in the config file"
            list={{ items: expiredLast(configured) }}
            keyOf={({ principal }, at) => `${principal} ${at}`}
            columns={configuredColumns}
          />
        </Card>
      )}
    </>
  );
}

function expiredLast<Token extends { readonly expiresAt: string | null }>(tokens: readonly Token[]): readonly Token[] {
  return tokens.toSorted((one, other) => Number(isExpired(one)) - Number(isExpired(other)));
}
