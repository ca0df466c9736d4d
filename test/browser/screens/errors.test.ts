import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { AppError } from '../../../server/lib/errors.ts';
import { createLimits } from '../../../server/platform/coordination/limits/index.ts';
import {
  createCookieJar,
  createLog,
  createRespondToError,
  EventStreams,
  mount,
  route,
  Sockets,
  TrialShare,
} from '../../../server/platform/http/index.ts';
import { errorScreen } from '../../../server/sites/screens/index.ts';
import { expectReadable, seriousFindings } from '../../support/browser/accessibility.ts';
import {
  arriveAtStart,
  closeTabs,
  newContext,
  type Person,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';

/** Errors as people see them. */

afterEach(closeTabs);

describe('a running service', () => {
  let stage: Stage;
  let owner: Person;
  beforeAll(async () => {
    stage = await sharedStage('origin');
    owner = await stage.register('olga-errors');
  });

  test('shows a stranger the same screen for a draft as for a missing page', async () => {
    const draft = await stage.publish(owner, '<p>draft', { name: 'Draft', is_published: false });
    const tab = await stage.enter(await stage.register('vera-errors'));
    const seen: string[] = [];
    for (const slug of [draft.slug, 'nothing']) {
      expect((await tab.goto(`${stage.baseUrl}/p/${slug}`))?.status()).toBe(404);
      seen.push(await tab.content());
    }
    expect(seen[0]).toBe(seen[1] ?? '');
    expect(await tab.locator('main').innerText()).toContain('Nothing here');
    await tab.getByRole('link', { name: 'Go to the start page' }).click();
    await arriveAtStart(tab, stage);
  });

  test('shows an error for a form that a path does not accept', async () => {
    const tab = await stage.enter();
    await tab.goto(`${stage.baseUrl}/login`);
    await tab.evaluate(`document.forms[0].action = '/p/nothing'; document.forms[0].noValidate = true`);
    await tab.getByRole('button', { name: 'Log in', exact: true }).click();
    await tab.getByRole('heading', { name: 'Not possible here' }).waitFor();
    expect(await tab.locator('main').innerText()).toContain('A page can only be read.');
    expect(await seriousFindings(tab)).toEqual([]);
  });
});

describe('a failing service', () => {
  let server: ReturnType<typeof Bun.serve>;
  let baseUrl: string;
  let isAway = true;

  beforeAll(() => {
    const fail = (error: Error) => () => {
      throw error;
    };
    const away = new AppError(
      'UNAVAILABLE',
      'The database does not answer right now.',
      {},
      {
        headers: { 'retry-after': '5' },
      },
    );
    const at = (path: string, handle: () => Response, method: 'GET' | 'POST' = 'GET') =>
      route({ method, path, access: { kind: 'public' }, summary: path, handle });
    const routes = [
      at('/broken', fail(new Error('a secret of the inside'))),
      at('/away', () => (isAway ? fail(away)() : new Response('back'))),
      at('/away', fail(away), 'POST'),
      at(
        '/limited',
        fail(
          new AppError(
            'RATE_LIMITED',
            'Too many. Try again in 2 minutes.',
            {},
            {
              headers: { 'retry-after': '99' },
            },
          ),
        ),
      ),
      at(
        '/form',
        () =>
          new Response('<form method=post action=/away><button>Send</button></form>', {
            headers: { 'content-type': 'text/html' },
          }),
      ),
    ];
    const nobody = async () => undefined;
    const respondAt = (baseUrl: string) =>
      createRespondToError({ baseUrl, log: createLog('silent'), translate: () => undefined, errorScreen });
    const options = {
      cookies: createCookieJar(false),
      identities: { byBearer: nobody, byLogin: nobody, byPageSession: nobody },
      log: createLog('silent'),
      findPageId: nobody,
      assertNotProtected: async () => undefined,
      isDiskLow: () => false,
      trialShare: new TrialShare(createLimits()),
      sockets: new Sockets({ maxSockets: 1, log: createLog('silent') }),
      streams: new EventStreams(),
    };
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        mount(routes, { baseUrl, ...options, respondToError: respondAt(baseUrl) })(request, {
          requestId: 'req-42',
          address: '127.0.0.1',
        }),
    });
    baseUrl = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.stop(true));

  async function open(path: string) {
    const tab = await (await newContext()).newPage();
    const response = await tab.goto(baseUrl + path);
    return { tab, status: response?.status(), headers: response?.headers() ?? {} };
  }

  test('shows what a person can report and no internals, in light and dark mode', async () => {
    const { tab, status } = await open('/broken');
    expect(status).toBe(500);
    const text = await tab.locator('main').innerText();
    expect(text).toContain('req-42');
    expect(text).not.toContain('secret');
    await expectReadable(tab);
  });

  test('lets a person try again when the database is unavailable', async () => {
    isAway = true;
    const { tab, status, headers } = await open('/away');
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    await tab.getByRole('heading', { name: 'Temporarily unavailable' }).waitFor();
    expect(await seriousFindings(tab)).toEqual([]);
    isAway = false;
    await tab.getByRole('link', { name: 'Try again' }).click();
    await tab.getByText('back', { exact: true }).waitFor();
  });

  test('sends no form twice', async () => {
    const { tab } = await open('/form');
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.getByText('Go back and send the form again.').waitFor();
    expect(await tab.getByRole('link', { name: 'Try again' }).count()).toBe(0);
  });

  test('says when to try again', async () => {
    const { tab, status, headers } = await open('/limited');
    expect([status, headers['retry-after']]).toEqual([429, '99']);
    expect(await tab.locator('main').innerText()).toContain('Try again in 2 minutes.');
  });
});
