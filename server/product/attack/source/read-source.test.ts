import { expect, test } from 'bun:test';
import { listLeaves, OWN_ID } from './parameters.ts';
import { hasClientCheck, hasLinkSink, readSource } from './read-source.ts';

const readCalls = (text: string) =>
  readSource([text]).calls.map(({ name, parameters }) => [
    name,
    Object.fromEntries(listLeaves(parameters).map(({ path, value }) => [path.join('.'), value])),
  ]);

test('reads literals, objects in objects, and where the id of the visitor is sent', () => {
  const text =
    "PageFunctions.call('mail', { action: 'send', from: user?.id, who: me().id, id, to: { name, size: 3 } });";
  expect(readCalls(text)).toEqual([
    [
      'mail',
      { action: 'send', from: OWN_ID, who: OWN_ID, id: undefined, 'to.name': undefined, 'to.size': 3 },
    ],
  ]);
});

test.each([
  "function call(action, params) { return PageFunctions.call('slots', Object.assign({ action: action }, params)); }\ncall('book', { time: time });",
  "const call = (action, params) => PageFunctions.call('slots', { action, ...params });\ncall('book', { time });",
])('reads a call through a function of the page: %s', (text) => {
  expect(readCalls(text)).toContainEqual(['slots', { action: 'book', time: undefined }]);
});

test('reads a call through a function that passes an object on', () => {
  const text =
    "const ask = (action, payload) => PageFunctions.call('cup', { action, payload });\nask('add', { home, away });\nask('list');";
  const calls = readCalls(text);
  expect(calls).toContainEqual([
    'cup',
    { action: 'add', 'payload.home': undefined, 'payload.away': undefined },
  ]);
  expect(calls).toContainEqual(['cup', { action: 'list' }]);
});

test('takes no action for a collection', () => {
  const text = "if (TeamData.can('update', 'cards', card)) TeamData.find('cards');";
  expect(readSource([text]).collections).toEqual(['cards']);
});

test.each([
  'if (thing.createdBy.id === this.me.id) li.append(button);',
  'if (post.createdBy?.username !== user.username) return;',
  'const own = record.data.author_id == myId;',
  'if (isTeacher) show();',
])('knows that a script decides who may do something: %s', (text) => {
  expect(hasClientCheck(text)).toBe(true);
});

test.each([
  "if (record.data.owner === '') return;",
  'if (user === null) return login();',
  'list.filter((each) => each.author)',
  "if (data.createdBy === undefined) data.createdBy = 'me';",
])('knows that a script decides nothing: %s', (text) => {
  expect(hasClientCheck(text)).toBe(false);
});

test.each([
  ['a.href = link.url', true],
  ["'<a href=\"' + esc(link.url) + '\">'", true],
  [`\`<a href="\${link.url}">\``, true],
  ["a.setAttribute('href', url)", true],
  ['Object.assign(a, { href, textContent })', true],
  ['<a href="https://example.com">there</a>', false],
])('knows where a text becomes an address: %s', (text, expected) => {
  expect(hasLinkSink(text)).toBe(expected);
});
