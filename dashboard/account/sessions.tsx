import { Badge, Button, formatAgo, formatMoment, Section, Show, say, Table, useLoad } from '../ui/index.ts';
import { endOtherSessions, endSession, listSessions, type Session } from './api.ts';

/** Where the person is logged in. */
export function SessionsScreen() {
  const sessions = useLoad(listSessions, []);
  const end = async (session: Session) => {
    await endSession(session.id);
    say('That browser is logged out.');
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
      hint="End what you do not know, and change your password then."
      actions={
        (sessions.value?.length ?? 0) > 1 && (
          <Button kind="quiet" onClick={endOthers}>
            Log out everywhere else
          </Button>
        )
      }
    >
      <Show loaded={sessions}>
        {(list) => (
          <Table
            caption="Sessions"
            rows={list}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Browser',
                cell: ({ userAgent, current }) => (
                  <>
                    <span title={userAgent}>{browserOf(userAgent)}</span>{' '}
                    {current && <Badge kind="good">this one</Badge>}
                  </>
                ),
              },
              {
                title: 'Last seen',
                cell: ({ current, lastSeenAt }) => (current ? 'now' : formatAgo(lastSeenAt)),
              },
              { title: 'Since', cell: ({ createdAt }) => formatMoment(createdAt), isMinor: true },
              {
                title: 'Actions',
                cell: (session) =>
                  !session.current && (
                    <Button
                      kind="bare"
                      label={`Log out ${browserOf(session.userAgent)}`}
                      onClick={() => end(session)}
                    >
                      Log out
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

/** `Firefox on Linux`, as far as the browser tells. */
function browserOf(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari|curl)\b/.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  if (!browser) return userAgent.slice(0, 40) || 'An unknown program';
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system ? `${name} on ${system.replace('Mac OS X', 'macOS')}` : name;
}
