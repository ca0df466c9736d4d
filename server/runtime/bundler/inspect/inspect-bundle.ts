import { MAIN, type ModuleLocation } from '../source.ts';
import { locatePlace, nameSource, splitFiles } from '../source-map.ts';
import { type CodeFinding, inspectCode } from './inspect-code.ts';

/** Code that makes code from text in a call, which works only while a module loads. */
export type GeneratedCode = { by: 'eval' | 'Function' } & (
  | { location: ModuleLocation }
  /** A package that the owner's code imports, such as `ejs@3.1.10`. */
  | { packageName: string }
);

export interface Inspection {
  generated: GeneratedCode[];
  /** The first import of a module that a bundle cannot have. */
  missing?: { specifier: string; location: ModuleLocation };
}

export interface InspectOrder {
  code: string;
  /** The map of a bundle; null if it has none. Undefined if the code runs as it was sent. */
  sourceMap?: string | null | undefined;
  /** Names and versions of packages by their index, and which of them the owner's code imports. */
  packages?: string[];
  direct?: number[];
}

/** The most warnings about the owner's own code. */
const MAX_OWN = 5;

/** Looks for what cannot run, in the owner's own code and in the packages that it imports. Runs in a thread. */
export async function inspect(order: InspectOrder): Promise<Inspection> {
  const { code, sourceMap } = order;
  const result: Inspection = { generated: [] };
  if (sourceMap === undefined) {
    const locate = (at: number) => ({ file: MAIN, ...findPosition(code, at) });
    addOwn(result, await inspectCode(code), locate);
    return result;
  }
  const packages = new Map<string, GeneratedCode>();
  for (const { path, start, end } of splitFiles(code)) {
    const packageName = findDirect(path, order);
    if (path.startsWith('source/')) {
      const locate = (at: number) => {
        const { line, column } = findPosition(code, start + at);
        const found = sourceMap === null ? undefined : locatePlace(sourceMap, line, column);
        return found ?? { file: nameSource(path, []), line: 1, column: 1 };
      };
      addOwn(result, await inspectCode(code.slice(start, end)), locate);
    } else if (packageName !== undefined && !packages.has(packageName)) {
      const by = await findGenerated(code.slice(start, end));
      if (by) packages.set(packageName, { by, packageName });
    }
  }
  result.generated.push(...packages.values());
  return result;
}

/** Adds what is in a file of the owner. Only what is named is located, because that takes long. */
function addOwn(result: Inspection, found: CodeFinding[], locate: (at: number) => ModuleLocation): void {
  for (const each of found) {
    if (each.kind === 'import') result.missing ??= { specifier: each.specifier, location: locate(each.at) };
    else if (result.generated.length < MAX_OWN)
      result.generated.push({ by: each.by, location: locate(each.at) });
  }
}

/** What a package makes code with. Packages also try what a runtime can do, and do without it if that fails. */
async function findGenerated(code: string): Promise<GeneratedCode['by'] | undefined> {
  const [first] = (await inspectCode(code)).flatMap((each) =>
    each.kind === 'generated' && !each.isGuarded ? [each.by] : [],
  );
  return first;
}

/** The package of a file, if the owner's code imports it. Others are dependencies, which their users know. */
function findDirect(path: string, { packages = [], direct = [] }: InspectOrder): string | undefined {
  const [, index = ''] = /^node_modules\/\.q\/(\d+)\//.exec(path) ?? [];
  return index !== '' && direct.includes(Number(index)) ? packages[Number(index)] : undefined;
}

/** Line and column of an offset, both from 1. */
function findPosition(code: string, at: number): { line: number; column: number } {
  const before = code.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}
