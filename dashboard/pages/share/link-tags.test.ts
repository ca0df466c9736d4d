import { expect, test } from 'bun:test';
import { readLinkTags } from './link-tags.ts';

test.each([
  ['<meta property="og:title" content="Cats &amp; dogs">', { title: 'Cats & dogs' }],
  ["<META NAME='og:description' CONTENT='All of them'>", { description: 'All of them' }],
  ['<meta content=/cat.png property=og:image />', { image: '/cat.png' }],
  [
    '<meta property="og:title" content="First"><meta property="og:title" content="Second">',
    { title: 'First' },
  ],
  ['<meta property="og:title" content=" "><meta name="description" content="Other">', {}],
  ['<title>Only a title</title>', {}],
])('%s', (html, tags) => {
  const none = { title: undefined, description: undefined, image: undefined };
  expect(readLinkTags(html)).toEqual({ ...none, ...tags });
});

test('a document of tags that never end is read once', () => {
  expect(readLinkTags('<meta '.repeat(200_000))).toEqual({});
  expect(readLinkTags(`<meta ${'a'.repeat(60_000)}>`)).toEqual({});
  expect(readLinkTags(`<meta ${'a '.repeat(500_000)}>`)).toEqual({});
});
