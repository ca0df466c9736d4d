import { isFunctionSlug } from '../../../../contract/rules/function-names.ts';
import { toFunctionSlug } from '../../../../contract/rules/projects/worker-settings.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { findComponent, planComponent } from './component.ts';
import type { ImportFile, Plan } from './plan.ts';
import { findRoot, planSite } from './site.ts';
import { isHidden, readText, Sorting } from './sorting.ts';
import { isValTown, planValTown } from './val-town.ts';
import { findWorkerFile, planWorker } from './worker.ts';

type Found = Pick<Plan, 'kind' | 'page' | 'functions'>;

/** Finds out what files are, and plans what to publish of them. `name` is that of the file or folder that was sent. */
export function recognise(sent: ImportFile[], name = ''): Plan {
  const { files, folder } = withoutTopFolder(sent);
  const sorting = new Sorting(files);
  const found = find(sorting, folder || name.replace(/(?:\.tar)?\.[a-z]{1,5}$/i, '') || 'import');
  const isNothing = !found.page && found.functions.length === 0;
  const left = sorting.finish(
    isNothing
      ? phrase('is not a page, a Worker or a val: a site needs an index.html')
      : phrase('is not part of what is published'),
  );
  if (!isNothing) return { ...found, taken: sorting.taken, left };
  // What belongs to something that cannot be published is not published either.
  const why = phrase('is not published alone');
  const alone = sorting.taken.map(({ path }) => ({ path, why: why.text }));
  return { kind: 'nothing', page: undefined, functions: [], taken: [], left: [...left, ...alone] };
}

function find(sorting: Sorting, name: string): Found {
  const settings = findWorkerFile(sorting);
  if (settings) return { kind: 'worker', ...planWorker(sorting, settings, name) };
  if (isValTown(sorting)) return { kind: 'val town', page: undefined, functions: planValTown(sorting, name) };
  const component = findComponent(sorting);
  if (component) return { kind: 'component', page: planComponent(sorting, component, name), functions: [] };
  const root = findRoot(sorting);
  const kind = root && root.document !== 'index.html' ? 'saved page' : 'site';
  const site = root && planSite(sorting, root, name);
  if (site) return { kind, ...site };
  return { kind: 'worker', page: undefined, functions: planModule(sorting, name) };
}

/** A single module with a handler is a function. */
function planModule(sorting: Sorting, name: string): Found['functions'] {
  const [file, another] = sorting.open;
  if (!file || another || !/\.(?:m?js|ts)$/.test(file.path)) return [];
  const code = readText(file) ?? '';
  if (!/export\s+default\b|export\s*\{[^{}]*\bdefault\b/.test(code) || !/\bfetch\b|\bscheduled\b/.test(code))
    return [];
  const slug = toFunctionSlug(name || file.path.replace(/\.\w+$/, ''));
  sorting.take(file, 'code', slug);
  const body = { slug: isFunctionSlug(slug) ? slug : 'function', code };
  return [{ body, secrets: {}, migrations: [], canBeRenamed: true }];
}

/** Takes the files out of the one folder that everything is in, as in archives of repositories. Returns its name. */
function withoutTopFolder(files: ImportFile[]): { files: ImportFile[]; folder: string } {
  const own = files.filter(({ path }) => !path.startsWith('__MACOSX/'));
  const first = own[0]?.path ?? '';
  const top = first.slice(0, first.indexOf('/') + 1);
  const isOnly = top !== '' && !isHidden(top.slice(0, -1)) && own.every(({ path }) => path.startsWith(top));
  if (!isOnly) return { files, folder: '' };
  const inside = files.map((file) =>
    file.path.startsWith(top) ? { ...file, path: file.path.slice(top.length) } : file,
  );
  return { files: inside, folder: top.slice(0, -1) };
}
