import type { FunctionWarning } from '../../../../contract/functions/functions.ts';
import {
  type BundlePart,
  type Bundler,
  CompileError,
  explainMissingModule,
  MAIN,
} from '../../../runtime/bundler/index.ts';
import { type Cell, LoadError } from '../../../runtime/cells/index.ts';
import { parseFiles } from '../model/files.ts';
import { asSent, type VersionContent } from './add-version.ts';
import { describeGenerated } from './generated-code.ts';
import { looksTyped } from './looks-typed.ts';

type Sent = Pick<VersionContent, 'code' | 'files'>;

interface Loading {
  bundler: Bundler;
  owner: number;
  /** Starts a cell with a program. Throws `LoadError` if it does not load. */
  start(program: string): Promise<Cell>;
}

export interface Loaded {
  content: VersionContent;
  cell: Cell;
  /** If the source was compiled. */
  bundle?: BundleReport;
  warnings?: FunctionWarning[];
}

/** How large a bundle is, and what makes it large. */
export interface BundleReport {
  size: number;
  largest: BundlePart[];
}

/**
 * Finds out how a source runs. What loads as it was sent runs as it was sent, at the cost of one cell. Only what does not
 * is compiled: TypeScript, further files and packages.
 */
export async function loadSource(loading: Loading, source: Sent): Promise<Loaded> {
  if (source.files !== null || source.code.includes('npm:') || looksTyped(source.code))
    return loadCompiled(loading, await compile(loading, source));
  const generated = MAY_BE_REFUSED.test(source.code)
    ? await loading.bundler.inspect({ bundle: source.code })
    : [];
  try {
    const cell = await loading.start(source.code);
    return { content: asSent(source.code), cell, warnings: describeGenerated(generated) };
  } catch (error) {
    if (!(error instanceof LoadError) || !error.isNotJavaScript) throw error;
    const compiled = await compile(loading, source).catch((compiling: unknown) => {
      throw chooseLater(source.code, error, compiling);
    });
    return loadCompiled(loading, compiled);
  }
}

/** Code without any of these imports nothing in a call, and makes no code from text. */
const MAY_BE_REFUSED = /\b(?:eval|Function|import)\b/;

async function loadCompiled(loading: Loading, compiled: Compiled): Promise<Loaded> {
  const { content, bundle, native, warnings } = compiled;
  try {
    return { ...(await loadVersion(loading, content)), bundle, warnings };
  } catch (error) {
    if (!(error instanceof CompileError) || native.length === 0) throw error;
    const why = `${error.message.replace(/[.\s]*$/, '.')} The package ${native[0]} has native code, and functions run JavaScript and WebAssembly only.`;
    throw new CompileError(why, error.location);
  }
}

/** Starts a version that was compiled before, or that needs no compiling. */
export async function loadVersion(loading: Loading, content: VersionContent): Promise<Loaded> {
  if (content.bundle === null) return { content, cell: await loading.start(content.code) };
  const { bundle, source_map } = content;
  try {
    return { content, cell: await loading.start(bundle) };
  } catch (error) {
    throw error instanceof LoadError && source_map !== null
      ? (explainMissingModule(error.message, { code: content.code, files: parseFiles(content.files) }) ??
          (await toSourceError(loading.bundler, error, source_map)))
      : error;
  }
}

interface Compiled {
  content: VersionContent;
  bundle: BundleReport;
  native: string[];
  warnings: FunctionWarning[];
}

async function compile({ bundler, owner }: Loading, { code, files }: Sent): Promise<Compiled> {
  const { bundle, sourceMap, bytes, largest, native, generated } = await bundler.compile(owner, {
    code,
    files: parseFiles(files),
  });
  return {
    content: { code, files, bundle, source_map: sourceMap },
    bundle: { size: bytes, largest },
    native,
    warnings: describeGenerated(generated),
  };
}

/** Maps an error of the bundle to its place in the source. */
async function toSourceError(bundler: Bundler, error: LoadError, sourceMap: string): Promise<CompileError> {
  const { message, line = 1, column = 1 } = error;
  const start = { file: MAIN, line: 1, column: 1 };
  return new CompileError(message, (await bundler.locate(sourceMap, line, column)) ?? start);
}

/** If neither V8 nor the compiler can read a module, the one that got further knows more about it. */
function chooseLater(code: string, v8: LoadError, compiling: unknown): unknown {
  if (!(compiling instanceof CompileError) || !v8.isSyntaxError) return compiling;
  if (compiling.isUnresolved || compiling.location.file !== MAIN) return compiling;
  const [v8End, end] = [findOffset(code, v8), findOffset(code, compiling.location)];
  return end <= v8End || isSamePlace(code.slice(v8End, end)) ? v8 : compiling;
}

/** Whether two places are one token apart: for a missing parenthesis, V8 names the token before it. */
const isSamePlace = (between: string) => /^(?:"[^"\n]*"|'[^'\n]*'|`[^`]*`|[\w$]+|[^\w\s])?\s*$/.test(between);

function findOffset(code: string, { line = 1, column = 1 }: Pick<LoadError, 'line' | 'column'>): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = code.indexOf('\n', start);
    if (end === -1) break;
    start = end + 1;
  }
  return start + column - 1;
}
