import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

/** All tests, and the suite of each file. */
export type Suites = Map<string, string[]>;

/** The suites that are commands, not tests. A warning counts as an error. */
export const CHECKS: Record<string, [tool: string, ...args: string[]][]> = {
  types: projects().map((project) => ['tsc', '-p', project, '--noEmit', '--checkers', '1']),
  lint: [['biome', 'check', '.', '--error-on-warnings']],
};

/** Runs the files of `api-sqlite` on the other engine, except for a few. */
export const ON_POSTGRES = 'api-postgres';
const ON_SQLITE = 'api-sqlite';

/**
 * Files about things other than our tables: databases of functions, request bodies, headers, documents, protocols,
 * browsers. They run no statement that other files do not run too, and none at the same time as another.
 */
export const ON_ONE_ENGINE = [
  'test/api/account-scope.test.ts',
  'test/api/bad-input.test.ts',
  'test/api/checks.test.ts',
  'test/api/data-schemas.test.ts',
  'test/api/docs-commands.test.ts',
  'test/api/docs.test.ts',
  'test/api/expensive-bodies.test.ts',
  'test/api/features-providers.test.ts',
  'test/api/functions-database-export.test.ts',
  'test/api/functions-database-quota.test.ts',
  'test/api/functions-database-script.test.ts',
  'test/api/functions-headers.test.ts',
  'test/api/functions-packages.test.ts',
  'test/api/functions-test.test.ts',
  'test/api/functions-typescript.test.ts',
  'test/api/isolation.test.ts',
  'test/api/large-pages.test.ts',
  'test/api/llms.test.ts',
  'test/api/mcp-docs.test.ts',
  'test/api/mcp-hostile.test.ts',
  'test/api/mcp-protocol.test.ts',
  'test/api/mcp-resources.test.ts',
  'test/api/mcp.test.ts',
  'test/api/metrics.test.ts',
  'test/api/oauth-documents.test.ts',
  'test/api/page-mcp.test.ts',
  'test/api/pages-warnings.test.ts',
  'test/api/slow-bodies.test.ts',
];

/** Files that add network interfaces. Browsers on the same network give up on what they are loading when that happens. */
export const IN_OWN_NETWORK = ['test/cluster/partitions.test.ts'];

/** What Bun treats as a test file. */
const TEST_FILES = new Bun.Glob('**/*{.test,_test,.spec,_spec}.{ts,tsx,js,jsx,mts,mjs,cts,cjs}');

/** Every suite with its test files. A command has none. */
export function allSuites(): Suites {
  const suites: Suites = new Map(Object.keys(CHECKS).map((name) => [name, []]));
  for (const file of findTests()) {
    const suite = suiteOf(file);
    suites.set(suite, [...(suites.get(suite) ?? []), file]);
  }
  const onBoth = suites.get(ON_SQLITE)?.filter((file) => !ON_ONE_ENGINE.includes(file)) ?? [];
  return suites.set(ON_POSTGRES, onBoth);
}

/** A suite is a folder of `test`. Tests beside the code are `unit`. */
export function suiteOf(file: string): string {
  const [top, name = ''] = file.split('/');
  if (top !== 'test') return 'unit';
  if (name === 'api') return ON_SQLITE;
  if (file.startsWith('test/browser/dashboard')) return 'dashboard';
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

/** The folders with their own TypeScript configuration. */
function projects(): string[] {
  return ['.', ...topFolders()].filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
}

function topFolders(): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|data$)/.test(entry.name))
    .map(({ name }) => name);
}
