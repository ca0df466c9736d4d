import { useState } from 'preact/hooks';
import { MAX_GRANT_REASON } from '../../../contract/rules/limits.ts';
import { Dialog, Form, formatCredits, TextField } from '../../ui/index.ts';
import { giveCredits, type User } from '../api.ts';

export function GiveCredits(props: {
  user: User;
  onClose: () => void;
  onGiven: (text: string) => Promise<void>;
}) {
  const { user, onClose, onGiven } = props;
  const [credits, setCredits] = useState('20');
  const [reason, setReason] = useState('');
  const give = async () => {
    const { balance } = await giveCredits(user.id, { credits: Number(credits), reason: reason.trim() });
    await onGiven(
      `${user.username} now has ${formatCredits(balance)} ${balance === 1 ? 'credit' : 'credits'}.`,
    );
  };
  return (
    <Dialog title={`Give credits to ${user.username}`} onClose={onClose}>
      <Form
        submit="Give credits"
        disabled={!/^[1-9]\d*$/.test(credits) || reason.trim() === ''}
        onSubmit={give}
        onCancel={onClose}
      >
        <TextField label="Credits" type="number" value={credits} onInput={setCredits} autofocus />
        <TextField
          label="Reason"
          hint="The user sees this in their credit history."
          value={reason}
          onInput={setReason}
          maxLength={MAX_GRANT_REASON}
        />
      </Form>
    </Dialog>
  );
}
