import { expect } from 'bun:test';
import { evaluate, type PackageCase, use } from '../package-case.ts';

/** Templates, markup, files and views. */
export const DOCUMENTS: PackageCase[] = [
  evaluate(
    'ejs',
    `import ejs from 'npm:ejs@3'; const view = ejs.compile('Hello <%= name %>');`,
    `view(input)`,
    'Hello Ada',
  ),
  evaluate(
    'handlebars',
    `import Handlebars from 'npm:handlebars@4'; const view = Handlebars.compile('{{#each list}}{{this}};{{/each}}'); view({ list: [0] });`,
    `view({ list: [1, 2] })`,
    '1;2;',
  ),
  evaluate(
    'mustache',
    `import Mustache from 'npm:mustache@4';`,
    `Mustache.render('Hello {{name}}', input)`,
    'Hello Ada',
  ),
  evaluate(
    'marked',
    `import { marked } from 'npm:marked@16';`,
    `marked.parse('# Hi *Ada*')`,
    '<h1>Hi <em>Ada</em></h1>\n',
  ),
  evaluate(
    'markdown-it',
    `import MarkdownIt from 'npm:markdown-it@14';`,
    `new MarkdownIt().render('**Ada**')`,
    '<p><strong>Ada</strong></p>\n',
  ),
  evaluate(
    'cheerio',
    `import * as cheerio from 'npm:cheerio@1';`,
    `cheerio.load('<ul><li>a<li>b</ul>')('li').map((_, one) => cheerio.load(one).text()).get()`,
    ['a', 'b'],
  ),
  evaluate(
    'sanitize-html',
    `import sanitize from 'npm:sanitize-html@2';`,
    `sanitize('<b onclick="x()">a</b><script>1</script>')`,
    '<b>a</b>',
  ),
  evaluate(
    'fast-xml-parser',
    `import { XMLParser } from 'npm:fast-xml-parser@5';`,
    `new XMLParser().parse('<a><b>1</b></a>')`,
    { a: { b: 1 } },
  ),
  evaluate(
    'yaml',
    `import { parse, stringify } from 'npm:yaml@2';`,
    `[parse('a: [1, x]'), stringify({ b: true })]`,
    [{ a: [1, 'x'] }, 'b: true\n'],
  ),
  evaluate(
    'papaparse',
    `import Papa from 'npm:papaparse@5';`,
    `Papa.parse('a,b\\n1,"x,y"', { header: true }).data`,
    [{ a: '1', b: 'x,y' }],
  ),
  evaluate(
    'csv-parse',
    `import { parse } from 'npm:csv-parse@6/sync';`,
    `parse('a,b\\n1,2', { columns: true })`,
    [{ a: '1', b: '2' }],
  ),
  evaluate(
    'xlsx',
    `import * as XLSX from 'npm:xlsx@0.18';`,
    `XLSX.utils.sheet_to_json(XLSX.read(XLSX.write({ SheetNames: ['s'], Sheets: { s: XLSX.utils.aoa_to_sheet([['a'], [1]]) } }, { type: 'array', bookType: 'xlsx' })).Sheets.s)`,
    [{ a: 1 }],
  ),
  use(
    'pdf-lib',
    `import { PDFDocument } from 'npm:pdf-lib@1';`,
    `const made = await PDFDocument.create();
    made.addPage([200, 100]).drawText('Hi');
    return Response.json((await PDFDocument.load(await made.save())).getPage(0).getSize());`,
    { width: 200, height: 100 },
  ),
  use(
    'jszip',
    `import JSZip from 'npm:jszip@3';`,
    `const zip = new JSZip().file('a.txt', 'Ada');
    return Response.json(await (await JSZip.loadAsync(await zip.generateAsync({ type: 'uint8array' }))).file('a.txt').async('text'));`,
    'Ada',
  ),
  evaluate(
    'fflate',
    `import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'npm:fflate@0.8';`,
    `strFromU8(gunzipSync(gzipSync(strToU8('Ada'))))`,
    'Ada',
  ),
  evaluate(
    'qrcode',
    `import QRCode from 'npm:qrcode@1';`,
    `(await QRCode.toString('Ada', { type: 'svg' })).startsWith('<svg')`,
    true,
  ),
  evaluate(
    'preact-render-to-string',
    `import { h } from 'npm:preact@10'; import { render } from 'npm:preact-render-to-string@6';`,
    `render(h('p', { class: 'x' }, 'Ada'))`,
    '<p class="x">Ada</p>',
  ),
  evaluate(
    'react-dom',
    `import { createElement } from 'npm:react@19'; import { renderToString } from 'npm:react-dom@19/server';`,
    `renderToString(createElement('p', null, 'Ada & co'))`,
    '<p>Ada &amp; co</p>',
  ),
  evaluate(
    'vue',
    `import { createSSRApp, h } from 'npm:vue@3'; import { renderToString } from 'npm:vue@3/server-renderer';`,
    `await renderToString(createSSRApp({ render: () => h('p', 'Ada') }))`,
    '<p>Ada</p>',
  ),
  {
    name: 'svelte',
    code: `import { render } from 'npm:svelte@5/server';
export default { fetch: () => new Response(render((renderer) => renderer.push('<p>Ada</p>')).body) };`,
    expected: expect.stringContaining('<p>Ada</p>'),
  },
  {
    name: 'react with package.json and tsconfig.json',
    code: `import { renderToString } from 'react-dom/server';
import { View } from './view.tsx';
export default { fetch: async (request: Request) => new Response(renderToString(View(await request.json()))) };`,
    files: {
      'view.tsx': 'export const View = ({ name }: { name: string }) => <h1>{name}</h1>;',
      'package.json': '{ "dependencies": { "react": "^19.0.0", "react-dom": "^19.0.0" } }',
      'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx" } }',
    },
    expected: '<h1>Ada</h1>',
  },
  {
    name: '@resvg/resvg-wasm',
    code: `import { initWasm, Resvg } from 'npm:@resvg/resvg-wasm@2';
import module from 'npm:@resvg/resvg-wasm@2/index_bg.wasm';
const ready = initWasm(module);
export default {
  async fetch() {
    await ready;
    return Response.json(new Resvg('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"/>').render().width);
  },
};`,
    expected: 4,
  },
];
