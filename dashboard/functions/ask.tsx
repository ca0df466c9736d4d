import type { ComponentChildren } from 'preact';
import { Button, Dialog } from '../ui/index.ts';

interface Props {
  title: string;
  /** The labels of the two buttons. */
  submit: string;
  cancel?: string;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks for confirmation before something is discarded. */
export function Ask({ title, submit, cancel = 'Cancel', onConfirm, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <div class="actions">
        <Button
          kind="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {submit}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {cancel}
        </Button>
      </div>
    </Dialog>
  );
}
