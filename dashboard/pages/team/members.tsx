import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import {
  Badge,
  Button,
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

const INVITES_ENDED = ' Open invites have ended.';

interface Props {
  page: PageDetail;
  members: Member[];
  mine: Role;
  /** Whether there are open ones, which then end. */
  hasInvites: boolean;
  onChanged: () => Promise<void>;
}

/** Who is in the team, and as what. */
export function MembersSection({ page, members, mine, hasInvites, onChanged }: Props) {
  const [leaving, setLeaving] = useState<Member>();
  const isMe = ({ user }: Member) => user.id === me.value?.id;

  const give = async ({ user, role: before }: Member, role: GrantableRole) => {
    const ended = hasInvites && outranks(before, role) ? INVITES_ENDED : '';
    try {
      await changeRole(page.id, user.id, role);
      say(`${user.username} is ${nameOf(role).toLowerCase()} now.${ended}`);
    } catch (error) {
      say((error as Error).message, 'bad');
    }
    await onChanged();
  };
  return (
    <Section
      title="Members"
      hint="Giving somebody a lower role, or removing them, also ends all open invites: they might hold one."
    >
      <Table
        caption="Members of the team"
        rows={members}
        keyOf={({ user }) => user.id}
        columns={[
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
                  onChange={(role) => void give(member, role)}
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
            cell: (member) =>
              isMe(member)
                ? mine !== 'owner' && (
                    <Button kind="quiet" onClick={() => setLeaving(member)}>
                      Leave
                    </Button>
                  )
                : mayManage(mine, member.role) && (
                    <Button
                      kind="quiet"
                      label={`Remove ${member.user.username}`}
                      onClick={() => setLeaving(member)}
                    >
                      Remove
                    </Button>
                  ),
          },
        ]}
      />
      <details class="team-roles">
        <summary>What each role may do</summary>
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
        : `${user.username} is no longer in the team.${hasInvites ? INVITES_ENDED : ''}`,
    );
    if (isMe) return navigate('/pages');
    onClose();
    await onChanged();
  };
  return (
    <ConfirmByTyping
      title={isMe ? 'Leave this team?' : `Remove ${user.username}?`}
      phrase={isMe ? 'leave' : user.username}
      submit={isMe ? 'Leave the team' : 'Remove'}
      onConfirm={leave}
      onClose={onClose}
    >
      <p>
        {isMe ? 'You lose' : 'They lose'} access to the page’s data and files at once. What{' '}
        {isMe ? 'you' : 'they'} made stays with the team.
        {!isMe && hasInvites && ' All open invites end, since they might hold one.'}
      </p>
    </ConfirmByTyping>
  );
}
