import { useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { t } from '../texts/index.ts';
import { Dialog, Form, TextField } from '../ui/index.ts';

/** Proof that it is the user: not needed in the first minutes after a login, then the password. */
export interface Proof {
  password?: string;
}

type Action = (proof: Proof) => Promise<unknown>;

/**
 * Runs actions that need a proof. `prove` tries without one, and `dialog` asks for the password if that is not
 * enough.
 */
export function useProof() {
  const [waiting, setWaiting] = useState<Action>();
  const prove = async (action: Action) => {
    try {
      await action({});
    } catch (error) {
      if (!asksForProof(error)) throw error;
      setWaiting(() => action);
    }
  };
  const close = () => setWaiting(undefined);
  return { prove, dialog: waiting && <ProofDialog action={waiting} onClose={close} /> };
}

function asksForProof(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status === 403 && error.details.some(({ path }) => path === 'password')
  );
}

function ProofDialog({ action, onClose }: { action: Action; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const send = async () => {
    await action({ password });
    onClose();
  };
  return (
    <Dialog title={t('Confirm that it is you')} onClose={onClose}>
      <p>
        {t(
          'Enter your password. If you do not have one, log out, log in again, and do this within ten minutes.',
        )}
      </p>
      <Form submit={t('Continue')} disabled={password === ''} onSubmit={send} onCancel={onClose}>
        <TextField
          label={t('Password')}
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
          autofocus
        />
      </Form>
    </Dialog>
  );
}
