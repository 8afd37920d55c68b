import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { ask } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Input, Select, Textarea } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
import { house } from "../../house.ts";
import { usePost } from "../../resource.ts";
import { go, href } from "../../router.ts";

/** Begins an episode of an environment, with a seed and a config if one wants to say them, and goes there. */
export function BeginDialog(props: {
  readonly server?: string | undefined;
  readonly seed?: string | undefined;
  readonly config?: string | undefined;
  readonly onClose: () => void;
}): JSX.Element {
  const environments = (house.value?.servers ?? []).filter(({ kind }) => kind === "environment");
  const [server, setServer] = useState(props.server || (environments[0]?.name ?? ""));
  const [seed, setSeed] = useState(props.seed ?? "");
  const [config, setConfig] = useState(props.config ?? "");
  const begin = usePost((body: object, signal) => ask<OpenedEpisode>("POST /api/episodes", { body, signal }));
  const parsed = configIn(config);
  const seedFault = seed === "" || /^\d{1,40}$/.test(seed) ? undefined : "A whole number from 0 up";
  const submit = async () => {
    if (seedFault !== undefined || parsed.fault !== undefined) return;
    const episode = await begin.run({
      server,
      ...(seed !== "" && { seed }),
      ...(parsed.config !== undefined && { config: parsed.config }),
    });
    if (!episode) return;
    props.onClose();
    go(href("episodes", [episode.id]));
  };
  return (
    <Dialog
      title="Begin an episode"
      width="narrow"
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="main" isBusy={begin.isBusy} onClick={() => void submit()}>
            Begin
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {begin.error !== undefined && <Problem error={begin.error} />}
        <Select
          label="Environment"
          value={server}
          choices={environments.map(({ name, title }) => ({ value: name, title: title ?? name }))}
          onChange={setServer}
        />
        <Input
          label="Seed"
          hint="The same seed begins the same episode. Left out, one is drawn."
          value={seed}
          isMono
          isFocused
          error={seedFault}
          onInput={setSeed}
        />
        <Textarea
          label="Config"
          hint="A JSON object with what the environment can be told. Left out, its own defaults hold."
          value={config}
          placeholder="{}"
          isMono
          rows={3}
          error={parsed.fault}
          onInput={setConfig}
        />
        <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true">
          Begin
        </button>
      </form>
    </Dialog>
  );
}

function configIn(text: string): { readonly config?: unknown; readonly fault?: string } {
  if (text.trim() === "") return {};
  try {
    const config: unknown = JSON.parse(text);
    const isObject = typeof config === "object" && config !== null && !Array.isArray(config);
    return isObject ? { config } : { fault: "It must be a JSON object, such as {}" };
  } catch {
    return { fault: "This is no JSON yet" };
  }
}
