import type { JSX } from "preact";
import type { AgentContext, Principal } from "../../../../packages/core/src/tool/call.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import "./small.css";

/** A caller: its self-reported agent ID and its authenticated identity. */
export function Caller(props: {
  readonly agent: Pick<AgentContext, "agentId"> & { readonly model?: string | undefined };
  readonly principal: Pick<Principal, "kind" | "id">;
}): JSX.Element {
  const { agentId, model } = props.agent;
  const hasNoAgentId = agentId === "" || agentId === "unknown" || agentId === props.principal.id;
  return (
    <span class="approvals-caller">
      <Icon name="person" size={13} />
      {!hasNoAgentId && (
        <span title="Self-reported agent ID">
          <Text value={agentId} maxLength={60} isFixed />
          {model !== undefined && model !== "" && (
            <>
              {" "}
              (<Text value={model} maxLength={60} isFixed />)
            </>
          )}
          ,
        </span>
      )}
      <span title="Authenticated identity">
        <PrincipalName principal={props.principal} />
      </span>
    </span>
  );
}

/** `token ada`, `anonymous 127.0.0.1`, or `local` for the operator. */
export function PrincipalName({
  principal: { kind, id },
}: {
  readonly principal: Pick<Principal, "kind" | "id">;
}): JSX.Element {
  return (
    <>
      {kind} {id !== kind && <Text value={id} maxLength={80} isFixed />}
    </>
  );
}
