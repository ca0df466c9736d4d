import { useState } from 'preact/hooks';
import {
  Button,
  Copyable,
  Dialog,
  Form,
  formatMoment,
  plural,
  Select,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { type Invite, listProviders, makeInvite } from '../api.ts';

/** The same as in the contract. Importing the contract would add zod to the bundle. */
const MAX_NOTE = 200;
const MAX_USES = 1000;

const LENGTHS = [
  ['24', 'A day'],
  ['168', 'A week'],
  ['720', '30 days'],
  ['2160', '90 days'],
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
    <Dialog title={made ? 'The invite' : 'Make an invite'} onClose={onClose}>
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
    <Form submit="Make the invite" disabled={!isValid} onSubmit={make} onCancel={onClose}>
      <TextField
        label="What it is for"
        hint="Optional. The people you invite see it."
        value={note}
        onInput={setNote}
        maxLength={MAX_NOTE}
        autofocus
      />
      <TextField
        label="How many people can use it"
        type="number"
        value={uses}
        onInput={setUses}
        error={isValid ? undefined : 'Enter a number from 1 to 1,000.'}
      />
      <Select label="Valid for" value={hours} options={LENGTHS} onChange={setHours} />
      {canMail && (
        <TextField
          label="Send it to"
          hint="Optional. An e-mail address. If you leave it empty, send the link yourself."
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
        {isMailed ? `It is on its way to ${invite.email}. ` : ''}
        {invite.maxUses === 1 ? 'One person' : `Up to ${plural(invite.maxUses, 'person', 'people')}`} can
        register with this link until {formatMoment(invite.expiresAt)}. It is not shown again.
      </p>
      <div class="admin-secret">
        <Copyable text={link} label="Link" />
      </div>
      <div class="actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </>
  );
}
