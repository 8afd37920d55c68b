import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { usePost } from "../resource.ts";
import { Button } from "./button.tsx";
import { Problem } from "./states.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** At the bottom, the main one last. */
  readonly actions?: ComponentChildren;
  readonly width?: "narrow" | "usual" | "wide";
}

/** Shown as long as it is rendered: `{isOpen && <Dialog …/>}`. The browser keeps the focus inside, and Esc closes it. */
export function Dialog(props: DialogProps): JSX.Element {
  return <Modal {...props} kind="dialog" />;
}

/** The same at the right edge, for one thing of a list while the list stays in sight. */
export function Drawer(props: DialogProps): JSX.Element {
  return <Modal {...props} kind="drawer" />;
}

function Modal(props: DialogProps & { readonly kind: "dialog" | "drawer" }): JSX.Element {
  const { title, onClose, children, actions, width = "usual", kind } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`${kind} ${kind}-${width}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // The owner closes it, by not rendering it any more.
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" size="small" icon="close" label="Close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions !== undefined && <footer class="dialog-foot">{actions}</footer>}
      </div>
    </dialog>
  );
}

/** Asks before what cannot be undone, does it, and says why where it fails. `run` closes it by the way. */
export function Confirm(props: {
  readonly title: string;
  readonly action: string;
  readonly children: ComponentChildren;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
}): JSX.Element {
  const { title, action, children, run, onClose } = props;
  const deed = usePost(run);
  return (
    <Dialog
      title={title}
      width="narrow"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="bad" isBusy={deed.isBusy} onClick={() => void deed.run()}>
            {action}
          </Button>
        </>
      }
    >
      <div class="stack-tight">
        <p>{children}</p>
        {deed.error !== undefined && <Problem error={deed.error} />}
      </div>
    </Dialog>
  );
}
