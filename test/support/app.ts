import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, startApp } from '../../server/app.ts';
import { readConfig } from '../../server/platform/config/config.ts';
import { createLog } from '../../server/platform/http/index.ts';
import { migratedDatabase } from './engines/postgres.ts';
import { placeDatabase } from './engines/sqlite.ts';
import { runSql } from './engines/storage.ts';
import {
  type CallOptions,
  makeRequest,
  Overlooked,
  PASSWORD,
  readResponse,
  type TestResponse,
} from './http/call.ts';

export { PASSWORD, type TestResponse };

/** A whole service in this process, with a new folder and database, that is called without a socket. */
export interface TestApp {
  app: App;
  baseUrl: string;
  dataFolder: string;
  /** Where the data is, if not in the folder. */
  databaseUrl: string | undefined;
  /** Every line logged so far. */
  logs: string[];
  /** Moves the service's clock. */
  advance(milliseconds: number): void;
  /** Sends a request; `path` can be a full URL, for other hosts. */
  request(path: string, options?: RequestOptions): Promise<Response>;
  /** Sends JSON and reads JSON. */
  call(method: string, path: string, options?: AppCallOptions): Promise<TestResponse>;
  /** Registers a user and returns a client that calls as them. */
  user(name?: string): Promise<TestUser>;
  stop(): Promise<void>;
}

export interface TestUser {
  id: number;
  username: string;
  password: string;
  token: string;
  refreshToken: string;
  call(method: string, path: string, options?: AppCallOptions): Promise<TestResponse>;
  /** Logs in and returns the cookie. */
  login(): Promise<string>;
  /** Publishes a page and returns it. */
  publish(fields?: Record<string, unknown>): Promise<PublishedPage>;
}

export interface PublishedPage {
  id: number;
  slug: string;
  url: string;
}

interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
  peer?: string;
  /** The client disconnects when it aborts. */
  signal?: AbortSignal;
}

interface AppCallOptions extends CallOptions {
  peer?: string;
}

/** High limits, so that a test only reaches those it is about. */
const ROOMY = {
  QUIRE_REGISTRATIONS_PER_HOUR: '0',
  QUIRE_DEPLOYS_PER_HOUR: '0',
  // Requests are logged at this level.
  QUIRE_LOG_LEVEL: 'debug',
  // A browser for every page that a test publishes.
  QUIRE_PAGE_PICTURES: 'off',
};

/** Changes to the composition. */
type Composition = Pick<Parameters<typeof startApp>[0], 'extendOffer'>;

export async function testApp(
  settings: Record<string, string> = {},
  composition: Composition = {},
): Promise<TestApp> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-test-'));
  const hasOwn = settings.DATABASE_URL !== undefined;
  const database = hasOwn ? NO_DATABASE : await testDatabase(dataFolder);
  const config = readConfig({ ...ROOMY, QUIRE_DATA: dataFolder, ...database.settings, ...settings });
  const logs: string[] = [];
  const log = createLog(config.logLevel, { write: (line: string) => void logs.push(line) });
  let offset = 0;
  const app = await startApp({ config, log, now: () => Date.now() + offset, ...composition });

  const request = async (path: string, { peer = '127.0.0.1', ...init }: RequestOptions = {}) => {
    const sent = new Request(path.startsWith('/') ? config.baseUrl + path : path, init);
    // As every client does.
    if (typeof init.body === 'string' && !sent.headers.has('content-length'))
      sent.headers.set('content-length', String(Buffer.byteLength(init.body)));
    return app.fetch(sent, () => peer);
  };

  const overlooked = new Overlooked();
  async function call(method: string, path: string, options: AppCallOptions = {}): Promise<TestResponse> {
    const peer = options.peer && { peer: options.peer };
    const answer = await readResponse(await request(path, { ...makeRequest(method, options), ...peer }));
    return overlooked.watch(method, path, answer);
  }

  let users = 0;
  async function user(name = `user${++users}`): Promise<TestUser> {
    // Tests name people by their roles, and nobody can register as "admin".
    const username = name === 'admin' ? 'an-admin' : name;
    const registration = { username, email: `${name}@example.com`, password: PASSWORD };
    const { status, body } = await call('POST', '/api/auth/register', { body: registration });
    if (status !== 201) throw new Error(`registering ${name} failed: ${status} ${JSON.stringify(body)}`);
    const place = { dataFolder, databaseUrl: config.databaseUrl };
    if (username !== name)
      await runSql(place, `update users set username = '${name}' where id = ${body.userId}`);
    const callAs = (method: string, path: string, options: AppCallOptions = {}) =>
      call(method, path, { token: body.accessToken, ...options });
    return {
      id: body.userId,
      username: name,
      password: PASSWORD,
      token: body.accessToken,
      refreshToken: body.refreshToken,
      call: callAs,
      async login() {
        const answer = await call('POST', '/api/auth/login', {
          body: { username: name, password: PASSWORD },
        });
        return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      },
      async publish(fields = {}) {
        const page = { name: 'A page', html_content: '<!doctype html><title>t</title><p>Hello', ...fields };
        const answer = await callAs('POST', '/api/pages', { body: page });
        if (answer.status !== 201) throw new Error(`publishing failed: ${JSON.stringify(answer.body)}`);
        return answer.body.page;
      },
    };
  }

  return {
    app,
    baseUrl: config.baseUrl,
    dataFolder,
    databaseUrl: config.databaseUrl,
    logs,
    advance: (milliseconds) => {
      offset += milliseconds;
    },
    request,
    call,
    user,
    async stop() {
      await app.stop();
      await database.drop();
      rmSync(dataFolder, { recursive: true });
      overlooked.assertNone();
    },
  };
}

interface TestDatabase {
  settings: Record<string, string>;
  drop(): Promise<void>;
}

/** What a test gets that has a database of its own: no settings, and nothing to drop. */
const NO_DATABASE: TestDatabase = { settings: {}, drop: async () => undefined };

/** A new database on the engine of this test run. */
async function testDatabase(dataFolder: string): Promise<TestDatabase> {
  const { QUIRE_TEST_ENGINE: engine = 'sqlite', QUIRE_TEST_POSTGRES_URL: server } = process.env;
  if (engine === 'sqlite') {
    await placeDatabase(dataFolder);
    return NO_DATABASE;
  }
  if (!server) throw new Error('QUIRE_TEST_POSTGRES_URL is needed to test on PostgreSQL; npm test sets it');
  const { url, drop } = await migratedDatabase(server);
  return { settings: { DATABASE_URL: url }, drop };
}
