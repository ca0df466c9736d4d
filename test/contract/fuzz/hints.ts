import { COMMAND_LINE_CLIENT, DEVICE_CODE_GRANT } from '../../../contract/oauth/protocol.ts';
import { PASSWORD } from '../../support/http/call.ts';
import { BRANCH_HINTS } from './branch-hints.ts';
import { DRAFT_HINTS } from './draft-hints.ts';
import type { Give, Hint } from './hint.ts';
import { JOB_HINTS } from './job-hints.ts';
import { MOMENT_HINTS } from './moment-hints.ts';
import { COSTLY_FOR_PEOPLE, PEOPLE_HINTS } from './people-hints.ts';
import type { Random } from './random.ts';
import { REPORT_HINTS } from './report-hints.ts';
import { fileForm } from './request.ts';
import { PNG, SERVICE_HINTS } from './service-hints.ts';
import { FUNCTION_CODE, type Kind, newName, type World } from './world.ts';

const credentials = (username: string) => ({ username, password: PASSWORD });
const ACCOUNTS: Record<string, Give> = {
  register: () => {
    const username = newName();
    return { json: { username, email: `${username}@example.com`, password: PASSWORD } };
  },
  createToken: (_, random) => ({
    json: { ...credentials('owner'), ...(random.chance(0.5) && { scopes: ['pages:read'] }) },
  }),
  refreshToken: async (world) => ({ json: { refreshToken: await world.takeRefreshToken() } }),
  createPersonalToken: () => ({
    fields: { name: 'a token', scopes: ['pages:read'], creditLimit: undefined },
  }),
  deletePersonalToken: async (world) => ({ params: { id: await world.newToken() } }),
  logIn: () => ({ json: credentials('wanderer') }),
  logOut: async (world) => ({ role: 'anonymous', headers: { cookie: await world.newCookie() } }),
  deleteOtherSessions: () => ({ role: 'wanderer cookie' }),
  async deleteSession(world) {
    const { cookie, id } = await world.newSession();
    return { role: 'anonymous', headers: { cookie }, params: { id } };
  },
  changePassword: () => ({ role: 'wanderer cookie', json: { current: PASSWORD, next: PASSWORD } }),
  connectSingleSignOn: () => ({ json: {} }),
  disconnectSingleSignOn: async (world) => ({
    role: 'anonymous',
    headers: { cookie: await world.newConnection() },
    json: {},
  }),
  giveConsent: (world) => ({ fields: { pageId: world.pages.page.id, limit: 1000 } }),
  async withdrawConsent(world) {
    const { id } = world.pages.solo;
    const { cookie } = world.people.owner;
    await world.client.call('POST', '/api/credits/consents', { cookie, json: { pageId: id, limit: 1 } });
    return { params: { pageId: id } };
  },
  grantCredits: (world) => ({ params: { id: world.people.owner.id }, fields: { reason: 'a present' } }),
};

const OAUTH: Record<string, Give> = {
  registerClient: () => ({
    json: {
      client_name: 'An app',
      redirect_uris: ['https://app.example/callback', 'http://127.0.0.1/callback'],
    },
  }),
  authorizeDevice: () => ({ json: { client_id: COMMAND_LINE_CLIENT } }),
  exchangeToken: async (world) => ({
    json: {
      grant_type: DEVICE_CODE_GRANT,
      client_id: COMMAND_LINE_CLIENT,
      device_code: await world.newDeviceCode(),
    },
  }),
  revokeToken: (world) => ({ json: { client_id: COMMAND_LINE_CLIENT, token: world.narrowToken } }),
  disconnectApp: async (world) => ({ params: { id: await world.newApp() } }),
  getProtectedPage: (world) => ({ params: { slug: world.pages.page.slug } }),
};

const makeDomain: Give = async (world) => {
  const { id } = await world.newPage();
  const path = `/api/pages/${id}/domains`;
  const { domain } = await world.asOwner('POST', path, { domain: `${newName()}.example.com` });
  return { params: { id, domain } };
};

/** Values that fit together. A page that is not published cannot be listed, and random people do not exist. */
const settings = (random: Random) => ({
  access: random.pick([undefined, { mode: 'private' }, { mode: 'password', password: 'open' }]),
  functions: undefined,
  agent_functions: undefined,
  is_listed: undefined,
});

/** A page that everybody can see. Another request may have closed the one for updates. */
const openPage = ({ pages: { scratch: _, ...open } }: World, random: Random) =>
  random.pick(Object.values(open));

const PAGES: Record<string, Give> = {
  addDomain: () => ({ json: { domain: `${newName()}.example.com` } }),
  getDomain: makeDomain,
  verifyDomain: makeDomain,
  removeDomain: makeDomain,
  allowCertificate: () => ({ query: { domain: 'localhost' } }),
  // Only for the dashboard, whose token comes from a login.
  createPreviewSession: async (world) => ({
    role: 'owner',
    headers: { authorization: `Bearer ${await world.newDashboardToken()}` },
  }),
  createPage: (_, random) => ({ fields: { name: newName(), ...settings(random) } }),
  lookUpPage: (world) => ({ query: { slug: world.pages.page.slug } }),
  updatePage: (world, random) => ({
    params: { id: world.pages.scratch.id },
    fields: {
      base_version: undefined,
      slug: random.chance(0.3) ? newName() : undefined,
      ...settings(random),
    },
  }),
  async giveUpSlug(world) {
    const { id, slug } = await world.newPage();
    await world.asOwner('PATCH', `/api/pages/${id}`, { slug: newName() });
    return { params: { id, slug } };
  },
  deletePage: async (world) => ({ params: { id: (await world.newPage()).id } }),
  getPageVersion: () => ({ params: { version: 1 } }),
  restorePageVersion: (world) => ({ params: { id: world.pages.scratch.id, version: 1 } }),
  replacePageFiles: (world, random) => ({
    params: { id: world.pages.scratch.id },
    query: { base_version: undefined },
    ...fileForm(`${random.word()}.txt`, random.word(random.int(0, 200))),
  }),
  listPageFiles: () => ({ query: { version: undefined } }),
  readPageFile: () => ({ params: { path: 'index.html' }, query: { version: undefined } }),
  writePageFile: (world) => ({
    params: { id: world.pages.scratch.id, path: newName() },
    query: { base_version: undefined },
  }),
  async deletePageFile(world) {
    const { id } = await world.newPage();
    const path = newName();
    await world.asOwner('PUT', `/api/pages/${id}/files/${path}`, {});
    return { params: { id, path }, query: { base_version: undefined } };
  },
  async resolvePageError(world) {
    const { id } = await world.newPage();
    await world.asOwner('POST', `/api/pages/${id}/errors`, { message: 'x is not defined' });
    const { errors } = await world.asOwner('GET', `/api/pages/${id}/errors`);
    return { params: { id, fingerprint: errors[0].fingerprint } };
  },
  addPageMessage: () => ({ fields: { content: 'Make it blue.' } }),
  renewPageSession: (world) => ({ role: 'page-session', params: { id: world.pages.page.id } }),
  givePagePassword: async (world) => {
    const { id } = await world.newPage({ access: { mode: 'password', password: 'open' } });
    return { params: { id }, json: { password: 'open' } };
  },
  // Steps and visitors must fit the page.
  // Steps that are made up are of several kinds at once.
  reportPageError: () => ({ fields: { visit: undefined } }),
  checkPage: () => ({ fields: { draft: undefined, path: undefined, as: 'nobody', steps: undefined } }),
  generatePreviewImage: () => ({ fields: { html: '<h1>Hello</h1>', source: 'drawn' } }),
  getScreenshot: (world) => ({ params: { file: world.screenshot } }),
  getPagePicture: (world) => ({ params: { file: world.picture } }),
  getImage: (world) => ({ params: { file: world.image } }),
  viewPage: (world, random) => ({
    params: { slug: openPage(world, random).slug },
    role: random.pick(['anonymous', 'owner cookie']),
  }),
  describePage: (world, random) => ({ params: { slug: openPage(world, random).slug } }),
  async viewPageFile(world, random) {
    const { id, slug } = await world.newPage(random.chance(0.2) ? { access: { mode: 'private' } } : {});
    await world.asOwner('PUT', `/api/pages/${id}/files/a.txt`, {});
    const range = random.pick([undefined, 'bytes=0-0', 'bytes=-1', 'bytes=9-', 'bytes=0-0,1-1']);
    return { params: { slug, path: 'a.txt' }, headers: { ...(range && { range }) } };
  },
  recognizeImage: () => ({ json: { prompt: 'What is it?', image_base64: PNG, mime_type: 'image/png' } }),
  // A result needs the call before it, and the vendor answers in words.
  chat: () => ({
    fields: {
      system_prompt: 'Be brief.',
      maxTokens: 50,
      messages: [{ role: 'user', content: 'Hello' }],
      model: undefined,
      tools: undefined,
      response_format: undefined,
    },
  }),
};

const TEAMS: Record<string, Give> = {
  sendInvite: () => ({ fields: { email: `${newName()}@example.com` } }),
  deleteInvite: async (world) => ({ params: await world.newInvite() }),
  updateMember: (world) => ({ params: { userId: world.people.viewer.id } }),
  removeMember: async (world) => ({ params: await world.newMember() }),
  getInvite: async (world) => ({ params: await world.newInviteCode() }),
  joinTeam: async (world) => ({ role: 'other', params: await world.newInviteCode() }),
  uploadTeamFile: (_, random) => fileForm(`${random.word()}.txt`, random.word(random.int(0, 200))),
  downloadTeamFile: async (world) => ({ params: { fileId: await world.newFile() } }),
  deleteTeamFile: async (world) => ({ params: { fileId: await world.newFile() } }),
};

const makeMessage: Give = async (world) => ({ params: await world.newFormMessage() });
const FORMS: Record<string, Give> = {
  submitForm: () => ({ json: { name: 'Ada', message: 'Hello' }, type: 'application/json' }),
  getFormMessage: makeMessage,
  markForm: makeMessage,
  markFormMessage: makeMessage,
  deleteForm: makeMessage,
  deleteFormMessage: makeMessage,
  downloadFormFile: makeMessage,
};

const SQL = [
  'SELECT 1 AS one',
  'SELECT * FROM things',
  "INSERT INTO things (name) VALUES ('a')",
  'SELECT count(*) AS n, NULL AS none, 1.5 AS f FROM things',
  'UPDATE things SET name = upper(name)',
];

async function newSavedQuery(world: World): Promise<number> {
  const path = `/api/functions/${world.functions.data}/database/queries`;
  const { id } = await world.asOwner('POST', path, { name: newName(), sql: SQL[0] });
  // Keeps the number below its limit, however long this runs.
  const { queries } = await world.asOwner('GET', path);
  for (const old of queries.slice(0, Math.max(0, queries.length - 50)))
    if (old.id !== id) await world.asOwner('DELETE', `${path}/${old.id}`);
  return id;
}

/** A random text is not a path, and not a time. */
const deployed = (random: Random) => ({
  files: random.pick([undefined, {}, { 'lib/x.js': 'export const x = 1;' }]),
  schedules: random.pick([undefined, [], [{ cron: '0 3 * * *', timezone: 'Europe/Berlin' }]]),
  // Without a URL, the code has to take messages.
  on: random.pick([
    undefined,
    [],
    [{ collection: 'orders', actions: ['create'], url: 'https://example.com/' }],
  ]),
});

const FUNCTIONS: Record<string, Give> = {
  createFunction: (_, random) => ({
    fields: {
      slug: newName(),
      code: FUNCTION_CODE,
      useDatabase: undefined,
      // Only a branch of a page can be named.
      pageId: undefined,
      ...deployed(random),
    },
  }),
  updateFunction: (_, random) => ({
    fields: {
      code: random.chance(0.5) ? FUNCTION_CODE : undefined,
      baseVersion: undefined,
      ...deployed(random),
    },
  }),
  runFunctionSchedule: () => ({ fields: { cron: undefined } }),
  getFunctionVersion: () => ({ params: { version: 1 } }),
  restoreFunctionVersion: () => ({ params: { version: 1 } }),
  deleteFunction: async (world) => ({ params: { slug: await world.newFunction() } }),
  setSecret: () => ({ params: { name: 'KEY' }, fields: { value: 'a secret' } }),
  async deleteSecret(world) {
    await world.asOwner('PUT', `/api/functions/${world.functions.plain}/secrets/GONE`, { value: 'a' });
    return { params: { name: 'GONE' } };
  },
  queryDatabase: (_, random) => ({ json: { sql: random.pick(SQL) } }),
  createSavedQuery: (_, random) => ({ json: { name: newName(), sql: random.pick(SQL) } }),
  updateSavedQuery: async (world) => ({
    params: { id: await newSavedQuery(world) },
    fields: { name: newName() },
  }),
  deleteSavedQuery: async (world) => ({ params: { id: await newSavedQuery(world) } }),
  importDatabase: () => ({ raw: "INSERT INTO things (name) VALUES ('b'); SELECT 1;" }),
  // Another request may have made the others private.
  createCallTicket: async (world) => ({ json: { function: await world.newFunction() } }),
  // Only functions of a page are tested on behalf of its visitors.
  testFunction: (_, random) => ({
    query: { quire_as: undefined },
    json: random.chance(0.8) ? { a: random.word() } : undefined,
  }),
  callFunction: (_, random) => ({ json: random.chance(0.8) ? { a: random.word() } : undefined }),
};

const WHERE = [
  '{}',
  '{"done":false}',
  '{"n":{"gte":1}}',
  '{"or":[{"title":"a"},{"n":{"in":[1,2]}}]}',
  '{"title":{"contains":"a"}}',
];
const ORDER = ['created_at', 'updatedAt', 'data.title', 'data.a.b'];

function dataHints(kind: Kind): Record<string, Give> {
  const Kind = kind.charAt(0).toUpperCase() + kind.slice(1);
  const recordId: Give = async (world) => ({ params: { recordId: await world.newRecord(kind) } });
  // Only collections with search fields can be searched.
  const listing = (random: Random) => ({
    where: random.chance(0.5) ? random.pick(WHERE) : undefined,
    q: undefined,
  });
  return {
    [`list${Kind}Records`]: async (world, random) => ({
      query: {
        ...listing(random),
        orderBy: random.chance(0.5) ? random.pick(ORDER) : undefined,
        after: random.chance(0.1) ? await world.newRecord(kind) : undefined,
        before: undefined,
        ...(random.chance(0.7) && { mine: undefined }),
      },
    }),
    [`count${Kind}Records`]: (_, random) => ({
      query: { ...listing(random), groupBy: random.chance(0.5) ? 'title' : undefined },
    }),
    [`get${Kind}Record`]: recordId,
    [`update${Kind}Record`]: recordId,
    [`replace${Kind}Record`]: recordId,
    [`delete${Kind}Record`]: recordId,
    [`list${Kind}RecordHistory`]: async (world) => ({
      params: { recordId: await world.newRecord(kind) },
      query: { before: undefined },
    }),
    [`restore${Kind}Record`]: async (world) => {
      const { id: recordId, at } = await world.newChange(kind);
      return { params: { recordId }, json: { at } };
    },
    [`batch${Kind}Records`]: async (world, random) => ({
      json: {
        operations: [
          { op: 'create', data: { title: 'b' } },
          ...(random.chance(0.5) ? [{ op: 'delete', id: await world.newRecord(kind) }] : []),
        ],
      },
    }),
    [`get${Kind}Schema`]: () => ({ params: { collection: 'typed' } }),
    [`set${Kind}Schema`]: (_, random) => ({
      params: { collection: 'shaped' },
      // Random rules may open private records to others, and random indexes name no field, which is refused.
      json: {
        schema: {
          fields: { title: { type: 'string', required: true } },
          ...(random.chance(0.5) && { indexes: ['title'] }),
          ...(kind !== 'solo' && random.chance(0.5) && { rules: { read: 'anyone' } }),
        },
      },
    }),
    [`delete${Kind}Schema`]: async (world) => {
      await world.newSchema(kind, 'gone');
      return { params: { collection: 'gone' } };
    },
  };
}

const HINTS: Record<string, Give> = {
  ...ACCOUNTS,
  ...SERVICE_HINTS,
  ...PEOPLE_HINTS,
  ...OAUTH,
  ...PAGES,
  ...DRAFT_HINTS,
  ...BRANCH_HINTS,
  ...REPORT_HINTS,
  ...MOMENT_HINTS,
  ...TEAMS,
  ...FORMS,
  ...FUNCTIONS,
  ...JOB_HINTS,
  ...dataHints('solo'),
  ...dataHints('team'),
  ...dataHints('social'),
  followPage: (world) => ({ params: { id: world.pages.social.id } }),
  followLists: (world) => ({
    params: { id: world.pages.social.id },
    json: { lists: [{ id: '1', collection: 'notes', query: { limit: 5 } }] },
  }),
  followRecords: (world) => ({ params: { id: world.pages.social.id }, query: { collections: 'notes' } }),
};

export async function hintFor(operationId: string, world: World, random: Random): Promise<Hint> {
  // What it depends on may just have been changed or deleted by another request.
  return (await Promise.resolve(HINTS[operationId]?.(world, random)).catch(() => undefined)) ?? {};
}

/** These end sessions or tokens, or change how somebody logs in, so only accounts that can lose theirs call them. */
export const ENDS_SESSIONS = new Set([
  ...['logOut', 'deleteOtherSessions', 'deleteSession', 'changePassword'],
  ...['changeUsername', 'changeEmail', 'deleteAccount', 'turnOnSecondFactor'],
]);

/** The service makes one backup at a time, so requests about them wait for each other. */
export const ALONE = new Set(['downloadBackup', 'makeBackup', 'downloadKeptBackup', 'deleteBackup']);

/** These are slow (password hash, loading code, drawing, a browser), so they are called less often. */
export const COSTLY = new Set([
  ...COSTLY_FOR_PEOPLE,
  ...[
    'register',
    'createToken',
    'logIn',
    'logOut',
    'changePassword',
    'deleteSession',
    'disconnectSingleSignOn',
    'generatePreviewImage',
  ],
  ...[
    'createFunction',
    'updateFunction',
    'restoreFunctionVersion',
    'deleteFunction',
    'downloadBackup',
    'makeBackup',
    'downloadKeptBackup',
    'deleteBackup',
    'generateImage',
    'recognizeImage',
  ],
  ...[
    'exportDatabase',
    'checkPage',
    'buildNewPage',
    'buildPage',
    'stopBuilder',
    'startRepair',
    'cancelRepair',
  ],
]);
