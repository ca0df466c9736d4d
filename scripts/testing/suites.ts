import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LONG_FILES } from './long-files.ts';
import { type Proof, readPromises } from './promises.ts';
import { root } from './root.ts';

/** All tests, and the suite of each file. */
export type Suites = Map<string, string[]>;

/** The suites that are commands, not tests. A warning counts as an error. */
export const CHECKS: Record<string, [tool: string, ...args: string[]][]> = {
  types: projects().map((project) => [
    'tsc',
    '-p',
    project,
    '--noEmit',
    '--checkers',
    '1',
    ...remembering(project),
  ]),
  lint: [['biome', 'check', '.', '--error-on-warnings']],
};

export const ON_SQLITE = 'api-sqlite';
/** Runs some files of `api-sqlite` on the other engine. */
export const ON_POSTGRES = 'api-postgres';

/** Functions with real packages, and sites of real generators: they need a registry. */
export const FROM_REGISTRY = ['generators', 'packages'];

/**
 * Files about what the engines do differently with the same statements: requests at the same time, unique values,
 * transactions and locks, order, pages of results, search, large numbers, unusual text, JSON and copies of the whole
 * database; and quick files with many statements of their own. The statements of all other files run on PostgreSQL too,
 * but on empty tables: `statements.ts`.
 */
export const ON_BOTH_ENGINES = [
  'test/api/accounts/takeover.test.ts',
  'test/api/accounts/accounts.test.ts',
  'test/api/admin/audit.test.ts',
  'test/api/admin/functions.test.ts',
  'test/api/admin/races.test.ts',
  'test/api/admin/service.test.ts',
  'test/api/admin/take-down.test.ts',
  'test/api/admin/users.test.ts',
  'test/api/analytics/errors.test.ts',
  'test/api/analytics/analytics.test.ts',
  'test/api/backup/dashboard.test.ts',
  'test/api/backup/backup.test.ts',
  'test/api/branches/merge-races.test.ts',
  'test/api/branches/merge.test.ts',
  'test/api/credits/ledger.test.ts',
  'test/api/credits/credits.test.ts',
  'test/api/data/bad-input.test.ts',
  'test/api/data/index-equality.test.ts',
  'test/api/data/indexes.test.ts',
  'test/api/data/live-lists.test.ts',
  'test/api/data/order.test.ts',
  'test/api/data/queries.test.ts',
  'test/api/data/rules-leaks.test.ts',
  'test/api/data/search.test.ts',
  'test/api/data/search-attacks.test.ts',
  'test/api/data/search-changes.test.ts',
  'test/api/data/slow-queries.test.ts',
  'test/api/data/data.test.ts',
  'test/api/agents/discovery.test.ts',
  'test/api/pages/domains.test.ts',
  'test/api/features/by-token.test.ts',
  'test/api/accounts/forgotten-password.test.ts',
  'test/api/forms/forms.test.ts',
  'test/api/functions/deploy.test.ts',
  'test/api/functions/secrets.test.ts',
  'test/api/functions/triggers.test.ts',
  'test/api/functions/versions.test.ts',
  'test/api/pages/gallery.test.ts',
  'test/api/home.test.ts',
  'test/api/backup/kept.test.ts',
  'test/api/backup/schedule.test.ts',
  'test/api/storage/large-ids.test.ts',
  'test/api/mail/queue.test.ts',
  'test/api/oauth/attacks.test.ts',
  'test/api/oauth/devices.test.ts',
  'test/api/accounts/own.test.ts',
  'test/api/pages/access/keys.test.ts',
  'test/api/pages/anonymous.test.ts',
  'test/api/pages/drafts.test.ts',
  'test/api/pages/moments-clock.test.ts',
  'test/api/pages/moments-in-use.test.ts',
  'test/api/pages/moments-model.test.ts',
  'test/api/pages/files/races.test.ts',
  'test/api/pages/files/serving.test.ts',
  'test/api/pages/files/files.test.ts',
  'test/api/pages/slugs.test.ts',
  'test/api/pages/change.test.ts',
  'test/api/pages/shared.test.ts',
  'test/api/pages/pages.test.ts',
  'test/api/accounts/passkeys.test.ts',
  'test/api/privacy/deletion.test.ts',
  'test/api/privacy/export.test.ts',
  'test/api/accounts/registration.test.ts',
  'test/api/storage/row-limits.test.ts',
  'test/api/functions/saved-queries.test.ts',
  'test/api/functions/schedules.test.ts',
  'test/api/accounts/second-factor.test.ts',
  'test/api/accounts/single-sign-on.test.ts',
  'test/api/teams/files-quota.test.ts',
  'test/api/teams/invites.test.ts',
  'test/api/accounts/user-command.test.ts',
];

/** Files that add network interfaces. Browsers on the same network give up on what they are loading when that happens. */
export const IN_OWN_NETWORK = [
  'test/cluster/cut-off.test.ts',
  'test/cluster/partitions.test.ts',
  'test/cluster/tls.test.ts',
];

/** What a soak runs: the suites, and the files elsewhere, that repeat something for many rounds. */
export const SOAKED = ['faults', 'cluster', 'pages/moments-model'];

/** What Bun treats as a test file. */
const TEST_FILES = new Bun.Glob('**/*{.test,_test,.spec,_spec}.{ts,tsx,js,jsx,mts,mjs,cts,cjs}');

/** Every suite with its test files. A command has none. */
export function allSuites(): Suites {
  const suites: Suites = new Map(Object.keys(CHECKS).map((name) => [name, []]));
  for (const file of findTests()) {
    const suite = findSuite(file);
    suites.set(suite, [...(suites.get(suite) ?? []), file]);
  }
  return suites.set(ON_POSTGRES, ON_BOTH_ENGINES);
}

/** Every suite without the files that take long, the second engine, and what needs a registry. */
export function quickSuites(): Suites {
  const suites = allSuites();
  suites.delete(ON_POSTGRES);
  for (const suite of FROM_REGISTRY) suites.delete(suite);
  return new Map(
    [...suites].map(([name, files]) => [name, files.filter((file) => !LONG_FILES.includes(file))]),
  );
}

/** The promises that only a test in a long file proves. `npm test` runs these tests of the file, and no others. */
export function longProofs(): Proof[] {
  return readPromises().filter(({ file }) => LONG_FILES.includes(file));
}

/** A suite is a folder of `test`. Tests beside the code are `unit`. */
export function findSuite(file: string): string {
  const [top, name = ''] = file.split('/');
  if (top !== 'test') return 'unit';
  if (name === 'api') return ON_SQLITE;
  return name.replace(/\.test\.tsx?$/, '');
}

/** Words select suites with the word in their name or, if there are none, files with it in their path. */
export function choose(suites: Suites, words: string[]): Suites {
  if (words.length === 0) return suites;
  const chosen: Suites = new Map();
  for (const word of words) {
    const named = [...suites].filter(([name]) => name.includes(word));
    const found = named.length ? named : filesWith(suites, word);
    for (const [name, files] of found) {
      chosen.set(name, [...new Set([...(chosen.get(name) ?? []), ...files])]);
    }
  }
  return chosen;
}

function filesWith(suites: Suites, word: string): [string, string[]][] {
  return [...suites]
    .map(([name, files]): [string, string[]] => [name, files.filter((file) => file.includes(word))])
    .filter(([, files]) => files.length > 0);
}

function findTests(): string[] {
  return topFolders()
    .flatMap((folder) => [...TEST_FILES.scanSync(join(root, folder))].map((file) => join(folder, file)))
    .sort();
}

/** The compiler remembers what it has checked, so that the next run checks only what has changed. */
function remembering(project: string): string[] {
  const name = project === '.' ? 'root' : project;
  return ['--incremental', '--tsBuildInfoFile', join(root, '.cache/types', `${name}.json`)];
}

/** The folders with their own TypeScript configuration. */
function projects(): string[] {
  return ['.', ...topFolders()].filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
}

function topFolders(): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|data$)/.test(entry.name))
    .map(({ name }) => name);
}
