import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { Copyable, Form, formatMoment, type Loaded, Select, TextField } from '../../ui/index.ts';
import {
  createInvite,
  type GrantableRole,
  type InviteList,
  type Role,
  sendInvite,
  type TeamPage,
} from './api.ts';
import { grantableBy, ROLES, roleInSentence } from './roles.ts';

interface Props {
  page: TeamPage;
  mine: Role;
  invites: Loaded<InviteList>;
}

type Made = Awaited<ReturnType<typeof createInvite>> & { email?: string; isMailed?: boolean };

/** Creates an invite link, and sends it if this server sends mail. */
export function InviteForm({ page, mine, invites }: Props) {
  const [role, setRole] = useState<GrantableRole>('member');
  const [days, setDays] = useState('7');
  const [uses, setUses] = useState('');
  const [email, setEmail] = useState('');
  const [made, setMade] = useState<Made>();
  const [faults, setFaults] = useState<Record<string, string>>({});
  const address = email.trim();

  const make = async () => {
    setFaults({});
    setMade(undefined);
    try {
      const wish = { role, expiresInDays: Number(days), ...(uses.trim() && { maxUses: Number(uses) }) };
      setMade(
        address ? await sendInvite(page.id, { ...wish, email: address }) : await createInvite(page.id, wish),
      );
      setEmail('');
    } catch (error) {
      if (!(error instanceof ApiError) || error.details.length === 0) throw error;
      setFaults(wordsFor(error));
      return;
    }
    await invites.reload();
  };
  // The response has no id. While the list cannot be loaded, the link stays, because it is not shown again.
  const isListed = invites.value?.invites.some(
    (each) => each.role === made?.role && each.expiresAt === made.expiresAt,
  );
  const isOver = !isListed && !invites.isLoading && !invites.error;
  return (
    <>
      <Form submit={address ? t('Send invite') : t('Create link')} onSubmit={make}>
        <div class="team-invite">
          <Select label={t('Role')} value={role} options={grantableBy(mine)} onChange={setRole} />
          <TextField
            label={t('Expires after (days)')}
            type="number"
            value={days}
            onInput={setDays}
            error={faults.expiresInDays}
          />
          <TextField
            label={t('Can be used')}
            type="number"
            value={uses}
            onInput={setUses}
            placeholder={address ? '1' : t('No limit')}
            error={faults.maxUses}
          />
        </div>
        <p class="hint">{ROLES.find((known) => known.role === role)?.may}</p>
        {invites.value?.sendsMail && <Recipient value={email} onInput={setEmail} error={faults.email} />}
      </Form>
      {made && !isOver && <MadeLink made={made} />}
    </>
  );
}

/** What is wrong with each field. */
function wordsFor({ details }: ApiError): Record<string, string> {
  return Object.fromEntries(
    details.map(({ path, message }) => [path, t('This {fault}.', { fault: message })]),
  );
}

function Recipient(props: { value: string; onInput: (value: string) => void; error: string | undefined }) {
  return (
    <div class="team-invite">
      <TextField
        label={t('Send it to')}
        hint={t('Optional. An e-mail address. If you leave it empty, send the link yourself.')}
        type="email"
        {...props}
      />
    </div>
  );
}

function MadeLink({ made }: { made: Made }) {
  const { email, isMailed } = made;
  return (
    <div class="notice good team-made" role="status">
      <Copyable text={made.inviteUrl} label={t('Link')} />
      {email && isMailed && <p>{t('The invite is on its way to {email}.', { email })}</p>}
      {email && !isMailed && (
        <p>
          {t(
            'The invite was not sent to {email}, because there was too much mail today. Send the link yourself.',
            {
              email,
            },
          )}
        </p>
      )}
      <p>
        {t('Invites people as {role} until {date}. Copy it now: you cannot see it again.', {
          role: roleInSentence(made.role),
          date: formatMoment(made.expiresAt),
        })}
      </p>
    </div>
  );
}
