import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { REPAIRS_PER_DAY } from '../../../contract/repairs/kinds.ts';
import { type BuilderApp, startBuilderApp } from '../../support/agents/builder.ts';
import { BROKEN, reportError, untilEnded } from '../../support/agents/repairs.ts';
import { type TestUser, testApp } from '../../support/app.ts';

/** Which repairs are refused, and what is kept of visitors. There is no browser here, so every repair fails soon. */

let service: BuilderApp;
let ada: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  service = await startBuilderApp({ QUIRE_CHROMIUM: 'off' });
  ada = await service.quire.user();
  stranger = await service.quire.user();
});
afterAll(() => service.stop());

const publish = (fields: Record<string, unknown> = {}) => ada.publish({ html_content: BROKEN, ...fields });
const turn = (id: number, repair: boolean, as = ada) =>
  as.call('PATCH', `/api/pages/${id}`, { body: { repair } });
const report = (page: Parameters<typeof reportError>[1], more = {}) =>
  reportError({ quire: service.quire, owner: ada }, page, more);
const start = (id: number, error: string, as: Pick<TestUser, 'call'> = ada) =>
  as.call('POST', `/api/pages/${id}/errors/${error}/repair`, { body: {} });
const readErrors = async (id: number) => (await ada.call('GET', `/api/pages/${id}/errors`)).body.errors;

async function makeRepairable() {
  const page = await publish();
  await turn(page.id, true);
  return { page, error: await report(page) };
}

describe('a repair is refused', () => {
  test('on a page whose owner has not turned repairs on, where nothing of visits is kept', async () => {
    const page = await publish();
    const error = await report(page);
    expect((await readErrors(page.id))[0].context).toBeNull();
    const { status, body } = await start(page.id, error);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect(body.error).toStartWith('Repairs are off for this page.');
    const { body: list } = await ada.call('GET', `/api/pages/${page.id}/repairs`);
    expect(list).toEqual({ repairs: [], enabled: false, problem: null, left: REPAIRS_PER_DAY });
  });

  test('for an error without its visit, and one that does not exist', async () => {
    const page = await publish();
    const error = await report(page);
    await turn(page.id, true);
    expect((await start(page.id, error)).body.error).toStartWith('What led to this error was not kept');
    expect((await start(page.id, '0123456789abcdef')).status).toBe(404);
  });

  test('for strangers, and for an admin of the team, who cannot turn it on either', async () => {
    const page = await publish({ storage_mode: 'team_app' });
    await turn(page.id, true);
    const error = await report(page);
    expect((await start(page.id, error, stranger)).status).toBe(403);
    expect((await stranger.call('GET', `/api/pages/${page.id}/repairs`)).status).toBe(403);
    const invite = await ada.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role: 'admin' } });
    const code = /[^/]+$/.exec(invite.body.inviteUrl)?.[0];
    expect((await stranger.call('POST', `/api/join/${code}`)).status).toBe(200);
    expect((await stranger.call('GET', `/api/pages/${page.id}/errors`)).status).toBe(200);
    // A repair shows the code of functions.
    expect((await stranger.call('GET', `/api/pages/${page.id}/repairs`)).status).toBe(403);
    expect((await stranger.call('GET', `/api/pages/${page.id}/repairs/${crypto.randomUUID()}`)).status).toBe(
      403,
    );
    expect((await start(page.id, error, stranger)).status).toBe(403);
    expect((await turn(page.id, false, stranger)).status).toBe(403);
  });

  test('with a token that cannot spend credits', async () => {
    const { page, error } = await makeRepairable();
    const body = { name: 'program', scopes: ['pages:read', 'pages:write'] };
    const { token } = (await ada.call('POST', '/api/auth/tokens', { body })).body;
    const refused = await service.quire.call('POST', `/api/pages/${page.id}/errors/${error}/repair`, {
      token,
      body: {},
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  test('without credits', async () => {
    const poor = await startBuilderApp({ QUIRE_CHROMIUM: 'off', QUIRE_CREDITS_NEW_USER: '0' });
    const owner = await poor.quire.user();
    const page = await owner.publish({ html_content: BROKEN });
    await turn(page.id, true, owner);
    const error = await reportError({ quire: poor.quire, owner }, page);
    const { status, body } = await start(page.id, error, owner);
    expect([status, body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    await poor.stop();
  });

  test('on a branch, whose setting cannot be turned on', async () => {
    const page = await publish();
    const branch = await ada.call('POST', `/api/pages/${page.id}/branches`, {
      body: { name: 'try', data: 'schema' },
    });
    const { status, body } = await turn(branch.body.page.id, true);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
  });

  test('without a model that can call tools', async () => {
    const quire = await testApp({ QUIRE_CHROMIUM: 'off' });
    const owner = await quire.user();
    const page = await owner.publish({ html_content: BROKEN });
    await turn(page.id, true, owner);
    const error = await reportError({ quire, owner }, page);
    const { status, body } = await start(page.id, error, owner);
    expect([status, body.code]).toEqual([501, 'NOT_INSTALLED']);
    expect((await owner.call('GET', `/api/pages/${page.id}/repairs`)).body.problem).toContain(
      'language model',
    );
    await quire.stop();
  });

  test('the sixth time in a day, and each says why it failed and leaves no branch', async () => {
    const { page, error } = await makeRepairable();
    for (let left = REPAIRS_PER_DAY; left > 0; left--) {
      const { status, body } = await start(page.id, error);
      expect(status).toBe(202);
      const ended = await untilEnded(ada, page.id, body.id);
      expect(ended).toMatchObject({ outcome: 'failed', branch: null });
      expect(ended.reason?.message).toContain('QUIRE_CHROMIUM');
    }
    const { status, body } = await start(page.id, error);
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await ada.call('GET', `/api/pages/${page.id}/repairs`)).body).toMatchObject({ left: 0 });
    expect((await ada.call('GET', `/api/pages/${page.id}/branches`)).body.branches).toEqual([]);
  }, 60_000);
});

describe('what is kept of a visit', () => {
  test('has no text of the visitor, no name of others, no query and no person', async () => {
    const page = await publish();
    await turn(page.id, true);
    await report(page, {
      visit: {
        url: `${page.url}?token=secret`,
        width: 800,
        steps: [
          { type: { name: 'Name', text: 'Grace Hopper, 12 Main St' } },
          { click: { role: 'button', name: 'Delete the entry of Grace' } },
          { select: { name: 'Grace', text: 'First item' } },
          { press: 'Enter' },
        ],
      },
    });
    const [{ context }] = await readErrors(page.id);
    expect(context).toEqual({
      kind: 'visit',
      path: '',
      as: 'nobody',
      width: 800,
      steps: [
        { type: { name: 'Name', text: 'Xxxxx Xxxxxx, 11 Xxxx Xx' } },
        { click: { role: 'button' } },
        { select: { text: 'First item' } },
        { press: 'Enter' },
      ],
    });
  });

  test('is that of the first visit in a version, also if somebody repeats the error with other steps', async () => {
    const page = await publish();
    await turn(page.id, true);
    const visited = (press: 'Enter' | 'Escape') =>
      report(page, { visit: { url: page.url, width: 800, steps: [{ press }] } });
    const readSteps = async () => (await readErrors(page.id))[0].context.steps;
    // Each report is written when the list is read.
    await visited('Enter');
    expect(await readSteps()).toEqual([{ press: 'Enter' }]);
    await visited('Escape');
    expect(await readSteps()).toEqual([{ press: 'Enter' }]);
    const changed = { html_content: BROKEN.replace('List', 'Items') };
    expect((await ada.call('PATCH', `/api/pages/${page.id}`, { body: changed })).status).toBe(200);
    await visited('Escape');
    expect(await readSteps()).toEqual([{ press: 'Escape' }]);
  });

  test('has only the parts of the path that the author wrote', async () => {
    const page = await publish();
    await turn(page.id, true);
    await report(page, {
      visit: { url: `${page.url}/list/4711/grace@mail.test`, width: 800, steps: [] },
    });
    expect((await readErrors(page.id))[0].context.path).toBe('xxxx/1111/xxxxx%40xxxx.xxxx');
  });

  test('is nothing if it is too long, and is refused if it is not a visit', async () => {
    const page = await publish();
    await turn(page.id, true);
    const text = '\u0001'.repeat(600);
    const steps = Array.from({ length: 12 }, () => ({ type: { name: 'Name', text: text.slice(0, 90) } }));
    await report(page, { visit: { url: page.url, width: 800, steps } });
    expect((await readErrors(page.id))[0].context).toBeNull();
    const wrong = { message: 'x', visit: { url: page.url, width: 800, steps: [{ jump: 1 }] } };
    expect((await service.quire.call('POST', `/api/pages/${page.id}/errors`, { body: wrong })).status).toBe(
      400,
    );
  });

  test('goes with the error, and with the page', async () => {
    const { page, error } = await makeRepairable();
    const { body } = await start(page.id, error);
    await untilEnded(ada, page.id, body.id);
    expect((await ada.call('DELETE', `/api/pages/${page.id}/errors/${error}`)).status).toBe(204);
    expect(await readErrors(page.id)).toEqual([]);
    expect((await ada.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
    expect((await ada.call('GET', `/api/pages/${page.id}/repairs`)).status).toBe(404);
  });
});
