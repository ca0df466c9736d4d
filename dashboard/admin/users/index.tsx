import { useState } from 'preact/hooks';
import type { UserList } from '../../../contract/admin/users.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import {
  Badge,
  type Column,
  Empty,
  formatBytes,
  formatCredits,
  formatDate,
  formatMoment,
  formatNumber,
  type Loaded,
  Pager,
  Section,
  Select,
  Show,
  Skeleton,
  Table,
  TextField,
  useLoad,
  useSettled,
} from '../../ui/index.ts';
import { listUsers, type User, type UserFilter } from '../api.ts';

const SHOWN = [
  ['', t('All accounts')],
  ['administrators', t('Administrators')],
  ['active', t('Active')],
  ['suspended', t('Suspended')],
  ['leaving', t('About to be deleted')],
  ['locked-out', t('Need a new password')],
  ['built-in', t('Built in')],
] as const;
const ORDERS = [
  ['oldest', t('Oldest first')],
  ['newest', t('Newest first')],
  ['username', t('By username')],
  ['storage', t('Most storage first')],
] as const;

/** All accounts: search, filters, and how much each uses. */
export function UsersScreen() {
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim());
  const [shown, setShown] = useState<(typeof SHOWN)[number][0]>('');
  const [sort, setSort] = useState<(typeof ORDERS)[number][0]>('oldest');
  const [position, setPosition] = useState({ key: '', offset: 0 });
  const key = `${q}\n${shown}\n${sort}`;
  // Another search or filter starts at the first page.
  const offset = position.key === key ? position.offset : 0;
  const filter: UserFilter = {
    ...{ q, sort, offset },
    administrators: shown === 'administrators' ? 'true' : '',
    state: shown === 'administrators' ? '' : shown,
  };
  const users = useLoad((signal) => listUsers(filter, signal), [key, offset]);

  return (
    <Section
      title={t('Users')}
      {...(users.value && {
        hint: t('{count|{count} account|{count} accounts}', { count: users.value.total }),
      })}
    >
      <div class="admin-filters">
        <TextField
          label={t('Search users')}
          hideLabel
          type="search"
          placeholder={t('Username or e-mail')}
          value={typed}
          onInput={setTyped}
        />
        <Select label={t('Show')} hideLabel value={shown} options={SHOWN} onChange={setShown} />
        <Select label={t('Order')} hideLabel value={sort} options={ORDERS} onChange={setSort} />
      </div>
      <Results {...{ users, q, offset }} onMove={(next) => setPosition({ key, offset: next })} />
    </Section>
  );
}

interface ResultsProps {
  users: Loaded<UserList>;
  q: string;
  offset: number;
  onMove: (offset: number) => void;
}

function Results({ users, q, offset, onMove }: ResultsProps) {
  return (
    <Show loaded={users} skeleton={<Skeleton kind="rows" lines={10} />}>
      {({ users: list, total, limit }) =>
        list.length === 0 ? (
          <Empty icon="search" title={t('No users found')}>
            {q
              ? t('No username or e-mail address contains “{text}”.', { text: q })
              : t('No account is in this state.')}
          </Empty>
        ) : (
          <>
            <div class="stacks">
              <Table caption={t('Users')} rows={list} getKey={({ id }) => id} columns={COLUMNS} />
            </div>
            {total > limit && <Pager {...{ offset, limit, total }} shown={list.length} onMove={onMove} />}
          </>
        )
      }
    </Show>
  );
}

/** Accounts of the server itself, which nobody can log in to. */
const isBuiltIn = ({ email }: User) => email.endsWith('@invalid');

const COLUMNS: Array<Column<User>> = [
  {
    title: t('User'),
    cell: (user) => (
      <div class="admin-name">
        <Link href={`/admin/users/${user.id}`}>{user.username}</Link> <UserBadges user={user} />
        <div class="faint">
          {isBuiltIn(user) ? t('Owns what people try or have not claimed yet.') : user.email}
        </div>
      </div>
    ),
  },
  { title: t('Pages'), cell: ({ pages }) => formatNumber(pages), isNumber: true, isMinor: true },
  { title: t('Functions'), cell: ({ functions }) => formatNumber(functions), isNumber: true, isMinor: true },
  { title: t('Storage'), cell: ({ storedBytes }) => formatBytes(storedBytes), isNumber: true },
  { title: t('Credits'), cell: ({ credits }) => formatCredits(credits), isNumber: true, isMinor: true },
  {
    title: t('Joined'),
    cell: ({ createdAt }) => (
      <span class="admin-time" title={formatMoment(createdAt)}>
        {formatDate(createdAt)}
      </span>
    ),
    isMinor: true,
  },
];

type BadgeField = 'isAdmin' | 'suspendedAt' | 'removalDueAt' | 'passwordAskedAt';

/** The states of an account that are not the usual one. */
export function UserBadges({ user }: { user: Pick<User, BadgeField> }) {
  return (
    <>
      {user.isAdmin && <Badge kind="good">{t('Administrator')}</Badge>}{' '}
      {user.suspendedAt && <Badge kind="bad">{t('Suspended')}</Badge>}{' '}
      {user.removalDueAt && <Badge kind="warn">{t('To be deleted')}</Badge>}{' '}
      {user.passwordAskedAt && <Badge kind="warn">{t('Needs a new password')}</Badge>}
    </>
  );
}
