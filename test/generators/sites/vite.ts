import { DEEP, HOME, MARK, type Site, writePackage } from '../site.ts';

const PACKAGES = {
  vite: '^8.0.0',
  '@vitejs/plugin-react': '^6.0.0',
  react: '^19.0.0',
  'react-dom': '^19.0.0',
  // The next one needs a newer Node.js.
  'react-router': '^7.0.0',
  '@vitejs/plugin-vue': '^6.0.0',
  vue: '^3.5.0',
  'vue-router': '^5.0.0',
  '@sveltejs/vite-plugin-svelte': '^7.0.0',
  svelte: '^5.0.0',
};

/** Where the router begins: as the templates of the frameworks write it, or for a build with relative addresses. */
const findRoot = (base: string) =>
  base === './' ? `new URL('.', document.baseURI).pathname` : 'import.meta.env.BASE_URL';

const config = (base: string, plugin: string, imported: string) =>
  `import { defineConfig } from 'vite';
import ${imported} from '${plugin}';
export default defineConfig({ plugins: [${/\w+/.exec(imported.replace('{ ', ''))?.[0]}()]${base === '/' ? '' : `, base: '${base}'`} });`;

const document = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${HOME}</title></head>
<body><div id="root"></div><script type="module" src="/src/${script}"></script></body></html>`;

const COMMON = { 'src/mark.png': MARK, 'src/style.css': 'h1 { color: rgb(1, 2, 3) }' };

const react: Site = {
  name: 'Vite with React',
  packages: PACKAGES,
  isRelative: true,
  isApp: true,
  write: (base) => ({
    ...COMMON,
    'package.json': writePackage('vite build', { vite: '8', react: '19', 'react-router': '7' }),
    'vite.config.js': config(base, '@vitejs/plugin-react', 'react'),
    'index.html': document('main.jsx'),
    'src/main.jsx': `import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
import { Count } from './Count.jsx';
import './style.css';
const Tides = lazy(() => import('./Tides.jsx'));
const Home = () => <><h1>${HOME}</h1><Count /><Link id="next" to="/tides/today">Tides</Link></>;
createRoot(document.getElementById('root')).render(
  <StrictMode>
    <BrowserRouter basename={${findRoot(base)}}>
      <Suspense fallback={null}>
        <Routes>
          <Route path="/" element={<Home />} />
          <Route path="/tides/today" element={<Tides />} />
        </Routes>
      </Suspense>
    </BrowserRouter>
  </StrictMode>,
);`,
    'src/Count.jsx': `import { useState } from 'react';
import mark from './mark.png?no-inline';
export function Count() {
  const [count, setCount] = useState(0);
  return <><img id="mark" src={mark} alt="" /><button id="count" onClick={() => setCount(count + 1)}>{count}</button></>;
}`,
    'src/Tides.jsx': `import { Count } from './Count.jsx';
export default () => <><h1>${DEEP}</h1><Count /></>;`,
  }),
};

const vue: Site = {
  name: 'Vite with Vue',
  packages: PACKAGES,
  isRelative: true,
  isApp: true,
  write: (base) => ({
    ...COMMON,
    'package.json': writePackage('vite build', { vite: '8', vue: '3', 'vue-router': '5' }),
    'vite.config.js': config(base, '@vitejs/plugin-vue', 'vue'),
    'index.html': document('main.js'),
    'src/main.js': `import { createApp } from 'vue';
import { createRouter, createWebHistory } from 'vue-router';
import App from './App.vue';
import './style.css';
const routes = [
  { path: '/', component: () => import('./Home.vue') },
  { path: '/tides/today', component: () => import('./Tides.vue') },
];
createApp(App).use(createRouter({ history: createWebHistory(${findRoot(base)}), routes })).mount('#root');`,
    'src/App.vue': '<template><RouterView /></template>',
    'src/Home.vue': `<script setup>import Count from './Count.vue';</script>
<template><h1>${HOME}</h1><Count /><RouterLink id="next" to="/tides/today">Tides</RouterLink></template>`,
    'src/Tides.vue': `<script setup>import Count from './Count.vue';</script>
<template><h1>${DEEP}</h1><Count /></template>`,
    'src/Count.vue': `<script setup>import { ref } from 'vue';
import mark from './mark.png?no-inline';
const count = ref(0);</script>
<template><img id="mark" :src="mark" alt=""><button id="count" @click="count++">{{ count }}</button></template>`,
  }),
};

const svelte: Site = {
  name: 'Vite with Svelte',
  packages: PACKAGES,
  isRelative: true,
  isApp: true,
  write: (base) => ({
    ...COMMON,
    'package.json': writePackage('vite build', { vite: '8', svelte: '5' }, { type: 'module' }),
    'vite.config.js': config(base, '@sveltejs/vite-plugin-svelte', '{ svelte }'),
    'index.html': document('main.js'),
    'src/main.js': `import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
mount(App, { target: document.getElementById('root') });`,
    'src/App.svelte': `<script>
  import mark from './mark.png?no-inline';
  const root = ${findRoot(base)};
  let path = $state(location.pathname.slice(root.length));
  let count = $state(0);
  function follow(event) {
    event.preventDefault();
    history.pushState(null, '', event.currentTarget.href);
    path = location.pathname.slice(root.length);
  }
</script>
{#if path === 'tides/today'}<h1>${DEEP}</h1>{:else}<h1>${HOME}</h1><a id="next" href={root + 'tides/today'} onclick={follow}>Tides</a>{/if}
<img id="mark" src={mark} alt=""><button id="count" onclick={() => count++}>{count}</button>`,
  }),
};

export const VITE = [react, vue, svelte];
