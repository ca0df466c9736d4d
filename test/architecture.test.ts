import { expect, test } from 'bun:test';
import { dirname, join, normalize, relative } from 'node:path';
import { Glob } from 'bun';
import ts from 'typescript-5';

/**
 * The import rules as a program. A folder at the top says where its code runs. Inside `server/`, imports go down only:
 * main -> commands -> app -> product -> sites, runtime, platform -> lib -> contract, and other folders import a folder through its `index.ts`.
 */
const ROOT = join(import.meta.dir, '..');

/** What the rest of the server is built on. */
const PLATFORM = [
  'audit',
  'blobs',
  'cluster',
  'config',
  'coordination/events',
  'coordination/limits',
  'coordination/redis',
  'http',
  'mail',
  'operations',
  'operations/health',
  'operations/metrics',
  'pictures',
  'providers',
  'replica',
  'service-settings',
  'storage',
  'traces',
].map((name) => `server/platform/${name}`);
/** What runs code, databases and pages that are not trusted. */
const RUNTIME = ['browser', 'bundler', 'cells', 'databases', 'egress', 'workerd'].map(
  (name) => `server/runtime/${name}`,
);
/** The pages of the service itself. */
const SITES = ['dashboard-site', 'docs-site', 'screens', 'templates'].map((name) => `server/sites/${name}`);
const PRODUCT = [
  'credits',
  'accounts',
  'oauth',
  'pages',
  'functions',
  'data',
  'history',
  'branches',
  'live',
  'teams',
  'forms',
  'analytics',
  'home',
  'imports',
  'trials',
  'checks',
  'attack',
  'features',
  'agents',
  'builder',
  'repairs',
  'reports',
  'admin',
  'backup',
  'privacy',
];
/** The parts that `server/app.ts` combines. */
const ENTRANCE = [
  'server/arrival.ts',
  'server/blob-keys.ts',
  'server/front-door.ts',
  'server/start-operations.ts',
  'server/start-platform.ts',
  'server/start-product',
  'server/start-runtime.ts',
];
/** What slices need from each other. All of them can import it. */
const PORTS = ['ports', 'merge-ports', 'moment-ports'].map((name) => `server/product/${name}.ts`);
/** The slice that each table belongs to. Other slices ask that slice. */
const TABLES: Record<string, string[]> = {
  accounts: [
    'users',
    'usage',
    'login_sessions',
    'tokens',
    'setup_codes',
    'account_links',
    'passkeys',
    'recovery_codes',
    'external_logins',
    'login_addresses',
    'old_usernames',
    'registration_invites',
  ],
  agents: ['agent_specs'],
  analytics: [
    'page_hours',
    'page_days',
    'page_referrers',
    'page_view_days',
    'page_feature_days',
    'page_errors',
  ],
  backup: ['backup_runs', 'backup_plans', 'backup_proofs'],
  attack: ['attack_findings', 'attack_reports'],
  builder: ['builder_runs', 'builder_progress'],
  repairs: ['repairs'],
  reports: ['page_reports'],
  checks: ['screenshots'],
  credits: [
    'credit_accounts',
    'credit_consents',
    'credit_reservations',
    'publish_consents',
    'ledger_entries',
    'ledger_transfers',
  ],
  data: [
    'collections',
    'collection_changes',
    'records',
    'record_changes',
    'record_counts',
    'record_indexes',
    'record_index_blocks',
    'record_index_entries',
    'record_search_texts',
    'record_search_words',
  ],
  features: ['images'],
  forms: ['page_forms', 'form_messages', 'form_texts', 'form_files', 'form_settings'],
  functions: [
    'functions',
    'function_ai_use',
    'function_databases',
    'function_logs',
    'function_secrets',
    'function_stats',
    'function_versions',
    'function_schedules',
    'function_jobs',
    'function_queues',
    'function_triggers',
    'function_durations',
    'saved_queries',
    'removed_functions',
  ],
  branches: ['branches', 'branch_mails'],
  history: ['moments', 'moment_snapshots', 'restores'],
  imports: ['page_samples', 'template_requests'],
  oauth: ['oauth_clients', 'oauth_codes', 'oauth_device_codes', 'oauth_grants'],
  pages: [
    'pages',
    'page_access',
    'page_agent_functions',
    'page_domains',
    'page_messages',
    'page_old_slugs',
    'page_people',
    'page_versions',
    'page_drafts',
    'page_pictures',
    'page_manifests',
    'page_blobs',
    'file_blobs',
  ],
  teams: ['team_files', 'team_invites', 'team_members'],
  'the platform': [
    'blob_trash',
    'nodes',
    'cluster_joins',
    'mails',
    'service_settings',
    'audit_entries',
    'audit_stream',
  ],
  'the databases of functions': ['database_snapshots'],
};
/**
 * Stores that join `users` for the name of the person who created a row. Lists of records, functions, versions and members show
 * it for every row, and a second query would make the hot ones slower.
 */
const NAMES_PEOPLE = [
  'attack/reports/store',
  'data/history/entry-store',
  'data/history/state-store',
  'data/records/store',
  'functions/administration/store',
  'functions/model/store',
  'history/restore-store',
  'history/store',
  'pages/administration/store',
  'pages/gallery/store',
  'pages/model/draft-store',
  'pages/model/version-store',
  'pages/shared/store',
  'teams/store',
].map((path) => `server/product/${path}.ts`);
/** The maximum number of source files in a folder, without tests. Migrations only become more. */
const MOST_FILES = 17;
const MIGRATIONS = 'server/platform/storage/migrations';

/** What every area of the dashboard can use. Areas do not know each other. */
const DASHBOARD_SHARED = [
  'dashboard/api.ts',
  'dashboard/branches',
  'dashboard/database',
  'dashboard/drafts.ts',
  'dashboard/first-steps',
  'dashboard/events.ts',
  'dashboard/router.tsx',
  'dashboard/session.ts',
  'dashboard/texts',
  'dashboard/ui',
  'dashboard/values',
  'dashboard/editor',
  'dashboard/grid',
  'dashboard/versions',
  'dashboard/webauthn.ts',
  'dashboard/wish',
];

/** The maximum lines of a function. */
const MOST_LINES = 60;
/** Keywords that name what handles them. */
const JSON_SCHEMA = ['allOf', 'anyOf', 'oneOf'];

interface Import {
  from: string;
  to: string;
}

const texts = new Map<string, string>();
const imports = await readImports('{contract,server,workers,sdk,dashboard,cli}');
const files = [...texts.keys()];

const isTest = (path: string) => path.endsWith('.test.ts');
const sources = files.filter((path) => !isTest(path));
const sourceImports = imports.filter(({ from, to }) => !isTest(from) && to !== 'package.json');
const say = ({ from, to }: Import) => `${from} -> ${to}`;

/** Reads the modules of these folders into `texts`, and returns what they import. */
async function readImports(folders: string): Promise<Import[]> {
  const paths = [...new Glob(`${folders}/**/*.{ts,tsx}`).scanSync(ROOT)].sort();
  const found: Import[] = [];
  for (const from of paths.filter((path) => !path.endsWith('.d.ts'))) {
    const text = await Bun.file(join(ROOT, from)).text();
    texts.set(from, text);
    for (const [, target = ''] of text.matchAll(/(?:from |import |import\()'(\.[^']+)'/g))
      found.push({ from, to: normalize(join(dirname(from), target)) });
  }
  return found;
}

/** Each circle as a line. */
function findCycles(arrows: Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of arrows) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const next of targets.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
}

/** The folder that a file belongs to: `server/product/pages`, `server/lib`, `cli`, or the file itself at the top of `server/`. */
function findFolder(path: string): string {
  const [top = '', second = '', third = ''] = path.split('/');
  if (top !== 'server') return top;
  if (!['platform', 'runtime', 'sites', 'product'].includes(second)) return `${top}/${second}`;
  const nested = PLATFORM.find((name) => name.split('/').length > 3 && path.startsWith(`${name}/`));
  return nested ?? `${top}/${second}/${third}`;
}

/** The layers of the server, from below. A folder can use those below its own. */
const LAYERS = [
  /^contract$/,
  /^server\/lib$/,
  /^server\/platform\//,
  /^server\/(runtime|sites)\//,
  /^server\/product\//,
  new RegExp(`^(${ENTRANCE.join('|')})$`),
  /^server\/app\.ts$/,
  /^server\/commands$/,
  /^server\/main\.ts$/,
];
const findLayer = (path: string) => LAYERS.findIndex((layer) => layer.test(findFolder(path)));

const inServer = sourceImports.filter(
  ({ from, to }) =>
    from.startsWith('server/') && to.startsWith('server/') && findFolder(from) !== findFolder(to),
);

test('lists every folder of the server', () => {
  const folders = new Set(sources.filter((path) => path.startsWith('server/')).map(findFolder));
  const known = [
    ...[...PLATFORM, ...RUNTIME, ...SITES],
    ...PRODUCT.map((name) => `server/product/${name}`),
    ...['server/lib', 'server/commands', 'server/app.ts', 'server/main.ts', ...PORTS],
    ...ENTRANCE,
  ];
  expect([...folders].sort()).toEqual(known.sort());
  expect(imports.length).toBeGreaterThan(100);
});

test('imports in the server only go down', () => {
  const up = inServer.filter(({ from, to }) => findLayer(to) > findLayer(from));
  expect(up.map(say)).toEqual([]);
});

test('the runtime and the sites do not import each other', () => {
  const isBeside = ({ from, to }: Import) => from.split('/')[1] !== to.split('/')[1];
  const across = inServer.filter(
    (each) => findLayer(each.from) === 3 && findLayer(each.to) === 3 && isBeside(each),
  );
  expect(across.map(say)).toEqual([]);
});

test('the folders of the platform, of the runtime and of the sites do not import each other in circles', () => {
  const arrows = inServer.filter(({ from }) => findLayer(from) === 2 || findLayer(from) === 3);
  expect(arrows.length).toBeGreaterThan(100);
  expect(findCycles(arrows.map(({ from, to }) => ({ from: findFolder(from), to: findFolder(to) })))).toEqual(
    [],
  );
});

test('no slice of the product imports another', () => {
  const isSlice = (path: string) => findFolder(path).startsWith('server/product/');
  const sideways = inServer.filter(({ from, to }) => isSlice(from) && isSlice(to) && !PORTS.includes(to));
  expect(sideways.map(say)).toEqual([]);
});

test('a slice uses only its own tables', async () => {
  const tables = await Bun.file(join(ROOT, 'server/platform/storage/tables/tables.ts')).text();
  const [, declared = ''] = /export interface Tables \{(.*?)\n\}/s.exec(tables) ?? [];
  const names = [...declared.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name ?? '');
  expect(Object.values(TABLES).flat().sort()).toEqual(names.sort());

  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  const strangers: string[] = [];
  for (const path of sources.filter((file) => file.startsWith('server/product/'))) {
    const own = TABLES[findFolder(path).replace('server/product/', '')] ?? [];
    // Comments are not SQL: the transpiler removes them.
    const text = transpiler.transformSync(texts.get(path) ?? '');
    const used = [
      ...text.matchAll(/\b(selectFrom|insertInto|updateTable|deleteFrom|\w+Join)\(\s*["'](\w+)/g),
      ...text.matchAll(/\b(from|join|into|update)\s+"?(\w+)/gi),
    ];
    for (const [, verb = '', table = ''] of used) {
      const isName = table === 'users' && verb.endsWith('Join') && NAMES_PEOPLE.includes(path);
      if (names.includes(table) && !own.includes(table) && !isName)
        strangers.push(`${path}: ${verb} ${table}`);
    }
  }
  expect(strangers).toEqual([]);
});

test('each top folder uses only code that runs in the same place, and the contract', () => {
  const allowed: Record<string, string[]> = {
    contract: [],
    server: ['contract', 'workers', 'cli'],
    workers: ['contract'],
    sdk: ['contract'],
    dashboard: ['contract'],
    cli: ['contract'],
  };
  const top = (path: string) => path.split('/')[0] ?? '';
  const wrong = sourceImports.filter(
    ({ from, to }) => top(from) !== top(to) && !allowed[top(from)]?.includes(top(to)),
  );
  expect(wrong.map(say)).toEqual([]);
  const protocol = imports.filter(
    ({ from, to }) => top(from) === 'server' && top(to) === 'workers' && to !== 'workers/protocol.ts',
  );
  expect(protocol.map(say)).toEqual([]);
  const framework = sourceImports.filter(
    ({ from, to }) => findFolder(from) !== 'cli' && findFolder(to) === 'cli',
  );
  expect(
    framework.filter(({ from }) => !['server/commands', 'server/main.ts'].includes(findFolder(from))),
  ).toEqual([]);
});

test('wire shapes are in the contract, and its rules do not need zod', async () => {
  const shapes = files.filter((path) => /^server\/product\/.*\/schema\.ts$/.test(path));
  expect(shapes).toEqual([]);
  const rules = files.filter((path) => path.startsWith('contract/rules/'));
  expect(rules.length).toBeGreaterThan(3);
  const texts = await Promise.all(rules.map((path) => Bun.file(join(ROOT, path)).text()));
  expect(rules.filter((_, index) => /from 'zod|import\('zod/.test(texts[index] ?? ''))).toEqual([]);
});

test('every route of the API implements an endpoint of the contract', () => {
  const wrong: string[] = [];
  for (const path of sources.filter((file) => file.startsWith('server/'))) {
    const text = texts.get(path) ?? '';
    // Paths can begin with a constant, of this file or another.
    const readConstant = (name: string) => {
      const definition = new RegExp(`const ${name} = ['\`]([^'\`]*)`);
      return [text, ...texts.values()].map((each) => definition.exec(each)?.[1]).find((each) => each) ?? '';
    };
    for (const [, given = ''] of text.matchAll(/\broute\(\{.*?\bpath: ([^,\n]+)/gs)) {
      const start = /^(?:`\$\{)?(\w+)/.exec(given)?.[1];
      const address = start === undefined ? given.slice(1) : readConstant(start);
      expect(address, `${path}: ${given}`).toStartWith('/');
      if (address.startsWith('/api/')) wrong.push(`${path}: ${given} is made by route() instead of handle()`);
    }
    if (/\bendpoints?\(\{/.test(text)) wrong.push(`${path} describes an endpoint`);
  }
  expect(wrong).toEqual([]);
});

test('only config knows all settings; other folders get what they need as arguments', () => {
  const readers = inServer.filter(
    ({ from, to }) => findFolder(to) === 'server/platform/config' && [1, 2, 3, 4].includes(findLayer(from)),
  );
  expect(readers.map(say)).toEqual([]);
});

test('folders are imported through their index, and lib and contract by file', () => {
  const through = inServer.filter(
    ({ to }) =>
      !to.endsWith('/index.ts') &&
      to.split('/').length > 2 &&
      findFolder(to) !== 'server/lib' &&
      !PORTS.includes(to),
  );
  expect(through.map(say)).toEqual([]);
});

test('there are no import cycles', async () => {
  expect(findCycles([...sourceImports, ...(await readImports('{bench,scripts,test}'))])).toEqual([]);
});

test('the rooms of the contract, of the command line and of a folder of the server do not import each other in circles', () => {
  const inServerFolders = [
    ...PLATFORM,
    ...RUNTIME,
    ...SITES,
    ...PRODUCT.map((name) => `server/product/${name}`),
  ];
  const folders = ['contract', 'cli', ...inServerFolders].map((folder) => `${folder}/`);
  const tied = folders.filter((folder) => {
    const room = (path: string) => path.slice(folder.length).split('/')[0] ?? '';
    const inside = sourceImports.filter(({ from, to }) => from.startsWith(folder) && to.startsWith(folder));
    const arrows = inside.map(({ from, to }) => ({ from: room(from), to: room(to) }));
    return findCycles(arrows.filter(({ from, to }) => from !== to)).length > 0;
  });
  expect(tied).toEqual([]);
});

test('no folder has too many files', () => {
  const counts = new Map<string, number>();
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  counts.delete(MIGRATIONS);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});

test('the areas of the dashboard import only shared code', () => {
  // Tests can import the service's own rules, to check that the dashboard agrees with them.
  const area = (path: string) => path.split('/').slice(0, 2).join('/');
  const inside = imports.filter(({ from }) => from.startsWith('dashboard/') && !isTest(from));
  expect(new Set(inside.map(({ from }) => area(from))).size).toBeGreaterThan(DASHBOARD_SHARED.length);
  const isRoot = (path: string) => ['dashboard/main.tsx', 'dashboard/app.tsx'].includes(path);
  const across = inside.filter(
    ({ from, to }) =>
      !isRoot(from) &&
      to.startsWith('dashboard/') &&
      area(from) !== area(to) &&
      !DASHBOARD_SHARED.includes(area(to)),
  );
  expect(across.map(say)).toEqual([]);
  const through = inside.filter(
    ({ from, to }) =>
      to.startsWith('dashboard/') &&
      area(from) !== area(to) &&
      to.split('/').length > 2 &&
      !/\/index\.tsx?$/.test(to),
  );
  expect(through.map(say)).toEqual([]);
});

test('the dashboard does not load zod, which is a quarter of its size', () => {
  const loaded = new Set(['dashboard/main.tsx']);
  const users: string[] = [];
  // The set grows while it is read.
  for (const path of loaded) {
    const text = texts.get(path) ?? '';
    if (/^import (?!type)[^;]*? from 'zod/m.test(text)) users.push(path);
    // Most screens load later, by import('…').
    // The bundle has only the methods and paths of endpoints.
    for (const [, target = ''] of text.matchAll(
      /(?:^(?:import|export) (?!type)[^;]*? from |^import |\bimport\()'(\.[^']+)'/gm,
    ))
      if (!target.endsWith('endpoints.ts')) loaded.add(normalize(join(dirname(path), target)));
  }
  expect([...loaded].filter((path) => path.startsWith('contract/rules/')).length).toBeGreaterThan(3);
  expect(loaded).toContain('dashboard/pages/data/records/index.tsx');
  expect(users).toEqual([]);
});

test('the dashboard uses the design tokens of the service, and no other style', async () => {
  const outside: string[] = [];
  for (const path of new Glob('dashboard/**/*.css').scanSync(ROOT)) {
    const text = await Bun.file(join(ROOT, path)).text();
    for (const [, target = ''] of text.matchAll(/@import "([^"]+)"/g)) {
      const to = normalize(join(dirname(path), target));
      if (!to.startsWith('dashboard/')) outside.push(say({ from: path, to }));
    }
  }
  expect(outside).toEqual(['dashboard/styles.css -> server/sites/screens/tokens.css']);
});

test('the SDK has no dependencies except parts of the contract without any', () => {
  const out = imports.filter(({ from, to }) => from.startsWith('sdk/') && !to.startsWith('sdk/'));
  expect([...new Set(out.map(({ to }) => to))].sort()).toEqual([
    'contract/data/collection-rules.ts',
    'contract/forms/limits.ts',
    'contract/functions/call-tickets.ts',
    'contract/live/limits.ts',
    'contract/rules/event-stream.ts',
    'contract/rules/pages/preview-header.ts',
    'contract/rules/storage-modes.ts',
  ]);
});

test('only config.ts reads the environment, and only main.ts passes it on', async () => {
  const readers: string[] = [];
  for (const path of files.filter((file) => !isTest(file))) {
    if (/process\.env|Bun\.env/.test(await Bun.file(join(ROOT, path)).text())) readers.push(path);
  }
  expect(readers).toEqual(['server/main.ts']);
});

test('the lock file contains no download URLs', async () => {
  const lock = await Bun.file(join(ROOT, 'package-lock.json')).text();
  expect(lock.includes('"resolved"')).toBe(false);
  for (const cpu of ['x64', 'aarch64']) expect(lock.includes(`@oven/bun-linux-${cpu}"`)).toBe(true);
});

/** Parsing takes a while on a busy machine. */
const PARSING_MS = 120_000;

test(
  'no function over 60 lines',
  () => {
    const long: string[] = [];
    for (const path of sources) {
      const text = texts.get(path) ?? '';
      if (text.split('\n').length > MOST_LINES) long.push(...longFunctions(path, text));
    }
    expect(long).toEqual([]);
  },
  PARSING_MS,
);

function longFunctions(path: string, text: string): string[] {
  const source = parse(path, text);
  const findLine = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const lines = findLine(node.end) - findLine(node.getStart()) + 1;
    // Inner functions are never longer than the whole.
    if (lines <= MOST_LINES) return;
    if (ts.isFunctionLike(node) && 'body' in node && node.body) found.push(`${path} ${findName(node)}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test(
  'the name of a function does not end in “Of”, but says what it does',
  async () => {
    const named: string[] = [];
    const all = new Glob('{bench,bin,cli,contract,dashboard,scripts,sdk,server,test,workers}/**/*.{ts,tsx}');
    for (const path of all.scanSync(ROOT)) {
      const text = texts.get(path) ?? (await Bun.file(join(ROOT, path)).text());
      if (/[a-z0-9]Of\b/.test(text)) named.push(...functionsWithoutVerb(path, text));
    }
    expect(named).toEqual([]);
  },
  PARSING_MS,
);

function functionsWithoutVerb(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const name = ts.isFunctionLike(node) ? findName(node) : '';
    if (/[a-z0-9]Of$/.test(name) && !JSON_SCHEMA.includes(name)) found.push(`${path} ${name}`);
    ts.forEachChild(node, visit);
  };
  visit(parse(path, text));
  return found;
}

function parse(path: string, text: string): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
}

function findName(node: ts.Node): string {
  const named = [node, node.parent].find((each) => each && 'name' in each && each.name) as
    | { name: ts.Node }
    | undefined;
  return named?.name.getText() ?? 'without a name';
}

test('no file has more than 320 lines', () => {
  const long: string[] = [];
  for (const path of files.filter((file) => !isTest(file))) {
    const lines = (texts.get(path) ?? '').split('\n').length;
    if (lines > 320) long.push(`${relative('', path)}: ${lines}`);
  }
  expect(long).toEqual([]);
});
