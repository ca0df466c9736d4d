import { expect, test } from 'bun:test';
import { bundlePreview, type PreviewSource } from './bundle.ts';

const SAVED = new Map([
  ['css/style.css', 'body { background: url(../img/cat.png) }'],
  ['img/cat.png', 'PNG'],
  ['app.js', "import './lib.js'"],
  ['lib.js', "import './app.js'"],
]);

function bundle(html: string, more: Partial<PreviewSource> = {}) {
  return bundlePreview({
    path: 'index.html',
    html,
    unsaved: new Map(),
    saved: SAVED,
    root: 'https://quire.test/p/site/',
    isPublic: true,
    read: async (path) => new Blob([SAVED.get(path) ?? '']),
    ...more,
  });
}

test('saved files come from the address of a public page', async () => {
  const html = '<link href="css/style.css"><img src="img/cat.png">';
  expect(await bundle(html)).toEqual({
    html: `<base href="https://quire.test/p/site/index.html">${html}`,
    files: [],
    paths: [],
    scripts: [],
    rewrite: expect.any(Function),
  });
});

test('a page without files is shown as it is', async () => {
  const html = '<img src="cat.png">';
  expect(await bundle(html, { saved: new Map() })).toEqual({ html, files: [], paths: [], scripts: [] });
});

test('an unsaved style is sent along, and what it refers to keeps its address', async () => {
  const unsaved = new Map([['css/style.css', 'b { background: url(../img/cat.png) } @import "new.css";']]);
  const { html, files } = await bundle('<link href="css/style.css"><a href="about.html">', { unsaved });
  expect(html).toContain('<link href="quire-preview-file-0."><a href="about.html">');
  expect(files).toEqual([
    {
      text: 'b { background: url(https://quire.test/p/site/img/cat.png) } @import "https://quire.test/p/site/css/new.css";',
      type: 'text/css; charset=utf-8',
    },
  ]);
});

test('files of a page that is not public are all sent along, those that others refer to first', async () => {
  const { html, files } = await bundle('<link href="css/style.css"><img src="img/cat.png">', {
    isPublic: false,
  });
  expect(html).toContain('<link href="quire-preview-file-1."><img src="quire-preview-file-0.">');
  expect(files[0]).toBeInstanceOf(Blob);
  expect((files[0] as Blob).type).toBe('image/png');
  expect(files[1]).toEqual({
    text: 'body { background: url(quire-preview-file-0.) }',
    type: 'text/css; charset=utf-8',
  });
});

test('a circle of scripts ends', async () => {
  const { files } = await bundle('<script type="module" src="app.js"></script>', { isPublic: false });
  expect(files.map((file) => (file instanceof Blob ? '' : file.text))).toEqual([
    "import 'https://quire.test/p/site/app.js'",
    "import 'quire-preview-file-0.'",
  ]);
});
