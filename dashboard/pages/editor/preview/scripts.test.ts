import { expect, test } from 'bun:test';
import { nameScripts, placeInDocument } from './scripts.ts';

const findStarts = (html: string) => nameScripts(html).scripts.map(({ line, column }) => `${line}:${column}`);

test('names each inline script, and keeps the lines before the name', () => {
  const html = '<h1>x</h1>\n<script>\nrun();\n</script>\n<p><script type="module">go()</script>';
  const named = nameScripts(html);
  expect(named.scripts).toEqual([
    { line: 2, column: 9 },
    { line: 5, column: 26 },
  ]);
  expect(named.html).toBe(
    '<h1>x</h1>\n<script>\nrun();\n\n//# sourceURL=quire-preview-script-0\n</script>\n<p><script type="module">go()\n//# sourceURL=quire-preview-script-1\n</script>',
  );
});

test('takes only what the browser runs for a script', () => {
  expect(findStarts('<script src="a.js"></script><script async src=b.js></script>')).toEqual([]);
  expect(findStarts('<script type="application/json">{}</script><script type=importmap>{}</script>')).toEqual(
    [],
  );
  expect(findStarts('<script type="application/ld+json">{}</script><script type="">1</script>')).toEqual([
    '1:63',
  ]);
  expect(
    findStarts('<!-- <script>1</script> -->\n<title><script></title><textarea><script>x</script></textarea>'),
  ).toEqual([]);
  expect(findStarts('<SCRIPT TYPE="text/javascript">1</SCRIPT>')).toEqual(['1:32']);
  expect(findStarts('<script>unfinished')).toEqual([]);
});

test('finds the place in the document', () => {
  const start = { line: 10, column: 26 };
  expect(placeInDocument(start, 1, 4)).toEqual({ line: 10, column: 29 });
  expect(placeInDocument(start, 3, 4)).toEqual({ line: 12, column: 4 });
  expect(placeInDocument(start, 3, undefined)).toEqual({ line: 12 });
});
