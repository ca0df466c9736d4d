import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { closeTabs, currentUser, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** Authors write all kinds of HTML. It is served unchanged, and the globals work in it. */

interface Oddity {
  /** Completes "a page that …". */
  what: string;
  html: string;
  /** Something about the document as the browser parsed it, as an expression and its value. */
  shows: [expression: string, value: unknown];
}

/** Far deeper than any stack. */
const COUNT = 20_000;
const TEXT = 'document.body.textContent.trim()';
const MODE = 'document.compatMode';

const XHTML = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>prolog</p></body></html>`;

const ODDITIES: Oddity[] = [
  { what: 'has no head, body or doctype', html: '<h1>Bare</h1>', shows: [TEXT, 'Bare'] },
  { what: 'is a word', html: 'hi', shows: [TEXT, 'hi'] },
  { what: 'is a line break', html: '\n', shows: [TEXT, ''] },
  {
    what: 'has only a script',
    html: '<script>window.seen = typeof PageUser</script>',
    shows: ['seen', 'object'],
  },
  {
    what: 'uses the names of our globals for its own',
    html: '<script>const PageFeatures = "mine"; function PageLive() {} var PageForms = 1; window.seen = PageFeatures</script>',
    shows: ['seen', 'mine'],
  },
  {
    what: 'runs the SDK again, as scripts do that replace the document',
    html: `<script>const was = PageFunctions; window.seen = false;
      const copy = document.createElement('script');
      for (const { name, value } of document.querySelector('script[data-page-id]').attributes) copy.setAttribute(name, value);
      copy.onload = () => { window.seen = PageFunctions === was };
      document.head.append(copy)</script>`,
    shows: ['new Promise((resolve) => setTimeout(() => resolve(seen), 500))', true],
  },
  {
    what: 'does not close a script',
    html: '<!doctype html><p>before</p><script>var never = "closed";',
    shows: ['document.querySelector("p").textContent', 'before'],
  },
  {
    what: 'begins with an unclosed script',
    html: '<script>var never = "closed";',
    shows: ['typeof never', 'undefined'],
  },
  {
    what: 'does not close a textarea',
    html: '<!doctype html><textarea>the </body> rest</html>',
    shows: ['document.querySelector("textarea").value', 'the </body> rest</html>'],
  },
  {
    what: 'does not close a comment',
    html: '<!doctype html><p>before<!-- <script>never()</script>',
    shows: [TEXT, 'before'],
  },
  {
    what: 'begins with an unclosed comment',
    html: '<!-- <!doctype html><title>x</title><p>never',
    shows: ['document.title', ''],
  },
  {
    what: 'does not close its title',
    html: '<!doctype html><title>All of this <p>is title',
    shows: ['document.title', 'All of this <p>is title'],
  },
  {
    what: 'does not close a style sheet',
    html: '<!doctype html><head><style>p { color: red } <p>no paragraph',
    shows: ['document.querySelector("p")', null],
  },
  {
    what: 'does not close its html tag',
    html: '<!doctype html><html lang="en',
    shows: [MODE, 'CSS1Compat'],
  },
  {
    what: 'has its doctype after comments',
    html: '<!-- by hand --!>\n<!--> <!--->\n<!DOCTYPE html>\n<!-- more --><html><head><title>t</title></head>',
    shows: [MODE, 'CSS1Compat'],
  },
  { what: 'has an XML prolog', html: XHTML, shows: [MODE, 'CSS1Compat'] },
  { what: 'has no doctype', html: '<html><body>quirky', shows: [MODE, 'BackCompat'] },
  {
    what: 'begins with a byte order mark',
    html: '\ufeff<!doctype html><html><body>marked',
    shows: [`${MODE} + ${TEXT}`, 'CSS1Compatmarked'],
  },
  {
    what: 'has a > inside an attribute of its html tag',
    html: '<!doctype html><html data-a="1 > 0" data-b=\'<head>\'><head><title>t</title></head><body>quoted',
    shows: [`document.documentElement.dataset.a + ${TEXT}`, '1 > 0quoted'],
  },
  {
    what: 'has attributes on its head',
    html: '<!doctype html><html><head data-a=">"><script>window.seen = typeof PageUser</script></head>',
    shows: ['document.head.dataset.a + seen', '>object'],
  },
  {
    what: 'has <head> in a comment and a script before the real one',
    html: '<!doctype html><!-- <head> --><script>window.seen = typeof PageUser + "<head>"</script><head>',
    shows: ['seen', 'object<head>'],
  },
  {
    what: 'is a frameset',
    html: '<!doctype html><html><head></head><frameset cols="*,*"><frame src="about:blank"><frame></frameset></html>',
    shows: ['frames.length', 2],
  },
  {
    what: 'is a frameset without a head',
    html: '<frameset cols="*,*"><frame src="about:blank"><frame></frameset>',
    shows: ['frames.length', 2],
  },
  {
    what: 'nests 20,000 elements',
    html: `<!doctype html>${'<div>'.repeat(COUNT)}deep`,
    shows: ['document.querySelectorAll("div").length', COUNT],
  },
  {
    what: 'contains its id 20,000 times',
    html: `<!doctype html><p>${'{{PAGE_ID}}'.repeat(COUNT)}`,
    shows: [`new RegExp('^(' + ID + '){${COUNT}}$').test(${TEXT})`, true],
  },
];

let stage: Stage;
let owner: Person;
let tab: Page;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-html');
  tab = await stage.enter(owner);
});
afterAll(closeTabs);

for (const { what, html, shows } of ODDITIES) {
  test(`a page that ${what} is served unchanged, and knows its visitor`, async () => {
    const page = await stage.publish(owner, html);
    await tab.goto(page.url);
    expect(tab.url()).toBe(page.address);
    expect(await currentUser(tab)).toEqual({ id: owner.id, username: 'olga-html' });
    const [expression, value] = shows;
    expect(await tab.evaluate(expression.replace('ID', String(page.id)))).toEqual(value);

    const { body } = await stage.call('GET', `/p/${page.slug}`);
    expect(withoutAdditions(body) === html.replaceAll('{{PAGE_ID}}', String(page.id))).toBe(true);
  });
}

/** What the author wrote, extracted from what is sent. */
function withoutAdditions(sent: string): string {
  return sent.replace(/<script src="\/sdk\/[^>]*><\/script>(<(link rel="agent-spec"|meta) [^>]*>)*/, '');
}
