import { expect, test } from 'bun:test';
import { relativePath } from './relative.ts';

test('leads from one file to another', () => {
  expect(relativePath('index.html', 'cat.png')).toBe('cat.png');
  expect(relativePath('index.html', 'images/cat.png')).toBe('images/cat.png');
  expect(relativePath('docs/about.html', 'images/cat.png')).toBe('../images/cat.png');
  expect(relativePath('docs/about.html', 'docs/cat.png')).toBe('cat.png');
  expect(relativePath('a/b/c.html', 'a/d/cat.png')).toBe('../d/cat.png');
  expect(relativePath('index.html', 'my cat "1"?.png')).toBe('my%20cat%20%221%22%3F.png');
});
