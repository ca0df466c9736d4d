import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { Copyable, Form, formatMoment, type Loaded, Select, TextField } from '../../ui/index.ts';
import { sayFault } from '../../values/index.ts';
import { createInvite, type GrantableRole, type ListedInvite, type Role, type TeamPage } from './api.ts';
import { grantableBy, ROLES, wordOf } from './roles.ts';

interface Props {
  page: TeamPage;
  mine: Role;
  invites: Loaded<ListedInvite[]>;
}

type Made = Awaited<ReturnType<typeof createInvite>>;

/** Creates an invite link. */
export function InviteForm({ page, mine, invites }: Props) {
  const [role, setRole] = useState<GrantableRole>('member');
  const [days, setDays] = useState('7');
  const [uses, setUses] = useState('');
  const [made, setMade] = useState<Made>();
  const [faults, setFaults] = useState<Record<string, string>>({});

  const make = async () => {
    setFaults({});
    setMade(undefined);
    try {
      const wish = { role, expiresInDays: Number(days), ...(uses.trim() && { maxUses: Number(uses) }) };
      setMade(await createInvite(page.id, wish));
    } catch (error) {
      if (!(error instanceof ApiError) || error.details.length === 0) throw error;
      setFaults(
        Object.fromEntries(
          error.details.map(({ path, message }) => [path, t('This {fault}.', { fault: sayFault(message) })]),
        ),
      );
      return;
    }
    await invites.reload();
  };
  // The response has no id. While the list cannot be loaded, the link stays, because it is not shown again.
  const isListed = invites.value?.some(
    (each) => each.role === made?.role && each.expiresAt === made.expiresAt,
  );
  const isOver = !isListed && !invites.isLoading && !invites.error;
  return (
    <>
      <Form submit={t('Create link')} onSubmit={make}>
        <div class="team-invite">
          <Select label={t('Role')} value={role} options={grantableBy(mine)} onChange={setRole} />
          <TextField
            label={t('Valid for days')}
            type="number"
            value={days}
            onInput={setDays}
            error={faults.expiresInDays}
          />
          <TextField
            label={t('Maximum uses')}
            type="number"
            value={uses}
            onInput={setUses}
            placeholder={t('No limit')}
            error={faults.maxUses}
          />
        </div>
        <p class="hint">{ROLES.find((known) => known.role === role)?.may}</p>
      </Form>
      {made && !isOver && <MadeLink made={made} />}
    </>
  );
}

function MadeLink({ made }: { made: Made }) {
  return (
    <div class="notice good team-made" role="status">
      <Copyable text={made.inviteUrl} label={t('Link')} />
      <p>
        {t('Invites people as {role} until {date}. Copy it now: you cannot see it again.', {
          role: wordOf(made.role),
          date: formatMoment(made.expiresAt),
        })}
      </p>
    </div>
  );
}
