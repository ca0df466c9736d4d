import { expect, test } from 'bun:test';
import { describeAction, describePlace, nameActor } from './activity.ts';

const page = { kind: 'page', id: 1, name: 'x' };
const user = { kind: 'user', id: 2, name: 'bea' };
const none = { kind: 'invite', id: 3, name: '' };

test.each([
  ['page.take_down', page, { reason: 'spam' }, 'took down the page /p/x: spam'],
  ['page.restore', page, {}, 'restored the page /p/x'],
  ['user.grant_credits', user, { credits: 1, reason: 'a prize' }, 'gave 1 credit to bea: a prize'],
  [
    'user.set_quota',
    user,
    { pages: null, functions: null, bytes: null },
    'set the quota of bea to the default',
  ],
  [
    'user.set_quota',
    user,
    { pages: 7, functions: null, bytes: 0 },
    'set the quota of bea to 7 pages, storage without limit',
  ],
  [
    'registration.change',
    { ...none, name: 'registration' },
    { from: 'open', to: 'closed' },
    'closed registration',
  ],
  ['user.set_up', user, {}, 'became an administrator with the setup link'],
  ['invite.create', none, {}, 'created an invite'],
  ['invite.create', { ...none, name: 'the class' }, {}, 'created an invite for “the class”'],
  [
    'provider.test',
    { ...none, name: 'image-search' },
    { isWorking: false },
    'tested image search, which does not work',
  ],
  // Of a later version.
  ['page.fold', page, {}, 'did page.fold to x'],
])('describes %s of %o with %o', (action, target, details, text) => {
  expect(describeAction({ actor: 'ada', action, target, details })).toBe(text);
});

test.each([
  ['bea', '192.0.2.1', 'bea', 'from 192.0.2.1'],
  ['the operator', '', 'The operator', 'in a shell on the server'],
  ['the service', '', 'This server', ''],
])('who did something, and where: %s', (actor, address, name, place) => {
  expect(nameActor({ actor, action: 'page.report', target: page, details: {} })).toBe(name);
  expect(describePlace({ actor, address })).toBe(place);
});
