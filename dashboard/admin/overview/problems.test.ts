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
  /** More about the backups. */
  about?: Partial<State['backups']>;
  isReplicaLate?: boolean;
}): State {
  const { free = 50, sandbox = 'bwrap', mail = 'configured', chat = 'configured' } = changes;
  const { lockedOut = [], backups = [backup('complete', '2026-01-09T00:00:00Z')] } = changes;
  return {
    health: { sandbox, replica: { isLate: changes.isReplicaLate === true } },
    storage: { disk: { freeBytes: free, totalBytes: 100 } },
    providers: [
      { name: 'mail', state: mail },
      { name: 'chat', state: chat, problem: changes.problem },
    ],
    backups: {
      ...{ backups, schedule: null, lastProof: null, placeProblem: null, isLate: false, isEncrypted: false },
      ...changes.about,
    },
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
  expect(links({ isReplicaLate: true })).toEqual(['bad /admin/health']);
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

test('what is wrong with backups is said, the worst first', () => {
  const texts = (about: Partial<State['backups']>, more: Parameters<typeof state>[0] = {}) =>
    findProblems(state({ about, ...more }), NOW).map(({ kind, text }) => `${kind} ${text}`);
  const schedule = { cron: '0 3 * * *', nextAt: '', failures: 0, failedAt: null, problem: null };
  const proof = { name: 'b', provenAt: '2026-01-09T00:00:00Z', seconds: 1, problem: null };
  expect(texts({ schedule, lastProof: proof })).toEqual([]);
  expect(texts({ schedule })).toEqual(['warn No backup has been proven yet.']);
  expect(texts({ schedule, isEncrypted: true })[0]).toContain('Only you have the key');
  // Before the first backup of a schedule there is nothing to prove.
  expect(texts({ schedule }, { backups: [] })).toEqual([]);
  const failing = { schedule: { ...schedule, failures: 2 }, lastProof: { ...proof, problem: 'x' } };
  expect(texts({ ...failing, isLate: true, placeProblem: 'x' }, { backups: [] })).toEqual([
    expect.stringContaining('bad The place of the backups'),
    'bad The last backup failed.',
    'bad The last backup that was tried could not be restored.',
    'bad The newest backup is much older than the schedule says.',
  ]);
});
