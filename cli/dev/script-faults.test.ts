import { expect, test } from 'bun:test';
import { scriptFaults } from './script-faults.ts';

test('finds errors at their place in the document', () => {
  const html =
    '<p>\n<script>let a = 1;</script>\n<script type="module">import x from "y"; let b = ;</script>\n<script>\n\nf(]\n</script>';
  const found = scriptFaults('index.html', html).map(({ place: { line, column } }) => ({ line, column }));
  expect(found).toEqual([
    { line: 3, column: 50 },
    { line: 6, column: 3 },
  ]);
});

test('ignores scripts that browsers do not run as JavaScript', () => {
  const html =
    '<script type="text/template">{{ ; }}</script><script type="application/json">{"a":}</script><script src="x.js">;;(</script>';
  expect(scriptFaults('index.html', html)).toEqual([]);
});
