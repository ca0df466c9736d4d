import { expect, test } from 'bun:test';
import { findProblems, type State } from './problems.ts';

const NOW = Date.parse('2026-01-10T00:00:00Z');
const backup = (state: 'complete' | 'failed', createdAt: string) => ({
  ...{ name: 'b', state, bytes: 1, createdAt, madeBy: null, problem: null },
});

function state(changes: {
  free?: number;
  sandbox?: string;
  backups?: Array<ReturnType<typeof backup>>;
  mail?: string;
  chat?: string;
  lockedOut?: string[];
  problem?: string;
  isBeingSetUp?: boolean;
}): State {
  const { free = 50, sandbox = 'bwrap', mail = 'configured', chat = 'configured' } = changes;
  const { lockedOut = [], backups = [backup('complete', '2026-01-09T00:00:00Z')] } = changes;
  return {
    health: { sandbox },
    storage: { disk: { freeBytes: free, totalBytes: 100 } },
    providers: [
      { name: 'mail', state: mail },
      { name: 'chat', state: chat, problem: changes.problem },
    ],
    backups: { backups },
    isBeingSetUp: changes.isBeingSetUp ?? false,
    users: 1,
    pages: 1,
    functions: 1,
    takenDown: 0,
    suspended: 0,
    lockedOut: lockedOut.map((username, index) => ({ id: index + 1, username })),
  } as unknown as State;
}
const links = (changes: Parameters<typeof state>[0]) =>
  findProblems(state(changes), NOW).map(({ kind, href }) => `${kind} ${href}`);

test('a service in order has no problems', () => {
  expect(links({})).toEqual([]);
  expect(links({ free: 10, backups: [backup('complete', '2026-01-03T00:00:00Z')] })).toEqual([]);
});

test('each problem leads to where it is solved, the urgent ones first', () => {
  expect(links({ free: 9 })).toEqual(['bad /admin/storage']);
  expect(links({ sandbox: 'plain' })).toEqual(['bad /admin/health']);
  expect(links({ backups: [] })).toEqual(['warn /admin/backups']);
  expect(links({ backups: [backup('complete', '2026-01-02T23:59:59Z')] })).toEqual(['warn /admin/backups']);
  expect(
    links({
      backups: [backup('failed', '2026-01-09T12:00:00Z'), backup('complete', '2026-01-09T00:00:00Z')],
    }),
  ).toEqual(['bad /admin/backups']);
  const people = ['ada', 'ben', 'cem', 'dia', 'eva', 'fay'];
  expect(links({ lockedOut: people })).toEqual([1, 2, 3, 4, 5].map((id) => `warn /admin/users/${id}`));
  expect(links({ mail: 'off', chat: 'demo', free: 1 })).toEqual([
    'bad /admin/storage',
    'warn /docs/mail',
    'warn /admin/providers/chat',
  ]);
  expect(links({ problem: 'money' })).toEqual(['bad /admin/providers/chat']);
  // The list of first steps says it already.
  expect(links({ mail: 'off', chat: 'demo', backups: [], isBeingSetUp: true })).toEqual([]);
});
