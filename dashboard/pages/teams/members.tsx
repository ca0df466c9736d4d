import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  formatAgo,
  formatMoment,
  Section,
  Select,
  say,
  Table,
} from '../../ui/index.ts';
import {
  changeRole,
  type GrantableRole,
  type Member,
  type Role,
  removeMember,
  type TeamPage,
} from './api.ts';
import { grantableBy, mayManage, nameRole, outranks, ROLES, roleInSentence } from './roles.ts';

const INVITES_REVOKED = ` ${t('All open invites are revoked.')}`;

interface Props {
  page: TeamPage;
  members: Member[];
  mine: Role;
  /** True if there are open invites. They are revoked when a role is lowered. */
  hasInvites: boolean;
  onChanged: () => Promise<void>;
}

/** The members of the team and their roles. */
export function MembersSection({ page, members, mine, hasInvites, onChanged }: Props) {
  const [leaving, setLeaving] = useState<Member>();
  const give = async ({ user, role: before }: Member, role: GrantableRole) => {
    const ended = hasInvites && outranks(before, role) ? INVITES_REVOKED : '';
    try {
      await changeRole(page.id, user.id, role);
      say(t('{name} now has the role {role}.', { name: user.username, role: roleInSentence(role) }) + ended);
    } catch (error) {
      say((error as Error).message, 'bad');
    }
    await onChanged();
  };
  const canManage = grantableBy(mine).length > 0;
  return (
    <Section
      title={t('Members')}
      hint={
        canManage &&
        t(
          'If you lower someone’s role or remove them, all open invites are revoked, because they may have a link.',
        )
      }
    >
      <Table
        caption={t('Members of the team')}
        rows={members}
        getKey={({ user }) => user.id}
        columns={columns(mine, give, setLeaving)}
      />
      <details class="team-roles">
        <summary>{t('What each role can do')}</summary>
        <dl>
          {ROLES.map(({ role, name, may }) => (
            <div key={role}>
              <dt>{name}</dt>
              <dd>{may}</dd>
            </div>
          ))}
        </dl>
      </details>
      {leaving && (
        <Leave
          page={page}
          member={leaving}
          isMe={isMe(leaving)}
          hasInvites={hasInvites}
          onClose={() => setLeaving(undefined)}
          onChanged={onChanged}
        />
      )}
    </Section>
  );
}

const isMe = ({ user }: Member) => user.id === me.value?.id;

const columns = (
  mine: Role,
  onGive: (member: Member, role: GrantableRole) => Promise<void>,
  onLeave: (member: Member) => void,
): Array<Column<Member>> => [
  {
    title: t('Name'),
    cell: (member) => (
      <span class="team-name">
        {member.user.username} {isMe(member) && <Badge>{t('you')}</Badge>}
      </span>
    ),
  },
  {
    title: t('Role'),
    cell: (member) =>
      mayManage(mine, member.role) && !isMe(member) ? (
        <Select
          label={t('Role of {name}', { name: member.user.username })}
          hideLabel
          value={member.role as GrantableRole}
          options={grantableBy(mine)}
          onChange={(role) => void onGive(member, role)}
        />
      ) : (
        nameRole(member.role)
      ),
  },
  {
    title: t('Joined'),
    isMinor: true,
    cell: ({ joinedAt }) => (
      <time dateTime={joinedAt} title={formatMoment(joinedAt)}>
        {formatAgo(joinedAt)}
      </time>
    ),
  },
  {
    title: t('Actions'),
    isActions: true,
    cell: (member) => <Act member={member} mine={mine} onLeave={onLeave} />,
  },
];

function Act({ member, mine, onLeave }: { member: Member; mine: Role; onLeave: (member: Member) => void }) {
  if (isMe(member)) {
    if (mine === 'owner') return null;
    return (
      <Button kind="bare" onClick={() => onLeave(member)}>
        {t('Leave')}
      </Button>
    );
  }
  if (!mayManage(mine, member.role)) return null;
  return (
    <Button
      kind="bare"
      label={t('Remove {name}', { name: member.user.username })}
      onClick={() => onLeave(member)}
    >
      {t('Remove')}
    </Button>
  );
}

interface LeaveProps {
  page: TeamPage;
  member: Member;
  isMe: boolean;
  hasInvites: boolean;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

function Leave({ page, member: { user }, isMe, hasInvites, onClose, onChanged }: LeaveProps) {
  const leave = async () => {
    await removeMember(page.id, isMe ? 'me' : user.id);
    if (isMe) {
      say(t('You left the team of {name}.', { name: page.name }));
      return navigate('/pages');
    }
    const ended = hasInvites ? INVITES_REVOKED : '';
    say(t('Removed {name} from the team.', { name: user.username }) + ended);
    onClose();
    await onChanged();
  };
  return (
    <ConfirmDialog
      title={isMe ? t('Leave this team?') : t('Remove {name}?', { name: user.username })}
      action={isMe ? t('Leave team') : t('Remove')}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>
        {isMe
          ? t('You lose access to the data and files of the page at once. What you added stays.')
          : t('They lose access to the data and files of the page at once. What they added stays.')}
        {!isMe && hasInvites && ` ${t('All open invites are revoked, because they may have a link.')}`}
      </p>
    </ConfirmDialog>
  );
}
