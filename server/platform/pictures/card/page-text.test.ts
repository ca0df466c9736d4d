import { describe, expect, test } from 'bun:test';
import { describeHtml, MAX_HTML } from './page-text.ts';

describe('what a page says of itself', () => {
  test('title, description and heading as plain text', () => {
    const html = `<!doctype html><html><head><title>
      Bread &amp; Butter &#8212; caf&#xe9;&nbsp;</title><meta name="Description" content="All about &quot;bread&quot;"></head>
      <body><h1>Bread <em>for</em> all</h1><h1>Second</h1><p>First.</p></body></html>`;
    expect(describeHtml(html)).toEqual({
      title: 'Bread & Butter — café',
      description: 'All about "bread"',
      heading: 'Bread for all',
    });
  });

  test('the description for link previews, then the first paragraph with words, stand in', () => {
    expect(describeHtml('<p>One.</p><meta property="og:description" content="Shared">').description).toBe(
      'Shared',
    );
    expect(describeHtml('<p> </p><p>Two <b>words</b>.</p><p>Three.</p>').description).toBe('Two words.');
    expect(describeHtml('')).toEqual({ title: '', description: '', heading: '' });
  });

  test('comments and scripts say nothing', () => {
    const html = '<!-- <title>No</title> --><script>"<h1>No</h1>"</script><title></title><title>Yes</title>';
    expect(describeHtml(html)).toEqual({ title: 'Yes', description: '', heading: '' });
  });

  test('keeps unknown entities and replaces impossible ones, like browsers', () => {
    const { title } = describeHtml('<title>&toString; &#0;&#9999999;&#xd800; &madeup; A</title>');
    expect(title).toBe('&toString; \ufffd\ufffd\ufffd &madeup; A');
  });

  test('500 characters are kept, one more is not', () => {
    expect(describeHtml(`<title>${'a'.repeat(500)}</title>`).title).toHaveLength(500);
    expect(describeHtml(`<title>${'a'.repeat(501)}</title>`).title).toHaveLength(500);
    expect(describeHtml(`<title>${'a'.repeat(499)}😀</title>`).title.isWellFormed()).toBe(true);
  });

  test('the first megabyte is read, and nothing beyond it', () => {
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
    'comments without end': fill('<!--'),
  };
  for (const [name, html] of Object.entries(HOSTILE)) {
    test(`4 MB of ${name} do no harm`, () => {
      for (const text of Object.values(describeHtml(html))) expect(text.length).toBeLessThanOrEqual(500);
    });
  }
});
