import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { Checkbox } from "../../components/field.tsx";
import { person } from "../../session.ts";
import type { Role } from "../../../../packages/biplane/src/governance/people/roles.ts";
import { canGrant, roleChoices, scopes } from "./scopes.ts";

/** A role, or scopes of one's own. */
export interface AccessChoice {
  readonly role: Role | "custom";
  readonly scopes: readonly string[];
}

/** The body of a request that grants the choice. */
export function accessBody({ role, scopes: chosen }: AccessChoice) {
  return role === "custom" ? { scopes: chosen } : { role };
}

/** Chooses a role, or single scopes. What the user lacks cannot be granted. */
export function AccessPicker(props: {
  readonly value: AccessChoice;
  readonly onChange: (value: AccessChoice) => void;
}): JSX.Element {
  const { value, onChange } = props;
  const name = useId();
  const own = typeof person.value === "string" ? [] : person.value.scopes;
  return (
    <fieldset class="access-roles">
      <legend class="field-label">Role</legend>
      {[...roleChoices, custom].map(({ name: role, about, scopes: granted }) => (
        <label key={role} class={role === value.role ? "access-role access-role-on" : "access-role"}>
          <input
            type="radio"
            name={name}
            checked={role === value.role}
            disabled={!granted.every((scope) => canGrant(own, scope))}
            onChange={() => onChange({ ...value, role })}
          />
          <span>
            <span class="strong">{role}</span>
            <span class="muted small block">{about}</span>
          </span>
        </label>
      ))}
      {value.role === "custom" && (
        <fieldset class="settings-choices">
          <legend class="hidden">Scopes</legend>
          {scopes.map((scope) => (
            <Checkbox
              key={scope.name}
              label={scope.name}
              hint={scope.about}
              isDisabled={!canGrant(own, scope.name)}
              isChecked={value.scopes.includes(scope.name)}
              onChange={(isOn) =>
                onChange({
                  ...value,
                  scopes: isOn ? [...value.scopes, scope.name] : value.scopes.filter((each) => each !== scope.name),
                })
              }
            />
          ))}
        </fieldset>
      )}
    </fieldset>
  );
}

const custom = { name: "custom", about: "Only the scopes that you choose.", scopes: [] } as const;

/** A viewer, if the user may grant that. */
export function firstChoice(): AccessChoice {
  const own = typeof person.value === "string" ? [] : person.value.scopes;
  const viewer = roleChoices.find(
    ({ name, scopes: granted }) => name === "viewer" && granted.every((scope) => canGrant(own, scope)),
  );
  return { role: viewer?.name ?? "custom", scopes: [] };
}
