import { DEEP, HOME, MARK, type Site, writePackage } from '../site.ts';

/** Webpack writes smaller pictures into the script. What follows the end of a picture does not matter. */
const BIG_MARK = Buffer.concat([MARK, Buffer.alloc(16 * 1024)]);

const next: Site = {
  name: 'Next',
  packages: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
  write: (base) => ({
    'package.json': writePackage('next build', { next: '16', react: '19' }),
    'next.config.mjs': `export default { output: 'export', turbopack: { root: '../..' }${base === '/' ? '' : `, basePath: '${base.replace(/\/$/, '')}'`} };`,
    'app/mark.png': MARK,
    'app/layout.jsx': `export const metadata = { title: '${HOME}' };
export default ({ children }) => <html lang="en"><body>{children}</body></html>;`,
    'app/Count.jsx': `'use client';
import { useState } from 'react';
import mark from './mark.png';
export function Count() {
  const [count, setCount] = useState(0);
  return <><img id="mark" src={mark.src} alt="" /><button id="count" onClick={() => setCount(count + 1)}>{count}</button></>;
}`,
    'app/page.jsx': `import Link from 'next/link';
import { Count } from './Count.jsx';
export default () => <><h1>${HOME}</h1><Count /><Link id="next" href="/tides/today">Tides</Link></>;`,
    'app/tides/today/page.jsx': `import { Count } from '../../Count.jsx';
export default () => <><h1>${DEEP}</h1><Count /></>;`,
  }),
};

const docusaurus: Site = {
  name: 'Docusaurus',
  packages: {
    '@docusaurus/core': '^3.0.0',
    '@docusaurus/plugin-content-docs': '^3.0.0',
    '@docusaurus/theme-classic': '^3.0.0',
    '@mdx-js/react': '^3.0.0',
    react: '^19.0.0',
    'react-dom': '^19.0.0',
  },
  write: (base) => ({
    'package.json': writePackage('docusaurus build', { '@docusaurus/core': '3' }),
    'docusaurus.config.js': `module.exports = {
  title: 'Harbour', url: 'https://harbour.example', baseUrl: '${base}',
  plugins: [['@docusaurus/plugin-content-docs', { routeBasePath: '/' }]],
  themes: ['@docusaurus/theme-classic'],
};`,
    'src/Count.js': `import { useState } from 'react';
import mark from './mark.png';
export default function Count() {
  const [count, setCount] = useState(0);
  return <><img id="mark" src={mark} alt="" /><button id="count" onClick={() => setCount(count + 1)}>{count}</button></>;
}`,
    'src/mark.png': BIG_MARK,
    'docs/index.mdx': `---\nslug: /\n---\nimport Link from '@docusaurus/Link';\nimport Count from '../src/Count.js';\n\n# ${HOME}\n\n<Count />\n\n<Link id="next" to="/tides/today">Tides</Link>\n`,
    'docs/tides/today.mdx': `import Count from '../../src/Count.js';\n\n# ${DEEP}\n\n<Count />\n`,
  }),
};

export const REACT = [next, docusaurus];
