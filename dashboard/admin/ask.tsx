import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { MAX_BLOCK_REASON } from '../../contract/rules/limits.ts';
import { t } from '../texts/index.ts';
import { Dialog, Form, TextField } from '../ui/index.ts';

interface AskProps {
  title: string;
  submit: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks for confirmation before an action that affects others. */
export function Ask({ title, submit, onConfirm, onClose, children }: AskProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form submit={submit} onSubmit={onConfirm} onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}

interface AskWhyProps extends Omit<AskProps, 'onConfirm'> {
  /** Who reads the reason. */
  hint: string;
  onConfirm: (reason: string) => Promise<unknown>;
}

/** Also asks for a reason, which the user or owner sees. */
export function AskWhy({ title, submit, hint, onConfirm, onClose, children }: AskWhyProps) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form
        submit={submit}
        disabled={reason.trim() === ''}
        onSubmit={() => onConfirm(reason.trim())}
        onCancel={onClose}
      >
        <TextField
          label={t('Reason')}
          hint={hint}
          value={reason}
          onInput={setReason}
          rows={3}
          maxLength={MAX_BLOCK_REASON}
          autofocus
        />
      </Form>
    </Dialog>
  );
}
