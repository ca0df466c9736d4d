import { expect, test } from 'bun:test';
import { hasHashedName } from './hashed-names.ts';

test.each([
  'assets/index-D4f_2aBc.js',
  'assets/index-B1wKq9Yd.css',
  '_astro/page.C8hX7w2p.css',
  '_next/static/chunks/main-8f3b2c1d9a7e6b5c.js',
  'static/js/main.4f5d6e7a.js',
  '_app/immutable/chunks/entry.B7x9Qk2L.js',
  'assets/inter-latin-D9f2Ka7x.woff2',
  'assets/Tides-BXxNJSYJ.js',
  'assets/index.md.D4f_2aBc.lean.js',
  'assets/js/main.4f5d6e7a.js',
  '_next/static/chunks/0cz1d0mv5g_q7.js',
  '_next/static/media/mark.3tz5lrpv9hshr.png',
  'docs/_astro/mark.DttojvVQ_Z1a.webp',
])('%s has a hash in its name', (path) => {
  expect(hasHashedName(path)).toBe(true);
});

test.each([
  'index-D4f_2aBc.js',
  'assets/app.js',
  'assets/app-settings2.js',
  'assets/app-document.js',
  'assets/app-useState.js',
  'assets/app-HTMLPage.js',
  'assets/app-LoadXMLs.js',
  'assets/app-McDonald.js',
  'assets/app-README.md.js',
  'assets/app-CHANGELO.js',
  'assets/next/static.js',
  'assets/app-20240131.js',
  'assets/jquery-3.7.1.min.js',
  'assets/photo-D4f_2aBc.jpg',
  'assets/data-D4f_2aBc.json',
  'assets/index-D4f_2aBc.html',
])('%s may change', (path) => {
  expect(hasHashedName(path)).toBe(false);
});
