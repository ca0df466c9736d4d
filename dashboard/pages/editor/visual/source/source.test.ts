import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { defaultTreeAdapter, parse, serialize } from 'parse5';
import { applyChanges, invertChanges } from './change.ts';
import { BODY, DocumentMap } from './document-map.ts';
import { findChanges, mapAfter, type WantedChange } from './wanted.ts';

/** The source of a page changes only where the person changed something. */

/** The number of the element that starts with this tag. */
function numberAt(map: DocumentMap, start: string): number {
  const marked = map.mark();
  const [, number] = new RegExp(`${start}[^>]*? data-quire-at="(\\d+)"`).exec(marked) ?? [];
  return number === undefined ? BODY : Number(number);
}

function changeFirst(html: string, before: string, after: string): string | undefined {
  const map = new DocumentMap(html);
  for (const [id, texts] of Object.entries(map.listTexts()))
    for (const text of texts) {
      if (text.trim() !== before) continue;
      const range = map.findText(Number(id), -1, text);
      const changes = range && findChanges(map, { kind: 'text', range, text: after });
      return changes && mapAfter(map, changes)?.source;
    }
  return undefined;
}

test.each<[name: string, html: string, before: string, after: string, expected: string]>([
  ['a word', '<h1>Hello</h1>', 'Hello', 'Hello you', '<h1>Hello you</h1>'],
  ['white space around it', '<p>\n    Hello\n  </p>', 'Hello', 'Bye', '<p>\n    Bye\n  </p>'],
  [
    'line breaks in it',
    '<p>one\n   two\n   three</p>',
    'one\n   two\n   three',
    'one two 3',
    '<p>one\n   two\n   3</p>',
  ],
  [
    'entities beside it',
    '<p>a &mdash; b &copy; c</p>',
    'a — b © c',
    'a — x © c',
    '<p>a &mdash; x &copy; c</p>',
  ],
  ['an entity that goes', '<p>a &amp; b</p>', 'a & b', 'a and b', '<p>a and b</p>'],
  ['marks that are typed', '<p>one</p>', 'one', '<b>&lt;', '<p>&lt;b>&amp;lt;</p>'],
  ['a bare ampersand', '<p>R&D and more</p>', 'R&D and more', 'R&D', '<p>R&D</p>'],
  ['a bare ampersand that would become an entity', '<p>a &b</p>', 'a &b', 'a &amp;b', '<p>a &amp;amp;b</p>'],
  ['a bare less-than that would become a tag', '<p>a < b</p>', 'a < b', 'a <b', '<p>a &lt;b</p>'],
  ['emoji', '<p>👋🏽 hi 🎉</p>', '👋🏽 hi 🎉', '👋🏽 hi 🎈', '<p>👋🏽 hi 🎈</p>'],
  ['an empty text', '<h1>Hello</h1>', 'Hello', '', '<h1></h1>'],
  ['an unclosed tag', '<p>One<p>Two<p>Three', 'Two', '2', '<p>One<p>2<p>Three'],
  ['a tag that the parser opens again', '<p><b>One<p>Two', 'Two', '2', '<p><b>One<p>2'],
  ['misnested tags', '<b>1<p>x</b>y</p>', 'x', 'z', '<b>1<p>z</b>y</p>'],
  [
    'a text in a table that moves before it',
    '<table>up<tr><td>in</table>',
    'up',
    'UP',
    '<table>UP<tr><td>in</table>',
  ],
  ['no tags at all', 'Just text', 'Just text', 'Just words', 'Just words'],
  ['a text beside elements', '<p>Hi <b>you</b> there</p>', 'there', 'here', '<p>Hi <b>you</b> here</p>'],
  ['a line break at the start of a pre', '<pre>\n  x\n</pre>', 'x', 'y', '<pre>\n  y\n</pre>'],
  ['a drawing', '<svg><text x="1">Hi</text></svg>', 'Hi', 'Ho', '<svg><text x="1">Ho</text></svg>'],
  ['tabs, and tags in capitals', '<DIV\n\tCLASS=a>\tHi\t</DIV>', 'Hi', 'Ho', '<DIV\n\tCLASS=a>\tHo\t</DIV>'],
  ['a no-break space that the browser typed', '<p>a b</p>', 'a b', 'a\u00a0c', '<p>a c</p>'],
  ['a no-break space of the author', '<p>a&nbsp;b</p>', 'a\u00a0b', 'a\u00a0c', '<p>a&nbsp;c</p>'],
  ['control characters', '<p>a</p>', 'a', 'b\0\x1b', '<p>b</p>'],
])('changes only the text: %s', (_, html, before, after, expected) => {
  expect(changeFirst(html, before, after)).toBe(expected);
});

test.each([
  ['a script', '<script>if (a < b) "<p>In</p>"</script>', 'if (a < b) "<p>In</p>"'],
  ['a template', '<template><p>In</p></template>', 'In'],
  ['a style', '<style>In</style>', 'In'],
  ['a comment', '<!-- <p>In</p> -->', 'In'],
  ['a field', '<textarea>In</textarea>', 'In'],
  ['no script', '<body><noscript><p>In</p></noscript>', 'In'],
])('does not take what is in %s for a text', (_, html, text) => {
  expect(changeFirst(html, text, 'Out')).toBeUndefined();
  expect(new DocumentMap(html).mark()).not.toContain('<p data-quire-at');
});

test('a text that the source does not have, or has twice, is not changed', () => {
  const map = new DocumentMap('<p>same<br>same<br>other</p><h1></h1>');
  const id = numberAt(map, '<p');
  expect(map.findText(id, 0, 'same')?.from).toBe(3);
  expect(map.findText(id, 2, 'same')?.from).toBe(11);
  // A script has added something before them, so that neither is where it was.
  expect(map.findText(id, 1, 'same')).toBeUndefined();
  expect(map.findText(id, 7, 'other')?.text).toBe('other');
  expect(map.findText(id, 0, 'written by a script')).toBeUndefined();
  expect(map.findText(numberAt(map, '<h1'), 0, '')).toBeUndefined();
  expect(map.findText(999, 0, 'same')).toBeUndefined();
});

const wishes: Array<[html: string, start: string, wish: (id: number) => WantedChange, expected: string]> = [
  [
    `<a class=x href='/a?b&amp;c'>A</a>`,
    '<a',
    (id) => ({ kind: 'attribute', id, name: 'href', value: `/d?it's&x="1"` }),
    `<a class=x href='/d?it&#39;s&amp;x="1"'>A</a>`,
  ],
  [
    '<a href=/a>A</a>',
    '<a',
    (id) => ({ kind: 'attribute', id, name: 'href', value: '/b "c"' }),
    '<a href="/b &quot;c&quot;">A</a>',
  ],
  [
    '<img src="a.png">',
    '<img',
    (id) => ({ kind: 'attribute', id, name: 'alt', value: 'A <dog>' }),
    '<img src="a.png" alt="A <dog>">',
  ],
  [
    '<img alt src=a.png/>',
    '<img',
    (id) => ({ kind: 'attribute', id, name: 'alt', value: 'Dog' }),
    '<img alt="Dog" src=a.png/>',
  ],
  [
    '<input\n  placeholder = "Name"\n>',
    '<input',
    (id) => ({ kind: 'attribute', id, name: 'placeholder', value: 'You' }),
    '<input\n  placeholder = "You"\n>',
  ],
  ['<IMG SRC="a" SRC="b">', '<IMG', (id) => ({ kind: 'picture', id, src: 'c' }), '<IMG SRC="c" SRC="b">'],
  [
    '<picture><source srcset="a.avif"><img src="a.png" srcset="a2.png 2x" sizes="9px" alt="A"></picture>',
    '<img',
    (id) => ({ kind: 'picture', id, src: 'b.png' }),
    '<picture><source srcset="b.png"><img src="b.png" alt="A"></picture>',
  ],
  [
    '<p>A</p>',
    '<p',
    (id) => ({ kind: 'style', id, property: 'color', value: '#123456' }),
    '<p style="color: #123456">A</p>',
  ],
  [
    '<p style="margin:0;color:red !important;">A</p>',
    '<p',
    (id) => ({ kind: 'style', id, property: 'color', value: '#123456' }),
    '<p style="margin:0;color:#123456 !important;">A</p>',
  ],
  [
    '<p style="background: url(&quot;;color:red;&quot;); color: red">A</p>',
    '<p',
    (id) => ({ kind: 'style', id, property: 'color', value: '#123456' }),
    '<p style="background: url(&quot;;color:red;&quot;); color: #123456">A</p>',
  ],
];
test.each(wishes)('changes one attribute: %s', (html, start, wish, expected) => {
  const map = new DocumentMap(html);
  const changes = findChanges(map, wish(numberAt(map, start)));
  expect(changes && mapAfter(map, changes)?.source).toBe(expected);
});

test('a change that would make other elements is refused', () => {
  const map = new DocumentMap('<p>one</p>');
  expect(mapAfter(map, [{ from: 3, to: 6, insert: '<b>one</b>' }])).toBeUndefined();
  expect(mapAfter(map, [{ from: 0, to: 3, insert: '<h1>' }])).toBeUndefined();
  expect(findChanges(map, { kind: 'attribute', id: BODY, name: 'alt', value: 'x' })).toBeUndefined();
});

/** Documents as people and programs write them, with mistakes. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      '<i class=a>',
      '</i>',
      '<h1 id="t">',
      '</h1>',
      '<div>',
      '</div>',
      '<br>',
      '<br/>',
    ],
    ...[
      '<a href="#">',
      '</a>',
      '<table>',
      '<tr>',
      '<td>',
      '</table>',
      '<ul><li>',
      '<li>',
      '</ul>',
      '<pre>\n',
      '</pre>',
    ],
    ...[
      '<svg><text>',
      '</text></svg>',
      '<select><option>',
      '</select>',
      '<button>',
      '</button>',
      '<!-- c -->',
      '<!doctype html>',
    ],
    ...[
      '<script>a < b</script>',
      '<style>p{color:red}</style>',
      '<template><p>t</p></template>',
      '<body>',
      '<html lang=en>',
      '<form>',
      '</form>',
    ],
    ...[
      '&amp;',
      '&lt;',
      '&nbsp;',
      '&copy',
      '&#x1F600;',
      '&',
      '<',
      '< ',
      '>',
      '"',
      "'",
      '\n  ',
      ' ',
      '\u00a0',
      '👩‍💻',
      'é',
    ],
  ),
  fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '1', ' ', '.', 'ß'), minLength: 1, maxLength: 8 }),
);
const documents = fc.array(piece, { minLength: 1, maxLength: 25 }).map((parts) => parts.join(''));
const typed = fc.string({
  unit: fc.constantFrom('a', ' ', '&', '<', '>', '"', 'b', ';', '/', '!', 'lt;', '😀', 'é', '#', '1'),
  maxLength: 10,
});

test('of any document, a changed text changes its own place and nothing else', () => {
  let changed = 0;
  fc.assert(
    fc.property(documents, typed, fc.nat(), (html, text, choice) => {
      const map = new DocumentMap(html);
      const texts = Object.entries(map.listTexts()).flatMap(([id, all]) =>
        all.map((value) => [Number(id), value] as const),
      );
      const [id, value] = texts[choice % Math.max(1, texts.length)] ?? [];
      const range = id === undefined || value === undefined ? undefined : map.findText(id, -1, value);
      if (!range || id === undefined || value === undefined) return;
      const changes = findChanges(map, { kind: 'text', range, text }) ?? [];
      const next = mapAfter(map, changes);
      if (!next) return;
      changed++;
      const [change] = changes;
      if (change) {
        expect(change.from).toBeGreaterThanOrEqual(range.from);
        expect(change.to).toBeLessThanOrEqual(range.to);
      }
      expect(applyChanges(next.source, invertChanges(html, changes))).toBe(html);
      // The tree is the old one with one other text.
      const wanted = range.text.includes('\u00a0') ? text : text.replaceAll('\u00a0', ' ');
      expect(replaceOnce(html, value, wanted)).toContain(withoutSpaces(serialize(parse(next.source))));
    }),
    { numRuns: 600, seed: 7 },
  );
  expect(changed).toBeGreaterThan(200);
});

/** The documents that result if one of the texts with this value is another one. */
function replaceOnce(html: string, value: string, after: string): string[] {
  const count = [...texts(parse(html))].filter((node) => node.value === value).length;
  return Array.from({ length: count }, (_, index) => {
    const tree = parse(html);
    const node = [...texts(tree)].filter((each) => each.value === value)[index];
    const [, start, end] = /^([\t\n\f\r ]*)[\s\S]*?([\t\n\f\r ]*)$/.exec(value) ?? [];
    if (node) node.value = start + after + end;
    return withoutSpaces(serialize(tree));
  });
}

/** The parser drops spaces before the body, and puts comments there elsewhere. */
const withoutSpaces = (html: string) => html.replace(/<!--.*?-->|[ \n]+/g, '');

function* texts(
  node: ReturnType<typeof parse> | ReturnType<typeof parse>['childNodes'][number],
): Generator<{ value: string }> {
  if (defaultTreeAdapter.isTextNode(node)) yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* texts(child);
}

test('marks leave the document as it is', () => {
  fc.assert(
    fc.property(documents, (html) => {
      const marked = serialize(parse(new DocumentMap(html).mark()));
      expect(marked.replace(/ data-quire-at="\d+"/g, '')).toBe(serialize(parse(html)));
    }),
    { numRuns: 300, seed: 7 },
  );
});
