import { useState } from 'preact/hooks';
import {
  Button,
  type Column,
  ConfirmByTyping,
  formatAgo,
  formatMoment,
  formatNumber,
  type Loaded,
  Section,
  Show,
  Skeleton,
  say,
  Table,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { type Invite, type Role, revokeInvite } from './api.ts';
import { InviteForm } from './invite-form.tsx';
import { mayManage, nameOf } from './roles.ts';

interface Props {
  page: PageDetail;
  mine: Role;
  invites: Loaded<Invite[]>;
}

/** How others join: new links, and those that are out. */
export function InvitesSection({ page, mine, invites }: Props) {
  const [ending, setEnding] = useState<Invite>();
  const columns: Array<Column<Invite>> = [
    {
      title: 'Role',
      cell: (invite) => (
        <>
          {nameOf(invite.role)}
          <br />
          <span class="hint">{sayUses(invite)}</span>
        </>
      ),
    },
    {
      title: 'Ends',
      cell: ({ expiresAt }) => <time dateTime={expiresAt}>{formatMoment(expiresAt)}</time>,
    },
    {
      title: 'Made',
      isMinor: true,
      cell: ({ createdAt, createdBy }) => (
        <span title={formatMoment(createdAt)}>
          {formatAgo(createdAt)}
          {createdBy && ` by ${createdBy.username}`}
        </span>
      ),
    },
    {
      title: 'Actions',
      isNumber: true,
      cell: (invite) =>
        mayManage(mine, invite.role) && (
          <Button
            kind="quiet"
            label={`Revoke the invite for ${nameOf(invite.role).toLowerCase()}s`}
            onClick={() => setEnding(invite)}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Section
      title="Invites"
      hint="Whoever has the link can join by it; without an account they make one on the way."
    >
      <InviteForm page={page} mine={mine} invites={invites} />
      <h3 class="team-heading">Open invites</h3>
      <Show loaded={invites} skeleton={<Skeleton lines={3} />}>
        {(list) =>
          list.length === 0 ? (
            <p class="hint">None. Links show up here until they are used up, over or revoked.</p>
          ) : (
            <Table caption="Open invites" columns={columns} rows={list} keyOf={({ id }) => id} />
          )
        }
      </Show>
      {ending && (
        <ConfirmByTyping
          title="Revoke this invite?"
          phrase="revoke"
          submit="Revoke"
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            await revokeInvite(page.id, ending.id);
            setEnding(undefined);
            say('Invite revoked.');
            await invites.reload();
          }}
        >
          <p>Nobody joins by this link any more. Whoever has joined already stays.</p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

function sayUses({ uses, maxUses }: Invite): string {
  return maxUses === null
    ? `used ${formatNumber(uses)}×, no limit`
    : `used ${formatNumber(uses)} of ${formatNumber(maxUses)}`;
}
