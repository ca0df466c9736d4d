import { PageJson, SAME_SETTINGS } from '../../../../contract/pages/page-json.ts';
import { isFunctionPath } from '../../../../contract/rules/function-names.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { readModules } from './modules.ts';
import type { FunctionPlan, PagePlan } from './plan.ts';
import type { Sorting } from './sorting.ts';

/** What the folder of a page says about it besides its document and files. */
interface FolderSettings {
  page: Pick<PagePlan, 'settings' | 'isPublished' | 'storageMode' | 'schemas' | 'spec'> & {
    name: string | undefined;
  };
  functions: FunctionPlan[];
}

const NONE: FolderSettings = {
  page: {
    name: undefined,
    settings: {},
    isPublished: true,
    storageMode: 'page',
    schemas: {},
    spec: undefined,
  },
  functions: [],
};

/** Files in the folder of a page that describe it, or that only `quire pages push` sends. They are not served. */
export const isOwnFile = (path: string): boolean =>
  /^(?:page\.json|agent-spec\.md|function\.[jt]s|function\/.*|data\/[^/]+\.ndjson)$/i.test(path);

/** Reads page.json and what belongs to it. A folder without page.json has no settings. */
export function readFolderSettings(sorting: Sorting): FolderSettings {
  const file = sorting.find('page.json');
  if (!file) return NONE;
  const json = parsePageJson(sorting.text('page.json') ?? '');
  if (!json) {
    sorting.leave(file, phrase('is not valid: check it with quire pages push'));
    // Its settings may limit who can see the page.
    return { ...NONE, page: { ...NONE.page, isPublished: false } };
  }
  sorting.take(file, 'settings');
  const { name, is_published = true, storage_mode: storageMode = 'page' } = json;
  const same = Object.fromEntries(
    SAME_SETTINGS.filter((each) => !['name', 'is_published', 'storage_mode'].includes(each)).flatMap(
      (each) => (json[each] === undefined ? [] : [[each, json[each]]]),
    ),
  );
  const needsPassword = json.access?.mode === 'password';
  if (needsPassword)
    sorting.leaveSetting(
      'page.json: access',
      phrase('needs a password, which is not among the files: set it, and publish the page then'),
    );
  const settings = {
    ...same,
    ...json.features,
    ...(json.access && !needsPassword && { access: withoutPeople(sorting, json.access) }),
    ...(json.agent_functions && { agent_functions: json.agent_functions }),
  };
  const specFile = sorting.find('agent-spec.md');
  if (specFile) sorting.take(specFile, 'settings');
  const page = {
    ...{ name, storageMode, isPublished: is_published && !needsPassword },
    // The API checks these.
    settings: settings as PagePlan['settings'],
    schemas: json.schemas ?? {},
    spec: json.agent_spec ?? sorting.text('agent-spec.md'),
  };
  return { page, functions: planFunction(sorting, json) };
}

/** How many of the people who could see the page are named. */
const MAX_SHOWN = 5;

/**
 * Somebody else may have made the files, and must not choose who sees the page: each person who is added gets an e-mail in
 * the name of the importer.
 */
function withoutPeople(sorting: Sorting, access: NonNullable<PageJson['access']>) {
  const { people = [], ...others } = access;
  if (access.mode !== 'people') return access;
  const names = people.slice(0, MAX_SHOWN).map((name) => name.slice(0, 100).toWellFormed());
  sorting.leaveSetting(
    'page.json: access',
    phrase('lets others see the page ({names}): it is private until you add them', {
      names: names.join(', ') + (people.length > MAX_SHOWN ? ', …' : ''),
    }),
  );
  return { ...others, mode: 'private' };
}

function parsePageJson(text: string): PageJson | undefined {
  try {
    return PageJson.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The function of a page: function.ts or function.js, and the modules in the folder function. */
function planFunction(sorting: Sorting, { function: fields }: PageJson): FunctionPlan[] {
  const main = sorting.find('function.ts') ?? sorting.find('function.js');
  if (!main || !fields) return [];
  const modules = sorting.open.filter(({ path }) => path.startsWith('function/') && isFunctionPath(path));
  const read = readModules(sorting, main, modules, '');
  if (!read) return [];
  const { useDatabase, aiDailyLimit, ...body } = fields;
  if (useDatabase !== undefined)
    sorting.leaveSetting(
      'page.json: useDatabase',
      phrase('shares the database of another function: choose that with quire pages push'),
    );
  if (aiDailyLimit !== undefined)
    sorting.leaveSetting(
      'page.json: aiDailyLimit',
      phrase('lets the function spend your credits: set the limit yourself, in its settings'),
    );
  for (const file of [main, ...modules]) sorting.take(file, 'code', body.slug);
  return [{ body: { ...body, ...read }, secrets: {}, migrations: [], canBeRenamed: false }];
}
