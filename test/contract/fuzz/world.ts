import { COMMAND_LINE_CLIENT, DEVICE_CODE_GRANT } from '../../../contract/oauth/protocol.ts';
import type { LyingProvider } from '../../support/accounts/lying-provider.ts';
import { promote } from '../../support/backup.ts';
import type { TestSmtp } from '../../support/mail/smtp.ts';
import { hiddenFields } from '../../support/oauth.ts';
import { type Client, createClient, type Json, logIn, type Person, register, tokenFor } from './accounts.ts';
import { newPicture, newScreenshot } from './picture.ts';
import { fileForm } from './request.ts';

/** What requests are about: people, and their things, some of which are made again now and then. */

export const FUNCTION_CODE = `export default { async fetch(request, env) {
  const body = await request.text();
  console.log(body.length);
  return Response.json({ success: true, data: { length: body.length } });
}, scheduled() {} };`;

/** Responds in ways that a caller must be able to handle. */
const RUDE_CODE = `export default { async fetch(request) {
  const text = await request.text();
  const ways = [
    () => new Response('plain'),
    () => new Response(null, { status: 204 }),
    () => new Response('<h1>', { status: 404, headers: { 'content-type': 'text/html' } }),
    () => Response.json({ any: 'thing' }, { status: 418 }),
    () => new Response(null, { status: 302, headers: { location: '/elsewhere' } }),
    () => new Response(new Uint8Array(3)),
    () => { throw new Error('rude'); },
  ];
  return ways[text.length % ways.length]();
} };`;

const KINDS = ['solo', 'team', 'social'] as const;
export type Kind = (typeof KINDS)[number];

export interface Page {
  id: number;
  slug: string;
}

interface WorldPages extends Record<Kind, Page> {
  /** With every feature enabled, and the owner's consent. */
  page: Page;
  /** For updates. */
  scratch: Page;
}

interface People {
  owner: Person;
  other: Person;
  manager: Person;
  member: Person;
  viewer: Person;
  admin: Person;
  /** A user with sessions that come and go. */
  wanderer: Person;
}

let names = 0;
const NAME_START = `f${Date.now().toString(36)}`;
export const newName = () => `${NAME_START}-${++names}`;

export class World {
  readonly client: Client;
  refreshTokens: string[] = [];
  narrowToken = '';
  pageSession = '';
  image = '';
  screenshot = '';
  picture = '';
  functions = { plain: '', data: '' };
  /** Functions of someone else, private ones, and ones that misbehave. */
  private others = { pages: [] as Page[], functions: [] as string[] };

  private constructor(
    readonly baseUrl: string,
    readonly dataFolder: string,
    private readonly provider: LyingProvider,
    readonly smtp: TestSmtp,
    /** The address of a page elsewhere. */
    readonly elsewhere: string,
    readonly people: People,
    public pages: WorldPages,
  ) {
    this.client = createClient(baseUrl);
  }

  static async create(
    baseUrl: string,
    dataFolder: string,
    { provider, smtp, elsewhere }: { provider: LyingProvider; smtp: TestSmtp; elsewhere: string },
  ): Promise<World> {
    const client = createClient(baseUrl);
    // The name admin is reserved.
    const chooseUsername = (role: keyof People) => (role === 'admin' ? 'ada' : role);
    const named = async (role: keyof People) => [role, await register(client, chooseUsername(role))] as const;
    const roles = ['owner', 'other', 'manager', 'member', 'viewer', 'admin', 'wanderer'] as const;
    const people = Object.fromEntries(await Promise.all(roles.map(named))) as unknown as People;
    const { username } = people.admin;
    await promote({ dataFolder, databaseUrl: undefined }, username);
    people.admin.token = (await tokenFor(client, username, ['admin'])).accessToken;
    const world = new World(baseUrl, dataFolder, provider, smtp, elsewhere, people, {} as WorldPages);
    const made = await world.asOwner('POST', '/api/auth/tokens', { name: 'narrow', scopes: ['pages:read'] });
    world.narrowToken = made.token;
    // What the environment sets could not be changed.
    const { token } = people.admin;
    await client.call('PUT', '/api/admin/providers/image-search/connection', {
      token,
      json: { provider: 'demo' },
    });
    await client.call('PUT', '/api/admin/new-user-credits', { token, json: { credits: 20_000 } });
    for (const { id } of Object.values(people))
      await client.call('POST', `/api/admin/users/${id}/credits`, {
        token,
        json: { credits: 1_000_000, reason: 'for the run' },
      });
    await world.renewPages();
    await world.renewFunctions();
    await world.makeOthers();
    const { imageUrl } = await world.asOwner(
      'POST',
      `/api/pages/${world.pages.page.id}/generate-preview-image`,
    );
    world.image = new URL(imageUrl).pathname.split('/').at(-1) ?? '';
    const { pages } = world;
    world.screenshot = await newScreenshot({ ownerId: people.owner.id, pageId: pages.page.id }, dataFolder);
    const { id } = await world.newPage();
    await world.asOwner('PUT', `/api/pages/${id}/files/picture.webp`, {});
    world.picture = await newPicture(id, dataFolder);
    return world;
  }

  private async makeOthers(): Promise<void> {
    const { other } = this.people;
    const mode = { name: newName(), html_content: '<p>', storage_mode: 'team_app' };
    const publish = (json: object) => this.client.call('POST', '/api/pages', { token: other.token, json });
    const [theirs, draft] = await Promise.all([publish(mode), publish({ ...mode, is_published: false })]);
    const ownDraft = await this.newPage({ is_published: false, storage_mode: 'social_app' });
    const foreign = { slug: newName(), code: FUNCTION_CODE };
    await this.client.call('POST', '/api/functions', { token: other.token, json: foreign });
    this.others = {
      pages: [theirs.page, draft.page, ownDraft],
      functions: [
        foreign.slug,
        await this.newFunction({ isPublic: false }),
        await this.newFunction({ code: RUDE_CODE }),
      ],
    };
  }

  /** Values for a part of a path that are meant for another place. */
  othersFor(path: string, name: string): (string | number)[] {
    const pages = [...Object.values(this.pages), ...this.others.pages];
    if (name === 'id' && path.startsWith('/api/pages')) return pages.flatMap(({ id, slug }) => [id, slug]);
    if (path.startsWith('/p/')) return pages.map(({ slug }) => slug);
    if (name === 'slug') return [...this.others.functions, ...Object.values(this.functions), 'unfurl-url'];
    if (name === 'collection') return ['typed', 'shaped', 'none', 'Not_A_Name', 'x'.repeat(101)];
    if (name === 'userId') return ['me', ...Object.values(this.people).map(({ id }) => id)];
    return [];
  }

  asOwner(method: string, path: string, json?: unknown): Promise<Json> {
    return this.client.call(method, path, { token: this.people.owner.token, json });
  }

  /** Lets everybody register. */
  reopen(): Promise<Json> {
    const { token } = this.people.admin;
    return this.client.call('PUT', '/api/admin/registration', { token, json: { mode: 'open' } });
  }

  async newPage(fields: Record<string, unknown> = {}): Promise<Page> {
    const json = { name: newName(), html_content: '<!doctype html><title>t</title>', ...fields };
    const { page } = await this.asOwner('POST', '/api/pages', json);
    return page;
  }

  async newFunction(fields: Record<string, unknown> = {}): Promise<string> {
    const { slug } = await this.asOwner('POST', '/api/functions', {
      slug: newName(),
      code: FUNCTION_CODE,
      ...fields,
    });
    return slug;
  }

  async renewFunctions(): Promise<void> {
    const [plain, data] = await Promise.all([this.newFunction(), this.newFunction({ enableDatabase: true })]);
    await this.asOwner('POST', `/api/functions/${data}/database`, {
      sql: 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)',
    });
    this.functions = { plain, data };
  }

  async renewPages(): Promise<void> {
    const [page, scratch, solo, team, social] = await Promise.all([
      this.newPage({
        page_api_ai_enabled: true,
        page_api_image_gen_enabled: true,
        page_api_image_search_enabled: true,
        page_api_image_recognition_enabled: true,
      }),
      this.newPage(),
      this.newPage({ storage_mode: 'solo_app' }),
      this.newPage({ storage_mode: 'team_app' }),
      this.newPage({ storage_mode: 'social_app' }),
    ]);
    const { owner } = this.people;
    // Another request may have ended the session.
    owner.cookie = await logIn(this.client, owner.username);
    await this.asOwner('PATCH', `/api/pages/${page.id}`, { page_api_spawn_enabled: true });
    await this.client.call('POST', '/api/credits/consents', {
      cookie: owner.cookie,
      json: { pageId: page.id, limit: 1000 },
    });
    this.pages = { page, scratch, solo, team, social };
    await Promise.all([...KINDS.map((kind) => this.fill(kind)), this.gather(team.id)]);
    const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { text } = await this.client.call('GET', `/p/${page.slug}`, {
      cookie: owner.cookie,
      headers: navigation,
    });
    this.pageSession = /data-page-session="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  /** A record and a schema, in separate collections. */
  private async fill(kind: Kind): Promise<void> {
    await this.newRecord(kind);
    await this.newSchema(kind, 'typed');
  }

  newSchema(kind: Kind, collection: string): Promise<Json> {
    const json = { schema: { fields: { title: { type: 'string' } } } };
    return this.asOwner('PUT', `${this.dataPath(kind)}/${collection}/schema`, json);
  }

  async newRecord(kind: Kind): Promise<string> {
    const json = { data: { title: 'a', done: false, n: 1 } };
    return (await this.asOwner('POST', `${this.dataPath(kind)}/notes`, json)).id;
  }

  /** A record that was changed, and when. */
  async newChange(kind: Kind): Promise<{ id: string; at: string }> {
    const id = await this.newRecord(kind);
    const path = `${this.dataPath(kind)}/notes/${id}`;
    await this.asOwner('PATCH', path, { data: { title: 'b' } });
    const { changes } = await this.asOwner('GET', `${path}/history`);
    return { id, at: changes[0].at };
  }

  private dataPath(kind: Kind): string {
    return `/api/pages/${this.pages[kind].id}/${kind}-data`;
  }

  private async gather(teamId: number): Promise<void> {
    const { manager, member, viewer } = this.people;
    for (const [role, { token }] of Object.entries({ admin: manager, member, viewer })) {
      const { inviteCode } = await this.asOwner('POST', `/api/pages/${teamId}/team/invite`, { role });
      await this.client.call('POST', `/api/join/${inviteCode}`, { token });
    }
  }

  /** Connects a user with the provider of single sign-on. Returns the cookie of their session. */
  async newConnection(): Promise<string> {
    const cookie = await this.newCookie();
    const started = await fetch(`${this.baseUrl}/api/auth/single-sign-on`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: '{}',
    });
    const { url } = (await started.json()) as { url: string };
    const [flow = ''] = started.headers.getSetCookie().map((each) => each.split(';')[0]);
    const back = this.provider.logIn(url, { sub: newName() });
    await fetch(back, { headers: { cookie: `${cookie}; ${flow}` }, redirect: 'manual' });
    return cookie;
  }

  /** Someone in a team of their own who can be removed again. */
  async newMember() {
    const { other } = this.people;
    const { id, code } = await this.newInviteCode();
    await this.client.call('POST', `/api/join/${code}`, { token: other.token });
    return { id, userId: other.id };
  }

  /** An invite to a team of its own: removing a member ends the invites of the team. */
  async newInviteCode() {
    const { id } = await this.newPage({ storage_mode: 'team_app' });
    const { inviteCode } = await this.asOwner('POST', `/api/pages/${id}/team/invite`);
    return { id, code: inviteCode as string };
  }

  async newInvite() {
    const { id } = await this.newInviteCode();
    const { invites } = await this.asOwner('GET', `/api/pages/${id}/team/invites`);
    return { id, inviteId: invites[0].id as string };
  }

  async newFile(): Promise<string> {
    const { type, raw } = fileForm('a.txt', 'hello');
    const { token } = this.people.owner;
    const path = `/api/pages/${this.pages.team.id}/team-files`;
    return (await this.client.call('POST', path, { token, raw, headers: { 'content-type': type } })).id;
  }

  /** A message of a form of its own, which another request may delete otherwise. */
  async newFormMessage() {
    const { type, raw } = fileForm('a.txt', 'hello');
    const { id } = this.pages.page;
    const name = newName();
    const path = `/api/pages/${id}/forms/${name}`;
    await this.client.call('POST', path, { raw, headers: { 'content-type': type } });
    const [message] = (await this.asOwner('GET', path)).messages;
    return { id, name, messageId: message.id as string, fileId: message.files[0].id as string };
  }

  async newToken(): Promise<number> {
    return (await this.asOwner('POST', '/api/auth/tokens', { name: 'a', scopes: ['pages:read'] })).id;
  }

  /** The token of the dashboard of the owner. */
  async newDashboardToken(): Promise<string> {
    const { cookie } = this.people.owner;
    return (await this.client.call('POST', '/api/auth/session-token', { cookie })).accessToken;
  }

  newCookie(): Promise<string> {
    return logIn(this.client, this.people.wanderer.username);
  }

  /** Another session of an account whose sessions no other request ends. */
  async newSession(): Promise<{ cookie: string; id: number }> {
    const { username, cookie } = await register(this.client, newName());
    await logIn(this.client, username);
    const { sessions } = await this.client.call('GET', '/api/auth/sessions', { cookie });
    return { cookie, id: sessions.find(({ current }: { current: boolean }) => !current).id };
  }

  async takeRefreshToken(): Promise<string> {
    return this.refreshTokens.pop() ?? (await tokenFor(this.client, 'other', ['pages:read'])).refreshToken;
  }

  /** The code of a program that the owner has allowed. */
  async newDeviceCode(): Promise<string> {
    const json = { client_id: COMMAND_LINE_CLIENT, scope: 'pages:read' };
    const { device_code, user_code } = await this.client.call('POST', '/oauth/device_authorization', {
      json,
    });
    const { cookie } = this.people.owner;
    const screen = await this.client.call('POST', '/device', { cookie, json: { user_code } });
    const chosen = { preset: 'own', scope: ['pages:read'], sure: 'yes' };
    const answer = { ...hiddenFields(screen.text), ...chosen, answer: 'allow' };
    await this.client.call('POST', '/device', { cookie, json: answer });
    return device_code;
  }

  /** The id of an app that the owner has connected. */
  async newApp(): Promise<number> {
    await this.client.call('POST', '/oauth/token', {
      json: {
        grant_type: DEVICE_CODE_GRANT,
        client_id: COMMAND_LINE_CLIENT,
        device_code: await this.newDeviceCode(),
      },
    });
    const { apps } = await this.asOwner('GET', '/api/auth/apps');
    return apps[0].id;
  }

  /** Every sender, as the headers they send. */
  makeHeaders(role: string): Record<string, string> {
    const [name = '', way = 'token'] = role.split(' ');
    const person = this.people[name as keyof People];
    if (person)
      return way === 'cookie' ? { cookie: person.cookie } : { authorization: `Bearer ${person.token}` };
    if (role === 'narrow') return { authorization: `Bearer ${this.narrowToken}` };
    if (role === 'page-session') return { 'x-page-session': this.pageSession };
    return {};
  }

  readonly rolesWithoutSession = ['anonymous', 'narrow', 'page-session', 'owner', 'admin'];

  readonly roles = [
    ...['anonymous', 'narrow', 'page-session', 'owner', 'owner cookie', 'other', 'other cookie', 'manager'],
    ...['member', 'member cookie', 'viewer', 'viewer cookie', 'admin', 'admin cookie'],
  ];
}
