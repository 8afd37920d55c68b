import type { ComponentChildren, JSX } from "preact";
import { LinkButton } from "./button.tsx";

/** Opens a page of the documentation: `<GuideLink page="policies" />`. */
export function GuideLink(props: { readonly page: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <LinkButton icon="external" href={`${docs}/${props.page}.md`} isNewTab>
      {props.children ?? "Read the guide"}
    </LinkButton>
  );
}

const docs = "https://github.com/biplane-dev/biplane/blob/main/docs";
