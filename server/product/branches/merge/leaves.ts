import type { ChangeKind } from '../../../../contract/pages/branches/changes.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import type { CollectionContent, FunctionContent, MergedFile, PageContent } from '../../merge-ports.ts';

/** An application with everything that is compared, except records and databases. */
export interface Content {
  page: PageContent;
  /** By the name that the page calls them by. */
  functions: Map<string, FunctionContent>;
  /** By their path, such as `social/posts`. */
  collections: Map<string, CollectionContent>;
}

/** A part of an application that is compared as one. */
export interface Leaf {
  kind: ChangeKind;
  /** Equal keys are equal contents. */
  key: string;
  size: number;
  /** How two changes of it are merged. `fields` goes down to this depth. */
  how: 'lines' | 'whole' | { depth: number };
  /** The text; undefined if it is not text. */
  read(): Promise<string | undefined>;
}

/** The parts of an application, by their path. Functions that not all sides have are compared as a whole. */
export function toLeaves(content: Content, onAllSides: ReadonlySet<string>): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const { page, functions, collections } = content;
  for (const [path, file] of page.files) leaves.set(`files/${path}`, toFileLeaf(file));
  for (const [name, value] of Object.entries(page.settings))
    leaves.set(`settings/${name}`, toLeaf('setting', value, name === 'isolation' ? { depth: 2 } : 'whole'));
  const offered = Object.fromEntries(page.agentFunctions.map((each) => [each.slug, each]));
  if (page.agentFunctions.length > 0) leaves.set('agents', toLeaf('agents', offered, { depth: 2 }));
  for (const [name, each] of functions)
    if (!onAllSides.has(name)) leaves.set(`functions/${name}`, toWholeFunction(each));
    else for (const [part, leaf] of toParts(each)) leaves.set(`functions/${name}/${part}`, leaf);
  for (const [name, { schema, rules }] of collections) {
    if (schema !== null) leaves.set(`collections/${name}/schema`, toLeaf('collection', schema, { depth: 3 }));
    if (rules !== null) leaves.set(`collections/${name}/rules`, toLeaf('collection', rules, { depth: 2 }));
  }
  return leaves;
}

/** The functions that all sides have. */
export function findCommon(sides: readonly Content[]): Set<string> {
  const [first, ...others] = sides.map(({ functions }) => functions);
  return new Set([...(first?.keys() ?? [])].filter((name) => others.every((each) => each.has(name))));
}

const toFileLeaf = ({ hash, size, read }: MergedFile): Leaf => ({
  ...{ kind: 'file', key: hash, size, how: 'lines' },
  read,
});

const textLeaf = (kind: ChangeKind, text: string, how: Leaf['how']): Leaf => ({
  ...{ kind, key: text, size: Buffer.byteLength(text), how },
  read: async () => text,
});

/** A value, or JSON that is stored as text, with one field per line. */
function toLeaf(kind: ChangeKind, value: unknown, how: Leaf['how']): Leaf {
  const parsed = typeof value === 'string' && typeof how === 'object' ? JSON.parse(value) : value;
  return textLeaf(kind, toJson(parsed), how);
}

export const toJson = (value: unknown) => JSON.stringify(value, undefined, 2);

function toParts({ code, files, name, description, schedules, on }: FunctionContent): Array<[string, Leaf]> {
  const modules = Object.entries(JSON.parse(files ?? '{}') as Record<string, string>);
  return [
    ['code', textLeaf('function', code, 'lines')],
    ...modules.map(([path, text]): [string, Leaf] => [`files/${path}`, textLeaf('function', text, 'lines')]),
    ['name', toLeaf('function', name, 'whole')],
    ['description', toLeaf('function', description, 'whole')],
    ['schedules', toLeaf('function', schedules, 'whole')],
    ['on', toLeaf('function', on, 'whole')],
  ];
}

function toWholeFunction({ code, files, name, description, schedules, on }: FunctionContent): Leaf {
  const key = JSON.stringify([code, files, name, description, schedules, on]);
  return { ...textLeaf('function', code, 'whole'), key };
}

/** An application with some of its parts replaced. What is undefined is removed. */
export function replaceLeaves(
  main: Content,
  replaced: ReadonlyMap<string, Replacement>,
  others: readonly Content[],
): Content {
  return new Replacing(main, others).run(replaced);
}

/** What a part becomes: that of one side, or what was merged. */
export type Replacement = { from: Content } | { text: string };

class Replacing {
  readonly #content: Content;

  constructor(
    main: Content,
    private readonly sides: readonly Content[],
  ) {
    const { page } = main;
    this.#content = {
      page: { ...page, files: new Map(page.files), settings: { ...page.settings } },
      functions: new Map(main.functions),
      collections: new Map(main.collections),
    };
  }

  run(replaced: ReadonlyMap<string, Replacement>): Content {
    const common = findCommon([...this.sides, this.#content]);
    for (const [path, by] of replaced) {
      const [group = '', name = ''] = path.split('/');
      const rest = path.slice(group.length + 1);
      if (group === 'files') this.#setFile(rest, by);
      else if (group === 'settings') this.#setSetting(name, by);
      else if (group === 'agents') this.#setAgents(by);
      else if (group === 'functions') this.#setFunction(rest, by, common);
      else this.#setCollection(rest, by);
    }
    for (const [name, each] of this.#content.functions)
      this.#content.functions.set(name, this.#findVersion(name, each));
    return this.#content;
  }

  #setFile(path: string, by: Replacement): void {
    const { files } = this.#content.page;
    const text = 'text' in by ? by.text : undefined;
    const file: MergedFile | undefined =
      text === undefined
        ? 'from' in by
          ? by.from.page.files.get(path)
          : undefined
        : { hash: '', size: Buffer.byteLength(text), text, read: async () => text };
    if (file) files.set(path, file);
    else if (path !== INDEX_PATH) files.delete(path);
  }

  #setSetting(name: string, by: Replacement): void {
    const { settings } = this.#content.page;
    if ('text' in by) settings[name] = JSON.stringify(JSON.parse(by.text));
    else if (by.from.page.settings[name] !== undefined) settings[name] = by.from.page.settings[name];
  }

  #setAgents(by: Replacement): void {
    this.#content.page.agentFunctions =
      'text' in by ? Object.values(JSON.parse(by.text)) : by.from.page.agentFunctions;
  }

  #setFunction(path: string, by: Replacement, common: ReadonlySet<string>): void {
    const [name = '', part] = path.split('/');
    const { functions } = this.#content;
    const given = 'from' in by ? by.from.functions.get(name) : undefined;
    if (part === undefined) {
      if (given) functions.set(name, given);
      else functions.delete(name);
      return;
    }
    const current = functions.get(name);
    if (!current || !common.has(name)) return;
    const { version: _, ...next } = { ...current };
    if (part === 'files') {
      const file = path.slice(name.length + '/files/'.length);
      const modules = JSON.parse(next.files ?? '{}') as Record<string, string>;
      const text = 'text' in by ? by.text : (JSON.parse(given?.files ?? '{}') as typeof modules)[file];
      const entries = Object.entries(modules).filter(([known]) => known !== file);
      if (text !== undefined) entries.push([file, text]);
      entries.sort(([a], [b]) => (a < b ? -1 : 1));
      next.files = entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
    } else if (part === 'code') {
      next.code = 'text' in by ? by.text : (given?.code ?? next.code);
    } else if (given) {
      if (part === 'name') next.name = given.name;
      if (part === 'description') next.description = given.description;
      if (part === 'schedules') next.schedules = given.schedules;
      if (part === 'on') next.on = given.on;
    }
    functions.set(name, next);
  }

  #setCollection(path: string, by: Replacement): void {
    const at = path.lastIndexOf('/');
    const [name, column] = [path.slice(0, at), path.slice(at + 1) as keyof CollectionContent];
    const current = this.#content.collections.get(name) ?? { schema: null, rules: null };
    const value =
      'text' in by ? JSON.stringify(JSON.parse(by.text)) : (by.from.collections.get(name)?.[column] ?? null);
    this.#content.collections.set(name, { ...current, [column]: value });
  }

  /** The version of a side that has the same code, which need not be compiled again. */
  #findVersion(name: string, each: FunctionContent): FunctionContent {
    if (each.version) return each;
    const same = this.sides
      .map(({ functions }) => functions.get(name))
      .find((other) => other?.version && other.code === each.code && other.files === each.files);
    return same?.version ? { ...each, version: same.version } : each;
  }
}
