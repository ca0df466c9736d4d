import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { escapeHtml } from '../../../lib/text.ts';
import type { ImportFile, PagePlan } from './plan.ts';
import { readText, type Sorting } from './sorting.ts';

/** One React component in a file, as chat assistants make them. */

/** The file that the script of a component is published as. */
export const COMPONENT_SCRIPT = 'app.js';

/** Imports such as `@/components/ui/card`, which exist only where the component was made. */
const OWN_IMPORT = /(?:from|import)\s*["'](@\/[^"']{1,200})["']/g;
const JSX = /<[A-Za-z][\w.]*[\s/>]|<>/;
const EXPORTS = /export\s+default\b/;
/** Classes of Tailwind: a few of the most common. */
const TAILWIND =
  /className=(?:"|'|\{`)[^"'`]*\b(?:flex|grid|p[xytblr]?-\d|m[xytblr]?-(?:\d|auto)|text-(?:xs|sm|lg|xl|\dxl|\w+-\d{2,3})|bg-\w+|rounded(?:-\w+)?|w-full|gap-\d)\b/;

/** The component, if there is only one file and it is one. */
export function findComponent(sorting: Sorting): ImportFile | undefined {
  const [file, another] = sorting.open.filter(({ path }) => !/(?:^|\/)(?:readme|license)[^/]*$/i.test(path));
  if (!file || another || !/\.(?:[jt]sx|[jt]s)$/i.test(file.path)) return undefined;
  const text = readText(file) ?? '';
  return EXPORTS.test(text) && JSX.test(text) && isReact(file.path, text) ? file : undefined;
}

const isReact = (path: string, text: string) =>
  /\.[jt]sx$/i.test(path) || /(?:from|import)\s*["']react["']/.test(text);

/** A page with the component as its script. It is compiled when it is published. */
export function planComponent(sorting: Sorting, file: ImportFile, name: string): PagePlan | undefined {
  const text = readText(file) ?? '';
  const missing = [...new Set([...text.matchAll(OWN_IMPORT)].map(([, path = '']) => path))];
  if (missing.length > 0) {
    const names = missing.slice(0, 5).join(', ');
    sorting.leave(
      file,
      phrase('imports {names}, which only exists where it was made: ask for a version without it', { names }),
    );
    return undefined;
  }
  sorting.take(file, 'component');
  const module = `./component${/\.tsx?$/i.test(file.path) ? '.tsx' : '.jsx'}`;
  return {
    name,
    html: makeDocument(name),
    settings: {},
    isPublished: true,
    storageMode: 'page',
    schemas: {},
    spec: undefined,
    files: [],
    component: {
      code: makeMain(module, TAILWIND.test(text)),
      files: {
        [module.slice(2)]: text,
        'package.json': JSON.stringify({ dependencies: findVersions(text) }),
        'tsconfig.json': JSON.stringify({ compilerOptions: { jsx: 'react-jsx' } }),
      },
    },
  };
}

function makeMain(module: string, hasTailwind: boolean): string {
  return [
    ...(hasTailwind ? ["import '@tailwindcss/browser';"] : []),
    "import { createElement } from 'react';",
    "import { createRoot } from 'react-dom/client';",
    `import Component from '${module}';`,
    "createRoot(document.getElementById('root')).render(createElement(Component));",
    '',
  ].join('\n');
}

/** The packages of a component: React, and the newest version of what else it imports. */
function findVersions(text: string): Record<string, string> {
  const names = [
    ...text.matchAll(/(?:from|import)\s*["']((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:\/[^"'\n]*)?["']/g),
  ].map(([, name = '']) => name);
  return {
    ...Object.fromEntries(names.slice(0, 100).map((name) => [name, 'latest'])),
    '@tailwindcss/browser': '^4.0.0',
    react: '^19.0.0',
    'react-dom': '^19.0.0',
  };
}

function makeDocument(name: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(name)}</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="${COMPONENT_SCRIPT}"></script>
  </body>
</html>
`;
}
