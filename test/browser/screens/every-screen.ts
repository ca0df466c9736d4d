import type { Person, Published, Stage } from '../../support/browser/stage.ts';
import { runSql } from '../../support/engines/storage.ts';
import { authorizeQuery, pkce } from '../../support/oauth.ts';
import { untilPrinted } from '../../support/server.ts';
import { openAccountScreens } from '../accounts/screens.ts';

/** Every screen of the service itself, in every state that has a URL. */
export interface EveryScreen {
  stage: Stage;
  visitor: Person;
  paths: Record<'guest' | 'visitor', string[]>;
  /** What visitors see in place of a page, or around it. */
  pages: Record<'locked' | 'takenDown' | 'anonymous' | 'withForm', Pick<Published, 'id' | 'slug'>>;
  /** What the browser of a guest needs to see them. */
  cookies: Array<{ name: string; value: string; url: string }>;
  close(): Promise<void>;
}

export async function openEveryScreen(): Promise<EveryScreen> {
  const opened = await openAccountScreens();
  const { stage, cookies } = opened;
  const owner = await stage.register('olga-screens');
  const visitor = await stage.register('a-name-as-long-as-they-may-be-32');
  const asking = { page_api_ai_enabled: true, page_api_image_gen_enabled: true, storage_mode: 'team_app' };
  const page = await stage.publish(owner, '<p>x', { name: 'Стихи 📚 قصائد <b>', ...asking });
  const long = await stage.publish(owner, '<p>x', { name: 'Wochenplan'.repeat(20), ...asking });
  const allowed = await stage.publish(owner, '<p>x', { name: 'Allowed', ...asking });
  const plain = await stage.publish(owner, '<p>x', { name: 'Plain' });
  const draft = await stage.publish(owner, '<p>x', { name: 'Draft', is_published: false });
  await stage.call('POST', '/api/credits/consents', {
    cookie: await fetchCookie(stage, visitor),
    body: { pageId: allowed.id, limit: 5 },
  });
  const invite = async (to: Published): Promise<string> => {
    const { token } = owner;
    const { body } = await stage.call('POST', `/api/pages/${to.id}/team/invite`, { body: {}, token });
    return new URL(body.inviteUrl).pathname;
  };
  const [toPage, toLong, toMember] = await Promise.all([invite(page), invite(long), invite(allowed)]);
  await stage.call('POST', `/api${toMember}`, { body: {}, token: visitor.token });
  const authorize = await askForAccess(stage);
  const html_content = `<title>${'Wochenplan'.repeat(20)}</title>`;
  const anonymous = (await stage.call('POST', '/api/publish', { body: { html_content } })).body;
  const claim = new URL(anonymous.claim);
  const toClaim = claim.pathname + claim.search;
  const setup = await untilPrinted(stage, /\/setup\?code=\S+/);
  const paths = {
    guest: [
      '/login',
      '/login?next=/docs/api',
      '/register',
      '/logout',
      '/logout?next=/docs/api',
      setup,
      '/setup?code=used',
      toPage,
      '/join/no-such-invite',
      toClaim,
      '/claim/1?code=unknown',
      `/p/${draft.slug}`,
      '/nothing',
      ...opened.paths,
    ],
    visitor: [
      `/try/build?wish=${'Wochenplan'.repeat(20)}`,
      '/logout',
      ...[page, long, allowed, plain].map(({ id }) => `/consent?page=${id}`),
      '/consent?page=999999',
      authorize(),
      authorize({ resource: `${stage.baseUrl}/p/${long.slug}/mcp` }),
      authorize({ response_type: 'token' }),
      authorize({ redirect_uri: 'https://evil.example/' }),
      '/device',
      '/device?user_code=BCDF-GHJK',
      toPage,
      toLong,
      toMember,
      toClaim,
      `/gallery/${long.id}/fork`,
    ],
  };
  for (const { id } of [page, long, plain]) await list(stage, owner, id);
  const pages = { ...(await publishSpecialPages(stage, owner)), anonymous };
  return { stage, visitor, paths, pages, cookies, close: opened.close };
}

async function list(stage: Stage, { token }: Person, id: number): Promise<void> {
  const { status } = await stage.call('PATCH', `/api/pages/${id}`, { token, body: { is_listed: true } });
  if (status !== 200) throw new Error(`page ${id} is not in the gallery: ${status}`);
}

async function publishSpecialPages(stage: Stage, owner: Person) {
  const name = 'Wochenplan'.repeat(20);
  const form =
    '<h1>Contact</h1><form data-quire-form="contact"><input name="name"><button>Send</button></form>';
  const access = { mode: 'password', password: 'open sesame' };
  const takenDown = await stage.publish(owner, '<p>x', { name });
  await runSql(
    { dataFolder: stage.dataFolder, databaseUrl: undefined },
    `update pages set taken_down_at = ${Date.now()}, taken_down_reason = '${name}' where id = ${takenDown.id}`,
  );
  return {
    takenDown,
    locked: await stage.publish(owner, '<p>x', { name, access }),
    withForm: await stage.publish(owner, form, { name }),
  };
}

async function askForAccess(stage: Stage): Promise<(more?: Record<string, string>) => string> {
  const app = { client_name: 'Wochenplan'.repeat(9), redirect_uris: ['https://wochenplan.example/callback'] };
  const { client_id } = (await stage.call('POST', '/oauth/register', { body: app })).body;
  const asked = { client_id, redirect_uri: app.redirect_uris[0] ?? '', ...pkce() };
  return (more = {}) => `/oauth/authorize?${authorizeQuery({ ...asked, more })}`;
}

async function fetchCookie(stage: Stage, { username }: Person): Promise<string> {
  const tab = await stage.enter({ id: 0, username, token: '' });
  const [cookie] = await tab.context().cookies(stage.baseUrl);
  await tab.context().close();
  return `${cookie?.name}=${cookie?.value}`;
}
