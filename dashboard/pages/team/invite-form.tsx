import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Copyable, Form, formatMoment, type Loaded, Select, TextField } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { createInvite, type GrantableRole, type Invite, type Role } from './api.ts';
import { grantableBy, nameOf, ROLES } from './roles.ts';

interface Props {
  page: PageDetail;
  mine: Role;
  invites: Loaded<Invite[]>;
}

type Made = Awaited<ReturnType<typeof createInvite>>;

/** Makes a link by which others join. */
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
      setFaults(Object.fromEntries(error.details.map(({ path, message }) => [path, `It ${message}.`])));
      return;
    }
    await invites.reload();
  };
  // It has no number of its own here. While the list cannot be read, the link stays: it is not shown again.
  const isListed = invites.value?.some(
    (each) => each.role === made?.role && each.expiresAt === made.expiresAt,
  );
  const isOver = !isListed && !invites.isLoading && !invites.error;
  return (
    <>
      <Form submit="Make a link" onSubmit={make}>
        <div class="team-invite">
          <Select label="Role" value={role} options={grantableBy(mine)} onChange={setRole} />
          <TextField
            label="Days it works"
            type="number"
            value={days}
            onInput={setDays}
            error={faults.expiresInDays}
          />
          <TextField
            label="Uses"
            type="number"
            value={uses}
            onInput={setUses}
            placeholder="no limit"
            error={faults.maxUses}
          />
        </div>
        <p class="hint">{ROLES.find((known) => known.role === role)?.may}</p>
      </Form>
      {made && !isOver && (
        <div class="notice good team-made" role="status">
          <Copyable text={made.inviteUrl} label="Link" />
          <p>
            For a new {nameOf(made.role).toLowerCase()}, until {formatMoment(made.expiresAt)}. Copy it now: it
            is not shown again.
          </p>
        </div>
      )}
    </>
  );
}
