import { Database } from 'bun:sqlite';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { NAMESPACE, toFileName } from '../../../server/runtime/databases/folder.ts';
import type { Random } from '../../contract/fuzz/random.ts';
import type { TestApp, TestUser } from '../app.ts';
import { readSql } from '../engines/storage.ts';
import { assertIntact, assertSame } from '../functions/snapshots.ts';
import { waitUntil } from '../server.ts';

/** An application that changes at random: what it does, and all of it that goes back with a moment. */

const worker = (number: number) =>
  `export default { fetch: () => new Response("${number}"), scheduled() {} };`;
const COLLECTIONS = ['notes', 'guests', 'late'];
const WORDS = ['red', 'green', 'blue', 'black', 'white'];
const TITLE = { title: { type: 'string' }, n: { type: 'number' } };
const SCHEMAS = [
  { fields: TITLE },
  { fields: TITLE, indexes: ['n'] },
  { fields: TITLE, search: ['title'] },
  { fields: TITLE, indexes: ['n', 'title'], search: ['title'], rules: { read: 'member' } },
  { rules: { update: 'member', delete: 'owner' } },
];
const SCHEDULES = [[], [{ cron: '0 4 * * *' }], [{ cron: '0 4 * * *' }, { cron: '30 5 * * 1' }]];

interface Listed {
  id: string;
  data: { title: string; n: number };
}

/** What is compared: everything but the databases, and a copy of each database. */
export interface Seen {
  state: Record<string, unknown>;
  /** A copy of the database of each function. */
  copies: Map<string, string>;
}

export class RandomApplication {
  private constructor(
    private readonly quire: TestApp,
    private readonly owner: TestUser,
    private readonly random: Random,
    private readonly slugs: string[],
    readonly id: number,
    private readonly folder: string,
  ) {}

  private counter = 0;

  static async make(quire: TestApp, owner: TestUser, random: Random, name: string) {
    const slugs = [`${name}-one`, `${name}-two`, `${name}-plain`];
    for (const slug of slugs) await createFunction(owner, slug);
    const page = await owner.publish({ name, storage_mode: 'team_app', functions: slugs });
    const folder = mkdtempSync(join(quire.dataFolder, 'model-'));
    const made = new RandomApplication(quire, owner, random, slugs, page.id, folder);
    for (const slug of made.withDatabase())
      await made.sql(slug, 'create table items (id integer primary key, value)');
    return made;
  }

  async ok(method: string, path: string, body?: object) {
    const answer = await this.owner.call(method, path, body && { body });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  private withDatabase(): string[] {
    return this.slugs.filter((slug) => !slug.endsWith('-plain'));
  }

  private sql(slug: string, sql: string) {
    return this.ok('POST', `/api/functions/${slug}/database`, { sql });
  }

  private records(collection: string, rest = ''): string {
    return `/api/pages/${this.id}/team-data/${collection}${rest}`;
  }

  private async list(collection: string): Promise<Listed[]> {
    const answer = await this.owner.call('GET', this.records(collection, '?limit=100'));
    return answer.status === 404 ? [] : answer.body.records;
  }

  private async exists(slug: string): Promise<boolean> {
    return (await this.owner.call('GET', `/api/functions/${slug}`)).status === 200;
  }

  /** Changes one thing. */
  async change(): Promise<void> {
    await this.random.pick(this.operations)();
  }

  private readonly patch = (fields: object) => this.ok('PATCH', `/api/pages/${this.id}`, fields);

  private readonly patchFunction = async (fields: object) => {
    const slug = this.random.pick(this.slugs);
    if (await this.exists(slug)) await this.ok('PATCH', `/api/functions/${slug}`, fields);
  };

  private readonly addRecord = () =>
    this.ok('POST', this.records(this.random.pick(COLLECTIONS)), { data: this.makeData() });

  private makeData() {
    return { title: `${this.random.pick(WORDS)} ${this.random.pick(WORDS)}`, n: ++this.counter % 7 };
  }

  private readonly changeRecord = async (method: 'PATCH' | 'PUT' | 'DELETE') => {
    const collection = this.random.pick(COLLECTIONS);
    const records = await this.list(collection);
    if (records.length === 0) return;
    const path = this.records(collection, `/${this.random.pick(records).id}`);
    await this.ok(method, path, method === 'DELETE' ? undefined : { data: this.makeData() });
  };

  private readonly changeDatabase = async (sql: string) => {
    const slug = this.random.pick(this.withDatabase());
    if (await this.exists(slug)) await this.sql(slug, sql);
  };

  private readonly operations: Array<() => Promise<unknown>> = [
    () => this.patch({ html_content: `<p>${++this.counter}</p>` }),
    () => this.patch({ name: `Model ${++this.counter}`, spa: this.random.chance(0.5) }),
    () => this.patch({ description: `Description ${++this.counter}` }),
    async () => {
      const slugs: string[] = [];
      for (const slug of this.slugs)
        if (this.random.chance(0.7) && (await this.exists(slug))) slugs.push(slug);
      await this.patch({ functions: slugs });
    },
    () => this.patchFunction({ code: worker(++this.counter) }),
    () =>
      this.patchFunction({
        displayName: `Function ${++this.counter}`,
        schedules: this.random.pick(SCHEDULES),
      }),
    async () => {
      const slug = this.random.pick(this.slugs);
      if (await this.exists(slug)) await this.ok('DELETE', `/api/functions/${slug}`);
      else await createFunction(this.owner, slug);
    },
    this.addRecord,
    this.addRecord,
    this.addRecord,
    () => this.changeRecord('PATCH'),
    () => this.changeRecord('PATCH'),
    () => this.changeRecord('PUT'),
    () => this.changeRecord('DELETE'),
    async () => {
      const records = await this.list('notes');
      const operations = [
        { op: 'create', data: this.makeData() },
        ...records.slice(0, 3).map(({ id }) => ({ op: 'delete', id })),
        ...records.slice(3, 6).map(({ id }) => ({ op: 'update', id, data: this.makeData() })),
      ];
      await this.ok('POST', this.records('notes', '/batch'), { operations });
    },
    () =>
      this.ok('PUT', this.records(this.random.pick(COLLECTIONS), '/schema'), {
        schema: this.random.pick(SCHEMAS),
      }),
    () => this.owner.call('DELETE', this.records(this.random.pick(COLLECTIONS), '/schema')),
    () => this.changeDatabase('create table if not exists items (id integer primary key, value)'),
    () => this.changeDatabase(`create table if not exists extra${this.counter % 3} (k text primary key, v)`),
    () => this.changeDatabase('drop table if exists extra1'),
    ...this.onItems([
      () => `insert into items (value) values (${++this.counter}), (hex(randomblob(3000)))`,
      () => `insert into items (value) values (${++this.counter})`,
      () => `update items set value = ${++this.counter} where id % 3 = 0`,
      () => 'delete from items where id % 5 = 1',
      () => `create index if not exists by_value on items (value)`,
    ]),
  ];

  /** Statements about a table that a function that was made again does not have. */
  private onItems(statements: Array<() => string>) {
    return statements.map((make) => async () => {
      await this.changeDatabase('create table if not exists items (id integer primary key, value)');
      const slug = this.random.pick(this.withDatabase());
      if (!(await this.exists(slug))) return;
      await this.sql(slug, 'create table if not exists items (id integer primary key, value)');
      await this.sql(slug, make());
    });
  }

  async keep(): Promise<string> {
    return (await this.ok('POST', `/api/pages/${this.id}/moments`, { name: `Moment ${++this.counter}` })).at;
  }

  /** Everything of the application that goes back. Of functions, only those that belong to the page. */
  async read(): Promise<Seen> {
    const { page } = await this.ok('GET', `/api/pages/${this.id}`);
    const functions: Record<string, unknown> = {};
    const copies = new Map<string, string>();
    for (const slug of page.functions as string[]) {
      const { body } = await this.owner.call('GET', `/api/functions/${slug}`);
      const { code } = await this.ok('GET', `/api/functions/${slug}/code`);
      const schedules = (body.schedules ?? []).map(({ cron }: { cron: string }) => cron).sort();
      functions[slug] = { code, name: body.displayName, schedules };
      if (!slug.endsWith('-plain')) copies.set(slug, await this.copy(slug));
    }
    const collections: Record<string, unknown> = {};
    for (const collection of COLLECTIONS) collections[collection] = await this.readCollection(collection);
    const { name, html_content, spa, description } = page;
    return { state: { name, html_content, spa, description, functions, collections }, copies };
  }

  private async readCollection(collection: string) {
    const { status, body } = await this.owner.call('GET', this.records(collection, '/schema'));
    const records = await this.list(collection);
    const schema = status === 404 ? {} : body.schema;
    await this.checkQueries(collection, schema, records);
    return { schema, records: records.map(({ id, data }) => JSON.stringify([id, data])).sort() };
  }

  /** Indexes and searches must find what the records say. */
  private async checkQueries(
    collection: string,
    schema: { indexes?: string[]; search?: string[] },
    records: Listed[],
  ): Promise<void> {
    const find = async (query: Record<string, string>) =>
      (await this.ok('GET', this.records(collection, `?${new URLSearchParams({ limit: '100', ...query })}`)))
        .records as Listed[];
    const expectIds = (what: string, found: Listed[], expected: Listed[]) => {
      const [one, other] = [found, expected].map((each) =>
        each
          .map(({ id }) => id)
          .sort()
          .join(),
      );
      if (one !== other) throw new Error(`${what} in ${collection} found ${one}, and not ${other}`);
    };
    if (schema.indexes) {
      const n = this.counter % 7;
      expectIds(
        `n = ${n}`,
        await find({ where: JSON.stringify({ n }) }),
        records.filter((each) => each.data.n === n),
      );
    }
    if (schema.search) {
      await waitUntil(
        async () => (await this.ok('GET', this.records(collection, '/schema'))).search?.state === 'ready',
      );
      const q = this.random.pick(WORDS);
      const words = ({ data }: Listed) => data.title.split(' ');
      expectIds(
        `the search for ${q}`,
        await find({ q }),
        records.filter((each) => words(each).includes(q)),
      );
    }
  }

  /** Copies a database as its host has left it; nobody writes to it now. */
  private async copy(slug: string): Promise<string> {
    const database = await this.findDatabase(slug);
    const file = join(
      this.quire.dataFolder,
      'databases',
      String(this.owner.id),
      NAMESPACE,
      `${toFileName(database)}.sqlite`,
    );
    const copy = join(this.folder, `${++this.counter}.sqlite`);
    // The log first: what is moved into the file meanwhile is then in both.
    for (const suffix of ['-wal', ''])
      if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
    if (!existsSync(copy) || statSync(copy).size === 0) new Database(copy).run('create table unused (a)');
    return copy;
  }

  private async findDatabase(slug: string): Promise<number> {
    const [row] = await readSql<{ id: number }>(
      this.quire,
      `select database_id as id from functions where slug = '${slug}'`,
    );
    return Number(row?.id);
  }

  /** Restores a time, and returns the one that undoes it. */
  async restore(at: string): Promise<string> {
    return (await this.ok('POST', `/api/pages/${this.id}/restore`, { at })).undo;
  }

  /** Removes copies that no longer count. */
  forget(kept: Iterable<Seen>): void {
    const needed = new Set([...kept].flatMap(({ copies }) => [...copies.values()]));
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name);
      if (!needed.has(path.replace(/-(wal|shm)$/, ''))) rmSync(path);
    }
  }
}

async function createFunction(owner: TestUser, slug: string): Promise<void> {
  const body = { slug, code: worker(0), enableDatabase: !slug.endsWith('-plain') };
  const answer = await owner.call('POST', '/api/functions', { body });
  if (answer.status !== 201) throw new Error(`${slug}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Throws if the databases of an application are not what they were. */
export function assertSameDatabases(found: Seen, expected: Seen): void {
  for (const [slug, path] of expected.copies) {
    const other = found.copies.get(slug);
    if (other === undefined) throw new Error(`${slug} has no database`);
    const [one, two] = [new Database(other), new Database(path)];
    try {
      assertIntact(one);
      assertSame(one, two);
    } finally {
      one.close();
      two.close();
    }
  }
}
