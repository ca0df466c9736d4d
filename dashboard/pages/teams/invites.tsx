import { useState } from 'preact/hooks';
import {
  Button,
  type Column,
  ConfirmByTyping,
  formatAgo,
  formatMoment,
  formatNumber,
  type Loaded,
  plural,
  Section,
  Show,
  Skeleton,
  say,
  Table,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { type ListedInvite, type Role, revokeInvite } from './api.ts';
import { InviteForm } from './invite-form.tsx';
import { mayManage, nameOf } from './roles.ts';

interface Props {
  page: PageDetail;
  mine: Role;
  invites: Loaded<ListedInvite[]>;
}

/** Creates invite links and lists the open ones. */
export function InvitesSection({ page, mine, invites }: Props) {
  const [revoking, setRevoking] = useState<ListedInvite>();
  return (
    <Section
      title="Invites"
      hint="Anyone with this link can join. People without an account can create one first."
    >
      <InviteForm page={page} mine={mine} invites={invites} />
      <h3 class="team-heading">Open invites</h3>
      <Show loaded={invites} skeleton={<Skeleton lines={3} />}>
        {(list) =>
          list.length === 0 ? (
            <p class="hint">None. Links are listed here until they are used up, expire or are revoked.</p>
          ) : (
            <Table
              caption="Open invites"
              columns={columns(mine, setRevoking)}
              rows={list}
              keyOf={({ id }) => id}
            />
          )
        }
      </Show>
      {revoking && (
        <ConfirmByTyping
          title="Revoke this invite?"
          phrase="revoke"
          submit="Revoke"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revokeInvite(page.id, revoking.id);
            setRevoking(undefined);
            say('Invite revoked.');
            await invites.reload();
          }}
        >
          <p>Nobody can join with this link anymore. People who have already joined stay.</p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

const columns = (mine: Role, onRevoke: (invite: ListedInvite) => void): Array<Column<ListedInvite>> => [
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
    title: 'Expires',
    cell: ({ expiresAt }) => <time dateTime={expiresAt}>{formatMoment(expiresAt)}</time>,
  },
  {
    title: 'Created',
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
          onClick={() => onRevoke(invite)}
        >
          Revoke
        </Button>
      ),
  },
];

function sayUses({ uses, maxUses }: ListedInvite): string {
  return maxUses === null
    ? `Used ${plural(uses, 'time')}, no limit`
    : `Used ${formatNumber(uses)} of ${plural(maxUses, 'time')}`;
}
