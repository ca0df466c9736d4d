import type { ComponentChildren } from 'preact';
import { t } from '../../texts/index.ts';
import { Button } from '../controls.tsx';
import { Dialog } from './dialog.tsx';

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
export function Ask({ title, submit, cancel = t('Cancel'), onConfirm, onClose, children }: Props) {
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
