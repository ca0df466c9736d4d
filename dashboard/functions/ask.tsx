import type { ComponentChildren } from 'preact';
import { Button, Dialog } from '../ui/index.ts';

interface Props {
  title: string;
  /** The words on the button that does it, and on the one that leaves all as it is. */
  submit: string;
  keep?: string;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks once before something typed or kept is gone. */
export function Ask({ title, submit, keep = 'Cancel', onConfirm, onClose, children }: Props) {
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
          {keep}
        </Button>
      </div>
    </Dialog>
  );
}
