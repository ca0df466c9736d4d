import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Copyable, Dialog, Form, formatMoment, Select, TextField, useLoad } from '../../ui/index.ts';
import { type Invite, listProviders, makeInvite } from '../api.ts';

/** The same as in the contract. Importing the contract would add zod to the bundle. */
const MAX_NOTE = 200;
const MAX_USES = 1000;

const LENGTHS = [
  ['24', t('A day')],
  ['168', t('A week')],
  ['720', t('30 days')],
  ['2160', t('90 days')],
] as const;

interface Made {
  invite: Invite;
  link: string;
  isMailed: boolean;
}

export function NewInviteDialog(props: { onClose: () => void; onMade: () => Promise<void> }) {
  const { onClose, onMade } = props;
  const [made, setMade] = useState<Made>();
  return (
    <Dialog title={made ? t('Invite created') : t('New invite')} onClose={onClose}>
      {made ? (
        <MadeInvite made={made} onClose={onClose} />
      ) : (
        <InviteForm
          onClose={onClose}
          onMade={async (invite) => {
            setMade(invite);
            await onMade();
          }}
        />
      )}
    </Dialog>
  );
}

function InviteForm({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => Promise<void> }) {
  const providers = useLoad(listProviders, []);
  const canMail = providers.value?.some(({ name, state }) => name === 'mail' && state === 'configured');
  const [note, setNote] = useState('');
  const [uses, setUses] = useState('1');
  const [hours, setHours] = useState<(typeof LENGTHS)[number][0]>('168');
  const [email, setEmail] = useState('');
  const maxUses = /^[1-9]\d{0,3}$/.test(uses) ? Number(uses) : Number.NaN;
  const isValid = maxUses <= MAX_USES;
  const make = async () => {
    const address = email.trim();
    await onMade(
      await makeInvite({
        ...{ note: note.trim(), maxUses, expiresInHours: Number(hours) },
        ...(address && { email: address }),
      }),
    );
  };
  return (
    <Form submit={t('Create invite')} disabled={!isValid} onSubmit={make} onCancel={onClose}>
      <TextField
        label={t('What it is for')}
        hint={t('Optional. The people you invite see it.')}
        value={note}
        onInput={setNote}
        maxLength={MAX_NOTE}
        autofocus
      />
      <TextField
        label={t('How many people can use it')}
        type="number"
        value={uses}
        onInput={setUses}
        error={isValid ? undefined : t('Enter a number from 1 to {most}.', { most: MAX_USES })}
      />
      <Select label={t('Valid for')} value={hours} options={LENGTHS} onChange={setHours} />
      {canMail && (
        <TextField
          label={t('Send it to')}
          hint={t('Optional. An e-mail address. If you leave it empty, send the link yourself.')}
          value={email}
          onInput={setEmail}
        />
      )}
    </Form>
  );
}

function MadeInvite({ made: { invite, link, isMailed }, onClose }: { made: Made; onClose: () => void }) {
  return (
    <>
      <p>
        {isMailed && invite.email && `${t('It is on its way to {email}.', { email: invite.email })} `}
        {t(
          '{count|One person|Up to {count} people} can register with this link until {moment}. It is not shown again.',
          { count: invite.maxUses, moment: formatMoment(invite.expiresAt) },
        )}
      </p>
      <div class="admin-secret">
        <Copyable text={link} label={t('Link')} />
      </div>
      <div class="actions">
        <Button onClick={onClose}>{t('Done')}</Button>
      </div>
    </>
  );
}
