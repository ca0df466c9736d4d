import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import {
  Button,
  type Column,
  ConfirmDialog,
  formatAgo,
  formatMoment,
  type Loaded,
  Section,
  Show,
  Skeleton,
  say,
  Table,
} from '../../ui/index.ts';
import { type InviteList, type ListedInvite, type Role, revokeInvite, type TeamPage } from './api.ts';
import { InviteForm } from './invite-form.tsx';
import { makeRevokeLabel, mayManage, nameRole } from './roles.ts';

interface Props {
  page: TeamPage;
  mine: Role;
  invites: Loaded<InviteList>;
}

/** Creates invite links and lists the open ones. */
export function InvitesSection({ page, mine, invites }: Props) {
  const [revoking, setRevoking] = useState<ListedInvite>();
  const revoke = async ({ id }: ListedInvite) => {
    await revokeInvite(page.id, id);
    setRevoking(undefined);
    say(t('Invite revoked.'));
    await invites.reload();
  };
  return (
    <Section
      title={t('Invites')}
      hint={t('Anyone with this link can join. People without an account can create one first.')}
    >
      <InviteForm page={page} mine={mine} invites={invites} />
      <h3 class="team-heading">{t('Open invites')}</h3>
      <Show loaded={invites} skeleton={<Skeleton lines={3} />}>
        {({ invites: list }) =>
          list.length === 0 ? (
            <p class="hint">
              {t('None. Links are listed here until they are used up, expire or are revoked.')}
            </p>
          ) : (
            <Table
              caption={t('Open invites')}
              columns={columns(mine, setRevoking)}
              rows={list}
              getKey={({ id }) => id}
            />
          )
        }
      </Show>
      {revoking && (
        <ConfirmDialog
          title={t('Revoke this invite?')}
          action={t('Revoke')}
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>{t('Nobody can join with this link anymore. People who have already joined stay.')}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

const columns = (mine: Role, onRevoke: (invite: ListedInvite) => void): Array<Column<ListedInvite>> => [
  {
    title: t('Role'),
    cell: (invite) => (
      <>
        {nameRole(invite.role)}
        <br />
        {invite.email && (
          <>
            <span class="hint team-name">{t('Sent to {email}', { email: invite.email })}</span>
            <br />
          </>
        )}
        <span class="hint">{sayUses(invite)}</span>
      </>
    ),
  },
  {
    title: t('Expires'),
    cell: ({ expiresAt }) => <time dateTime={expiresAt}>{formatMoment(expiresAt)}</time>,
  },
  {
    title: t('Created'),
    isMinor: true,
    cell: ({ createdAt, createdBy }) => (
      <span title={formatMoment(createdAt)}>
        {createdBy
          ? t('{when} by {name}', { when: formatAgo(createdAt), name: createdBy.username })
          : formatAgo(createdAt)}
      </span>
    ),
  },
  {
    title: t('Actions'),
    isActions: true,
    cell: (invite) =>
      mayManage(mine, invite.role) && (
        <Button kind="bare" label={makeRevokeLabel(invite)} onClick={() => onRevoke(invite)}>
          {t('Revoke')}
        </Button>
      ),
  },
];

function sayUses({ uses, maxUses }: ListedInvite): string {
  return maxUses === null
    ? t('{count|Used once|Used {count} times}, no limit', { count: uses })
    : t('Used {uses} of {max|one time|{max} times}', { uses, max: maxUses });
}
