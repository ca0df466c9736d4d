import { Link } from '../../router.tsx';
import { me } from '../../session.ts';
import {
  Failure,
  formatAgo,
  formatBytes,
  formatCredits,
  formatMoment,
  formatNumber,
  plural,
  ScreenHead,
  Section,
  Show,
  Skeleton,
  useLoad,
} from '../../ui/index.ts';
import { readUser, type UserDetail } from '../api.ts';
import { AccountActions } from './account-actions.tsx';
import { UserBadges } from './index.tsx';
import { LoginSection } from './login.tsx';
import { Fact } from './part.tsx';
import { QuotaSection } from './quota.tsx';

const BACK = { href: '/admin/users', label: 'Users' };

/** One user: what they have, how they log in, and everything an administrator can do with the account. */
export function UserScreen({ id }: { id: number }) {
  const loaded = useLoad((signal) => readUser(id, signal), [id]);
  if (loaded.error && !loaded.value)
    return (
      <>
        <ScreenHead title="User" back={BACK} />
        <Failure error={loaded.error} retry={loaded.reload} />
      </>
    );
  return (
    <Show loaded={loaded} skeleton={<Waiting />}>
      {(user) => {
        const part = { user, isSelf: user.username === me.value?.username, reload: loaded.reload };
        return (
          <>
            <ScreenHead title={user.username} back={BACK} note={<UserBadges user={user} />} />
            <Notices user={user} />
            <Overview user={user} />
            <LoginSection {...part} />
            <QuotaSection {...part} />
            <AccountActions {...part} />
          </>
        );
      }}
    </Show>
  );
}

function Waiting() {
  return (
    <>
      <ScreenHead title="User" back={BACK} />
      <Skeleton lines={10} />
    </>
  );
}

function Notices({ user }: { user: UserDetail }) {
  return (
    <>
      {user.suspendedAt && (
        <div class="notice bad">
          <p>
            Suspended since {formatMoment(user.suspendedAt)}
            {user.suspendedReason && <>: {user.suspendedReason}</>}
          </p>
        </div>
      )}
      {user.removalDueAt && (
        <div class="notice warn">
          <p>
            The account and everything in it will be deleted on {formatMoment(user.removalDueAt)}, unless the
            user logs in before then and keeps it.
          </p>
        </div>
      )}
    </>
  );
}

function Overview({ user }: { user: UserDetail }) {
  return (
    <Section title="Account">
      <dl class="admin-facts">
        <Fact title="E-mail">
          {user.email} <span class="faint">{user.isEmailConfirmed ? 'confirmed' : 'not confirmed'}</span>
        </Fact>
        <Fact title="Joined">{formatMoment(user.createdAt)}</Fact>
        <Fact title="Last seen">
          {user.lastSeenAt ? (
            <span title={formatMoment(user.lastSeenAt)}>{formatAgo(user.lastSeenAt)}</span>
          ) : (
            'Never in a browser'
          )}
        </Fact>
        <Fact title="Pages">
          {formatNumber(user.pages)}{' '}
          {user.pages > 0 && <Link href={`/admin/pages/${user.username}`}>Show them</Link>}
        </Fact>
        <Fact title="Functions">
          {formatNumber(user.functions)}{' '}
          {user.functions > 0 && <Link href={`/admin/functions/${user.username}`}>Show them</Link>}
        </Fact>
        <Fact title="Storage">{formatBytes(user.storedBytes)}</Fact>
        <Fact title="Credits">{formatCredits(user.credits)}</Fact>
        <Fact title="Audit log">
          <Link href={`/admin/audit/${user.username}`}>What administrators did to this account</Link>
        </Fact>
        <Fact title="Logged in">
          {plural(user.sessions, 'browser')}, {plural(user.tokens, 'personal token')}
        </Fact>
      </dl>
    </Section>
  );
}
