import { useState } from 'preact/hooks';
import { MAX_GRANT_REASON } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
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
      t('{username} now has {amount} {count|credit|credits}.', {
        username: user.username,
        amount: formatCredits(balance),
        count: balance,
      }),
    );
  };
  return (
    <Dialog title={t('Give credits to {username}', { username: user.username })} onClose={onClose}>
      <Form
        submit={t('Give credits')}
        disabled={!/^[1-9]\d*$/.test(credits) || reason.trim() === ''}
        onSubmit={give}
        onCancel={onClose}
      >
        <TextField label={t('Credits')} type="number" value={credits} onInput={setCredits} autofocus />
        <TextField
          label={t('Reason')}
          hint={t('The user sees this in their credit history.')}
          value={reason}
          onInput={setReason}
          maxLength={MAX_GRANT_REASON}
        />
      </Form>
    </Dialog>
  );
}
