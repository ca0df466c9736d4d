import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import {
  Badge,
  Button,
  type Column,
  ConfirmByTyping,
  formatAgo,
  formatMoment,
  Section,
  Select,
  say,
  Table,
} from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { changeRole, type GrantableRole, type Member, type Role, removeMember } from './api.ts';
import { grantableBy, mayManage, nameOf, outranks, ROLES } from './roles.ts';

const INVITES_REVOKED = ' All open invites are revoked.';

interface Props {
  page: PageDetail;
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
      say(`${user.username} now has the role ${nameOf(role).toLowerCase()}.${ended}`);
    } catch (error) {
      say((error as Error).message, 'bad');
    }
    await onChanged();
  };
  return (
    <Section
      title="Members"
      hint="If you lower someone’s role or remove them, all open invites are revoked, because they may have a link."
    >
      <Table
        caption="Members of the team"
        rows={members}
        keyOf={({ user }) => user.id}
        columns={columns(mine, give, setLeaving)}
      />
      <details class="team-roles">
        <summary>What each role can do</summary>
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
    title: 'Name',
    cell: (member) => (
      <span class="team-name">
        {member.user.username} {isMe(member) && <Badge>you</Badge>}
      </span>
    ),
  },
  {
    title: 'Role',
    cell: (member) =>
      mayManage(mine, member.role) && !isMe(member) ? (
        <Select
          label={`Role of ${member.user.username}`}
          hideLabel
          value={member.role as GrantableRole}
          options={grantableBy(mine)}
          onChange={(role) => void onGive(member, role)}
        />
      ) : (
        nameOf(member.role)
      ),
  },
  {
    title: 'Joined',
    isMinor: true,
    cell: ({ joinedAt }) => (
      <time dateTime={joinedAt} title={formatMoment(joinedAt)}>
        {formatAgo(joinedAt)}
      </time>
    ),
  },
  {
    title: 'Actions',
    isNumber: true,
    cell: (member) => {
      if (isMe(member))
        return (
          mine !== 'owner' && (
            <Button kind="quiet" onClick={() => onLeave(member)}>
              Leave
            </Button>
          )
        );
      return (
        mayManage(mine, member.role) && (
          <Button kind="quiet" label={`Remove ${member.user.username}`} onClick={() => onLeave(member)}>
            Remove
          </Button>
        )
      );
    },
  },
];

interface LeaveProps {
  page: PageDetail;
  member: Member;
  isMe: boolean;
  hasInvites: boolean;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

function Leave({ page, member: { user }, isMe, hasInvites, onClose, onChanged }: LeaveProps) {
  const leave = async () => {
    await removeMember(page.id, isMe ? 'me' : user.id);
    say(
      isMe
        ? `You left the team of ${page.name}.`
        : `Removed ${user.username} from the team.${hasInvites ? INVITES_REVOKED : ''}`,
    );
    if (isMe) return navigate('/pages');
    onClose();
    await onChanged();
  };
  return (
    <ConfirmByTyping
      title={isMe ? 'Leave this team?' : `Remove ${user.username}?`}
      phrase={isMe ? 'leave' : user.username}
      submit={isMe ? 'Leave team' : 'Remove'}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>
        {isMe ? 'You lose' : 'They lose'} access to the data and files of the page immediately. Records and
        files that {isMe ? 'you' : 'they'} added stay.
        {!isMe && hasInvites && ' All open invites are revoked, because they may have a link.'}
      </p>
    </ConfirmByTyping>
  );
}
