import { expect, test } from 'bun:test';
import { GrowingText } from './growing-text.ts';

/** Reads JSON in pieces of a length. Returns the text after each piece. */
function read(json: string, length: number, field = 'html_content'): string {
  const text = new GrowingText(field);
  let all = '';
  for (let at = 0; at < json.length; at += length) all += text.push(json.slice(at, at + length));
  return all;
}

const HTML = '<h1 class="a">"Bees" \\ äöü 🐝 \u2028</h1>\n\t<script>"\\u0041"</script>';

test('a text is read in pieces of any length, wherever they end', () => {
  const escaped = JSON.stringify({ html_content: HTML })
    .replace('ä', '\\u00e4')
    .replace('🐝', '\\ud83d\\udc1d');
  for (let length = 1; length < 40; length++) expect(read(escaped, length)).toBe(HTML);
});

test.each<[string, string, string]>([
  ['another field comes first', JSON.stringify({ note: 'html_content": "x', html_content: HTML }), HTML],
  [
    'an object has a field of the same name',
    JSON.stringify({ a: { html_content: 'no' }, html_content: HTML }),
    HTML,
  ],
  [
    'a list comes first',
    JSON.stringify({ a: [1, ['{"html_content":"no"}'], {}], b: null, html_content: HTML }),
    HTML,
  ],
  ['it is not a text', '{"html_content": {"html_content": "no"}, "b": 1}', ''],
  ['it is in a list', '["html_content", "no"]', ''],
  ['there is none', '{"content": "no"}', ''],
  ['the object is over', '{"a": 1} {"html_content": "no"}', ''],
  ['it is cut off', '{"html_content": "<h1>Bees \\u00', '<h1>Bees '],
  ['an escape is not one', '{"html_content": "a\\uzzzzb\\qc"}', 'abqc'],
  ['nothing is JSON', 'html_content: "no"', ''],
  ['it comes twice', '{"html_content": "first", "html_content": "second"}', 'first'],
])('reads only the text of the object itself if %s', (_, json, expected) => {
  for (const length of [1, 3, 1000]) expect(read(json, length)).toBe(expected);
});
