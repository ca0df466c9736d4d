import { COUNT, DEEP, HOME, MARK, type Site, writePackage } from '../site.ts';

const astro: Site = {
  name: 'Astro',
  // The next one needs a newer Node.js.
  packages: { astro: '^5.0.0' },
  write: (base) => ({
    'package.json': writePackage('astro build', { astro: '5' }, { type: 'module' }),
    'astro.config.mjs': `export default { base: '${base}' };`,
    'src/assets/mark.png': MARK,
    'src/layouts/Site.astro': `---
import { ClientRouter } from 'astro:transitions';
import mark from '../assets/mark.png';
const { title } = Astro.props;
---
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><ClientRouter /></head>
<body><h1>{title}</h1><img id="mark" src={mark.src} alt=""><button id="count">0</button><slot />
<script>
document.addEventListener('astro:page-load', () => {
  ${COUNT}
});
</script></body></html>`,
    'src/pages/index.astro': `---
import Site from '../layouts/Site.astro';
---
<Site title="${HOME}"><a id="next" href="${base}tides/today/">Tides</a></Site>`,
    'src/pages/tides/today.astro': `---
import Site from '../../layouts/Site.astro';
---
<Site title="${DEEP}" />`,
  }),
};

const eleventy: Site = {
  name: 'Eleventy',
  // The one after it needs a package that some registries lack.
  packages: { '@11ty/eleventy': '3.1.5' },
  loadsDocuments: true,
  write: (base) => ({
    'package.json': writePackage('eleventy', { '@11ty/eleventy': '3' }, { type: 'module' }),
    'eleventy.config.js': `import { HtmlBasePlugin } from '@11ty/eleventy';
export default (config) => {
  config.addPlugin(HtmlBasePlugin);
  config.addPassthroughCopy('mark.png');
  config.addPassthroughCopy('count.js');
};
export const config = { pathPrefix: '${base}' };`,
    'mark.png': MARK,
    'count.js': COUNT,
    '_includes/site.njk': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title></head>
<body><h1>{{ title }}</h1><img id="mark" src="/mark.png" alt=""><button id="count">0</button>{{ content | safe }}
<script type="module" src="/count.js"></script></body></html>`,
    'index.njk': `---\ntitle: ${HOME}\nlayout: site.njk\n---\n<a id="next" href="/tides/today/">Tides</a>`,
    'tides/today.njk': `---\ntitle: ${DEEP}\nlayout: site.njk\n---\n`,
  }),
};

const vitepress: Site = {
  name: 'VitePress',
  packages: { vitepress: '^1.6.0' },
  write: (base) => {
    const count = `<script setup>
import { ref } from 'vue';
import mark from '@mark';
const count = ref(0);
</script>
<img id="mark" :src="mark" alt=""><button id="count" @click="count++">{{ count }}</button>
`;
    return {
      'package.json': writePackage('vitepress build', { vitepress: '1' }, { type: 'module' }),
      '.vitepress/config.js': `import { fileURLToPath } from 'node:url';
const mark = fileURLToPath(new URL('../mark.png', import.meta.url));
export default { base: '${base}', title: 'Harbour', vite: { build: { assetsInlineLimit: 0 }, resolve: { alias: { '@mark': mark } } } };`,
      'mark.png': MARK,
      'index.md': `# ${HOME}\n\n${count}\n[Tides](./tides/today.md){#next}\n`,
      'tides/today.md': `# ${DEEP}\n\n${count}`,
    };
  },
};

export const DOCUMENTS = [astro, eleventy, vitepress];
