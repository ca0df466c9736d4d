import { Authenticator } from '../../support/accounts/authenticator.ts';
import { PASSWORD } from '../../support/http/call.ts';
import type { Person } from './accounts.ts';
import type { Give } from './hint.ts';
import {
  asAdmin,
  newCautiousPerson,
  newConfirmation,
  newPasskey,
  newPerson,
  passkeyOptions,
  someBackup,
} from './people-world.ts';
import { newName, type World } from './world.ts';

/** Hints for what is done with accounts. Most of it changes or ends one, so it gets a person of its own. */

const as = ({ cookie }: { cookie: string }, json: unknown = {}) => ({
  role: 'anonymous',
  headers: { cookie },
  json,
});

/** Something that administrators do with a person. */
const withPerson =
  (before?: (world: World, person: Person) => Promise<unknown>): Give =>
  async (world) => {
    const person = await newPerson(world);
    await before?.(world, person);
    return { params: { id: person.id } };
  };

const REASON = { reason: 'spam' };

const ADMINISTRATION: Record<string, Give> = {
  getUser: (world) => ({ params: { id: world.people.owner.id } }),
  suspendUser: withPerson(),
  restoreUser: withPerson((world, { id }) =>
    asAdmin(world, 'POST', `/api/admin/users/${id}/suspend`, REASON),
  ),
  promoteUser: withPerson(),
  demoteUser: withPerson((world, { id }) => asAdmin(world, 'POST', `/api/admin/users/${id}/promote`)),
  resetUser: withPerson(),
  turnSecondFactorOff: async (world) => ({ params: { id: (await newCautiousPerson(world)).id } }),
  setQuotaOfUser: withPerson(),
  endSessionsOfUser: withPerson(),
  deleteUser: withPerson(),
  getAnyPage: (world) => ({ params: { id: world.pages.page.id } }),
  takePageDown: async (world) => ({ params: { id: (await world.newPage()).id } }),
  async restorePage(world) {
    const { id } = await world.newPage();
    await asAdmin(world, 'POST', `/api/admin/pages/${id}/take-down`, REASON);
    return { params: { id } };
  },
  takeFunctionDown: async (world) => ({ params: { slug: await world.newFunction() } }),
  async restoreFunction(world) {
    const slug = await world.newFunction();
    await asAdmin(world, 'POST', `/api/admin/functions/${slug}/take-down`, REASON);
    return { params: { slug } };
  },
  testProvider: () => ({
    params: { name: 'single-sign-on' },
    fields: { to: undefined, connection: undefined },
  }),
  connectProvider: () => ({ params: { name: 'image-search' }, json: { provider: 'demo' } }),
  // Nothing is connected there, so nothing changes for the others.
  disconnectProvider: () => ({ params: { name: 'images' } }),
  setNewUserCredits: () => ({ json: { credits: 20_000 } }),
  downloadKeptBackup: async (world) => ({ params: { name: await someBackup(world) } }),
  deleteBackup: async (world) => ({ params: { name: await someBackup(world) } }),
  setRegistration: () => ({ json: { mode: 'open' } }),
  async revokeRegistrationInvite(world) {
    const { invite } = await asAdmin(world, 'POST', '/api/admin/invites', {});
    return { params: { id: invite.id } };
  },
};

const OWN_ACCOUNT: Record<string, Give> = {
  changeEmail: async (world) => as(await newPerson(world), { email: `${newName()}@example.com` }),
  changeUsername: async (world) => as(await newPerson(world), { username: newName() }),
  sendConfirmation: async (world) => as(await newPerson(world)),
  confirmEmail: async (world) => ({ json: { code: await newConfirmation(world, world.smtp) } }),
  forgotPassword: () => ({ json: { username: 'wanderer' } }),
  async resetPassword(world) {
    const { id } = await newPerson(world);
    const { link } = await asAdmin(world, 'POST', `/api/admin/users/${id}/reset`);
    return { json: { code: new URL(link).searchParams.get('code'), password: PASSWORD } };
  },
  async renameSession(world) {
    const { cookie, id } = await world.newSession();
    return { ...as({ cookie }, { name: 'Laptop' }), params: { id } };
  },
  exportAccount: async (world) => as(await newPerson(world)),
  async deleteAccount(world) {
    const person = await newPerson(world);
    return as(person, { username: person.username, password: PASSWORD });
  },
  startExport: () => ({ json: { password: PASSWORD } }),
  deleteStored: (world) => ({ role: 'other cookie', params: { pageId: world.pages.social.id } }),
};

const PASSKEYS: Record<string, Give> = {
  startPasskey: async (world) => as(await newPerson(world)),
  async addPasskey(world) {
    const { cookie } = await newPerson(world);
    const { options, cookies } = await passkeyOptions(world, '/api/auth/passkeys/options', cookie);
    return as({ cookie: cookies }, { credential: new Authenticator(world.client.baseUrl).create(options) });
  },
  async renamePasskey(world) {
    const { passkeyId, ...person } = await newPasskey(world);
    return { ...as(person, { name: 'Key' }), params: { id: passkeyId } };
  },
  async removePasskey(world) {
    const { passkeyId, ...person } = await newPasskey(world);
    return { ...as(person), params: { id: passkeyId } };
  },
  startPasskeyLogin: () => ({ json: {} }),
  async logInWithPasskey(world) {
    const { authenticator } = await newPasskey(world);
    const { options, cookies } = await passkeyOptions(world, '/api/auth/passkey-login/options', '');
    return as({ cookie: cookies }, { credential: authenticator.get(options) });
  },
  turnOnSecondFactor: async (world) => as(await newPasskey(world)),
  turnOffSecondFactor: async (world) => as(await newCautiousPerson(world)),
  replaceRecoveryCodes: async (world) => as(await newCautiousPerson(world)),
};

export const PEOPLE_HINTS: Record<string, Give> = { ...ADMINISTRATION, ...OWN_ACCOUNT, ...PASSKEYS };

/** Each makes an account, which takes a while. */
export const COSTLY_FOR_PEOPLE = Object.keys(PEOPLE_HINTS).filter(
  (name) => !['getUser', 'getAnyPage', 'setRegistration', 'deleteStored', 'startPasskeyLogin'].includes(name),
);
