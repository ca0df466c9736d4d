import { afterAll, afterEach, beforeAll, test } from 'bun:test';
import { closeTabs, openStage, type Stage } from '../../support/browser/stage.ts';
import { TemplatePages } from '../../support/browser/templates.ts';
import { installedPackage } from '../../support/functions/installed-package.ts';
import { type NpmRegistry, startNpmRegistry } from '../../support/functions/npm-registry.ts';

/** Templates whose functions need npm packages, made into pages. */

let registry: NpmRegistry;
let stage: Stage;
let pages: TemplatePages;
beforeAll(async () => {
  registry = startNpmRegistry();
  registry.add(installedPackage('zod'), installedPackage('hono'));
  stage = await openStage('origin', {
    QUIRE_NPM_REGISTRY: registry.url,
    QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
  });
  pages = new TemplatePages(stage, await stage.register('olga-packages'));
});
afterEach(async () => {
  await closeTabs();
  pages.expectQuiet();
});
afterAll(async () => {
  await stage.close();
  await registry.stop();
});

test.each(['poll', 'board', 'digest'])(
  '%s is right with a long name, in both languages, and its samples are marked',
  (key) => pages.expectRight(key),
);
