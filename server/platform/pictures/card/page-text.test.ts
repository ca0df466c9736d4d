import { describe, expect, test } from 'bun:test';
import { describeHtml, MAX_HTML } from './page-text.ts';

describe('the text of a page', () => {
  test('has title, description and heading as plain text', () => {
    const html = `<!doctype html><html><head><title>
      Bread &amp; Butter &#8212; caf&#xe9;&nbsp;</title><meta name="Description" content="All about &quot;bread&quot;"></head>
      <body><h1>Bread <em>for</em> all</h1><h1>Second</h1><p>First.</p></body></html>`;
    expect(describeHtml(html)).toEqual({
      title: 'Bread & Butter — café',
      description: 'All about "bread"',
      heading: 'Bread for all',
    });
  });

  test('falls back to the description for link previews, then to the first paragraph with words', () => {
    expect(describeHtml('<p>One.</p><meta property="og:description" content="Shared">').description).toBe(
      'Shared',
    );
    expect(describeHtml('<p> </p><p>Two <b>words</b>.</p><p>Three.</p>').description).toBe('Two words.');
    expect(describeHtml('')).toEqual({ title: '', description: '', heading: '' });
  });

  test('leaves out comments and scripts', () => {
    const html = '<!-- <title>No</title> --><script>"<h1>No</h1>"</script><title></title><title>Yes</title>';
    expect(describeHtml(html)).toEqual({ title: 'Yes', description: '', heading: '' });
  });

  test('keeps unknown entities and replaces impossible ones, like browsers', () => {
    const { title } = describeHtml('<title>&toString; &#0;&#9999999;&#xd800; &madeup; A</title>');
    expect(title).toBe('&toString; \ufffd\ufffd\ufffd &madeup; A');
  });

  test('is limited to 500 characters', () => {
    expect(describeHtml(`<title>${'a'.repeat(500)}</title>`).title).toHaveLength(500);
    expect(describeHtml(`<title>${'a'.repeat(501)}</title>`).title).toHaveLength(500);
    expect(describeHtml(`<title>${'a'.repeat(499)}😀</title>`).title.isWellFormed()).toBe(true);
  });

  test('is read from the first megabyte only', () => {
    const title = '<title>A</title>';
    expect(describeHtml(' '.repeat(MAX_HTML - title.length) + title).title).toBe('A');
    expect(describeHtml(' '.repeat(MAX_HTML) + title).title).toBe('');
  });

  const fill = (unit: string) => unit.repeat(Math.ceil((4 * 1024 * 1024) / unit.length));
  const HOSTILE = {
    titles: fill('<title>'),
    'paragraphs without words': fill('<p>'),
    headings: fill('<h1>a'),
    'one long title': `<title>${fill('&amp;')}`,
    'white space': `<h1>${fill(' ')}`,
    'open tags': fill('<p '),
    'metas without words': fill('<meta name=description content=" ">'),
    'endless comments': fill('<!--'),
  };
  for (const [name, html] of Object.entries(HOSTILE)) {
    test(`4 MB of ${name} are handled in time`, () => {
      for (const text of Object.values(describeHtml(html))) expect(text.length).toBeLessThanOrEqual(500);
    });
  }
});
