import { Link } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import {
  Failure,
  formatAgo,
  formatBytes,
  formatCredits,
  formatMoment,
  formatNumber,
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

const BACK = { href: '/admin/users', label: t('Users') };

/** One user: what they have, how they log in, and everything an administrator can do with the account. */
export function UserScreen({ id }: { id: number }) {
  const loaded = useLoad((signal) => readUser(id, signal), [id]);
  if (loaded.error && !loaded.value)
    return (
      <>
        <ScreenHead title={t('User')} back={BACK} />
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
      <ScreenHead title={t('User')} back={BACK} />
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
            {user.suspendedReason
              ? t('Suspended since {moment}: {reason}', {
                  moment: formatMoment(user.suspendedAt),
                  reason: user.suspendedReason,
                })
              : t('Suspended since {moment}', { moment: formatMoment(user.suspendedAt) })}
          </p>
        </div>
      )}
      {user.removalDueAt && (
        <div class="notice warn">
          <p>
            {t(
              'The account and everything in it will be deleted on {moment}, unless the user logs in before then and keeps it.',
              { moment: formatMoment(user.removalDueAt) },
            )}
          </p>
        </div>
      )}
    </>
  );
}

function Overview({ user }: { user: UserDetail }) {
  return (
    <Section title={t('Account')}>
      <dl class="admin-facts">
        <Fact title={t('E-mail')}>
          {user.email}{' '}
          <span class="faint">{user.isEmailConfirmed ? t('confirmed') : t('not confirmed')}</span>
        </Fact>
        <Fact title={t('Joined')}>{formatMoment(user.createdAt)}</Fact>
        <Fact title={t('Last seen')}>
          {user.lastSeenAt ? (
            <span title={formatMoment(user.lastSeenAt)}>{formatAgo(user.lastSeenAt)}</span>
          ) : (
            t('Never in a browser')
          )}
        </Fact>
        <Fact title={t('Pages')}>
          {formatNumber(user.pages)}{' '}
          {user.pages > 0 && <Link href={`/admin/pages/${user.username}`}>{t('Show them')}</Link>}
        </Fact>
        <Fact title={t('Functions')}>
          {formatNumber(user.functions)}{' '}
          {user.functions > 0 && <Link href={`/admin/functions/${user.username}`}>{t('Show them')}</Link>}
        </Fact>
        <Fact title={t('Storage')}>{formatBytes(user.storedBytes)}</Fact>
        <Fact title={t('Credits')}>{formatCredits(user.credits)}</Fact>
        <Fact title={t('Audit log')}>
          <Link href={`/admin/audit/${user.username}`}>{t('What administrators did to this account')}</Link>
        </Fact>
        <Fact title={t('Logged in')}>
          {t(
            '{browsers|{browsers} browser|{browsers} browsers}, {tokens|{tokens} personal token|{tokens} personal tokens}',
            { browsers: user.sessions, tokens: user.tokens },
          )}
        </Fact>
      </dl>
    </Section>
  );
}
