import { describe, expect, test } from 'bun:test';
import { findColors } from './page-colors.ts';
import { MAX_HTML } from './page-text.ts';

const CASES: Array<[name: string, html: string, colors: ReturnType<typeof findColors>]> = [
  ['nothing', '<h1>Hello</h1>', {}],
  [
    'the body rule and the theme colour',
    '<meta name="Theme-Color" content="#e11d48"><style>body { background: #fff; color: rgb(20, 20, 20) }</style>',
    { background: '#ffffff', text: '#141414', accent: '#e11d48' },
  ],
  [
    'custom properties, used or found by name',
    '<style>:root { --bg: #101820; --ink: white; --accent: hsl(30 100% 50%) } body { background: var(--bg); color: var(--ink, red) }</style>',
    { background: '#101820', text: '#ffffff', accent: '#ff8000' },
  ],
  [
    'custom properties that contain only numbers',
    '<style>:root { --background: 0 0% 100%; --primary: 240 100% 50% } body { background: hsl(var(--background)) }</style>',
    { background: '#ffffff', accent: '#0000ff' },
  ],
  [
    'the style attribute of the body before everything else',
    '<style>body { background: red }</style><body style="background-color: navy; color: #eee">',
    { background: '#000080', text: '#eeeeee', accent: '#ff0000' },
  ],
  [
    'a gradient, by its first colour',
    '<style>html, body { margin: 0; background: linear-gradient(135deg, #667eea 0%, #764ba2 100%) }</style>',
    { background: '#667eea', accent: '#764ba2' },
  ],
  [
    'the most frequent colour if none has a name',
    '<style>a { color: #0a7 } .b { background: #0a7 } i { color: #c00 } p { color: #333 }</style>',
    { accent: '#00aa77' },
  ],
  [
    'the light half of a page that has both',
    '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#000"><style>@media (prefers-color-scheme: dark) { body { background: #000 } } body { background: #fafafa }</style>',
    { background: '#fafafa' },
  ],
  [
    'an accent equal to the background: none',
    '<meta name=theme-color content=#fff><style>body{background:#fff}</style>',
    { background: '#ffffff' },
  ],
  ['transparent colours: none', '<style>body { background: transparent; color: rgba(0,0,0,.1) }</style>', {}],
  [
    'comments and scripts: none',
    '<!-- <style>body{color:red}</style> --><script>"<style>body{color:red}</style>"</script><style>/* body{color:red} */</style>',
    {},
  ],
  [
    'nested rules',
    '<style>@layer base { @media screen { body { color: #abcdef } } }</style>',
    { text: '#abcdef' },
  ],
];

describe('the colours of a page', () => {
  for (const [name, html, colors] of CASES) {
    test(name, () => expect(findColors(html)).toEqual(colors));
  }

  test('are found in broken HTML and CSS', () => {
    expect(findColors('<style>body{color:#123456')).toEqual({ text: '#123456', accent: '#123456' });
    expect(findColors('}}}}<style>}}};;{{{:::}}} body { ; : ; color : #123456 ; }')).toMatchObject({
      text: '#123456',
    });
  });

  /** With quadratic time each of these takes minutes, and the test reaches its timeout. */
  const fill = (unit: string) => unit.repeat(Math.ceil((4 * 1024 * 1024) / unit.length));
  const HOSTILE = {
    'open comments': `<style>${fill('/*')}`,
    'open blocks': `<style>${fill('a{')}`,
    'closed blocks': `<style>${fill('}')}`,
    'endless declarations': `<style>${fill('color:red;')}`,
    'variables that refer to each other': `<style>:root{--a:var(--b) var(--b);--b:var(--a) var(--a)}body{color:var(--a)}${fill('i{color:var(--a)}')}`,
    'open functions': `<style>body{color:${fill('rgb(')}`,
    'letters without a space': `<style>body{color:${fill('a')}`,
    spaces: `<style>body${fill(' ')}{color:red}`,
    'style attributes': fill('<i style="color:red">'),
    'open tags': fill('<'),
    'one endless tag': `<body style="${fill('color:red;')}`,
    'theme colours': fill('<meta name=theme-color content="var(--a)">'),
    'style elements': fill('<style>a{color:red}</style>'),
  };
  for (const [name, html] of Object.entries(HOSTILE)) {
    test(`4 MB of ${name} are handled in time`, () => {
      for (const value of Object.values(findColors(html))) expect(value).toMatch(/^#[\da-f]{6}$/);
    });
  }

  test('are found in the first megabyte, and the rest is not read', () => {
    const style = '<style>body{color:#123456}</style>';
    expect(findColors(' '.repeat(MAX_HTML - style.length) + style).text).toBe('#123456');
    expect(findColors(' '.repeat(MAX_HTML) + style).text).toBeUndefined();
  });
});
