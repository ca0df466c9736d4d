import { useState } from 'preact/hooks';
import { MAX_GRANT_REASON } from '../../contract/rules/limits.ts';
import {
  Badge,
  Button,
  type Column,
  Dialog,
  Empty,
  Form,
  formatBytes,
  formatCredits,
  formatMoment,
  formatNumber,
  Pager,
  plural,
  Section,
  Show,
  say,
  Table,
  TextField,
  useLoad,
  useSettled,
} from '../ui/index.ts';
import { giveCredits, listUsers, type User } from './api.ts';

/** All accounts and how much they use. */
export function UsersScreen() {
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim());
  const [position, setPosition] = useState({ q: '', offset: 0 });
  // A new search starts at the first page.
  const offset = position.q === q ? position.offset : 0;
  const [giving, setGiving] = useState<User>();
  const users = useLoad(() => listUsers(q, offset), [q, offset]);

  return (
    <Section title="Users" {...(users.value && { hint: plural(users.value.total, 'account') })}>
      <div class="admin-search">
        <TextField
          label="Search users"
          hideLabel
          type="search"
          placeholder="Username or email"
          value={typed}
          onInput={setTyped}
        />
      </div>
      <Show loaded={users}>
        {({ users: list, total, limit }) =>
          list.length === 0 ? (
            <Empty title="No users found">No username or email address contains “{q}”.</Empty>
          ) : (
            <>
              <Table caption="Users" rows={list} keyOf={({ id }) => id} columns={columns(setGiving)} />
              <Pager
                {...{ offset, limit, total }}
                shown={list.length}
                onMove={(next) => setPosition({ q, offset: next })}
              />
            </>
          )
        }
      </Show>
      {giving && (
        <GiveCredits
          user={giving}
          onClose={() => setGiving(undefined)}
          onGiven={async () => {
            setGiving(undefined);
            await users.reload();
          }}
        />
      )}
    </Section>
  );
}

const columns = (onGive: (user: User) => void): Array<Column<User>> => [
  {
    title: 'User',
    cell: ({ username, email, isAdmin }) => (
      <>
        <strong>{username}</strong> {isAdmin && <Badge kind="warn">administrator</Badge>}
        <div class="faint">{email}</div>
      </>
    ),
  },
  { title: 'Pages', cell: ({ pages }) => formatNumber(pages), isNumber: true, isMinor: true },
  { title: 'Functions', cell: ({ functions }) => formatNumber(functions), isNumber: true, isMinor: true },
  { title: 'Storage', cell: ({ storedBytes }) => formatBytes(storedBytes), isNumber: true, isMinor: true },
  { title: 'Credits', cell: ({ credits }) => formatCredits(credits), isNumber: true },
  { title: 'Joined', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: 'Actions',
    cell: (user) => (
      <Button kind="bare" label={`Give credits to ${user.username}`} onClick={() => onGive(user)}>
        Give credits
      </Button>
    ),
  },
];

function GiveCredits(props: { user: User; onClose: () => void; onGiven: () => Promise<void> }) {
  const { user, onClose, onGiven } = props;
  const [credits, setCredits] = useState('20');
  const [reason, setReason] = useState('');
  const give = async () => {
    const { balance } = await giveCredits(user.id, { credits: Number(credits), reason: reason.trim() });
    say(`${user.username} now has ${formatCredits(balance)} ${balance === 1 ? 'credit' : 'credits'}.`);
    await onGiven();
  };
  return (
    <Dialog title={`Give credits to ${user.username}`} onClose={onClose}>
      <Form
        submit="Give credits"
        disabled={!/^[1-9]\d*$/.test(credits) || reason.trim() === ''}
        onSubmit={give}
        onCancel={onClose}
      >
        <TextField label="Credits" type="number" value={credits} onInput={setCredits} autofocus />
        <TextField
          label="Reason"
          hint="The user sees this in their credit history."
          value={reason}
          onInput={setReason}
          maxLength={MAX_GRANT_REASON}
        />
      </Form>
    </Dialog>
  );
}
