import {
  Badge,
  Button,
  type Column,
  formatAgo,
  formatMoment,
  Section,
  Show,
  say,
  Table,
  useLoad,
} from '../ui/index.ts';
import { endOtherSessions, endSession, listSessions, type Session } from './api.ts';

/** The browsers in which the user is logged in. */
export function SessionsScreen() {
  const sessions = useLoad(listSessions, []);
  const end = async (session: Session) => {
    await endSession(session.id);
    say(`Logged out ${browserOf(session.userAgent)}.`);
    await sessions.reload();
  };
  const endOthers = async () => {
    await endOtherSessions();
    say('You are logged out everywhere else.');
    await sessions.reload();
  };

  return (
    <Section
      title="Where you are logged in"
      hint="If you do not recognize a session, log it out and change your password."
      actions={
        (sessions.value?.length ?? 0) > 1 && (
          <Button kind="quiet" onClick={endOthers}>
            Log out everywhere else
          </Button>
        )
      }
    >
      <Show loaded={sessions}>
        {(list) => <Table caption="Sessions" rows={list} keyOf={({ id }) => id} columns={columns(end)} />}
      </Show>
    </Section>
  );
}

const columns = (onEnd: (session: Session) => Promise<void>): Array<Column<Session>> => [
  {
    title: 'Browser',
    cell: ({ userAgent, current }) => (
      <>
        <span title={userAgent}>{browserOf(userAgent)}</span>{' '}
        {current && <Badge kind="good">this browser</Badge>}
      </>
    ),
  },
  {
    title: 'Last active',
    cell: ({ current, lastSeenAt }) => (current ? 'now' : formatAgo(lastSeenAt)),
  },
  { title: 'Logged in', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
  {
    title: 'Actions',
    cell: (session) =>
      !session.current && (
        <Button kind="bare" label={`Log out ${browserOf(session.userAgent)}`} onClick={() => onEnd(session)}>
          Log out
        </Button>
      ),
  },
];

/** `Firefox on Linux`, as far as the user agent says. */
function browserOf(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl)\b/.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  if (!browser) return userAgent.slice(0, 40) || 'an unknown program';
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system ? `${name} on ${system.replace('Mac OS X', 'macOS')}` : name;
}
