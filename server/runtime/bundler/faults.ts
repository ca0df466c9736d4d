import { hintImport } from './import-hints.ts';
import { NO_JSX_LIBRARY } from './jsx.ts';
import { type Message, parseMessages, unresolvedImport } from './messages.ts';
import { missingNodeModule } from './node-modules.ts';
import type { PackageTree, TreeNode } from './packages/tree.ts';
import { locatePackage, MAIN, type ModuleLocation, type Source, toPackageSpecifier } from './source.ts';

/** Why a source cannot be compiled, and where. */
export class CompileError extends Error {
  constructor(
    message: string,
    readonly location: ModuleLocation,
    /** True if the same source may compile later: the registry does not answer. */
    readonly isOurs = false,
    /** True if the source could be read, but not what it imports. */
    readonly isUnresolved = false,
    /** A package that the source may mean with an import that it does not have. */
    readonly missingPackage?: string,
  ) {
    super(message);
  }
}

/** The first error in the owner's own files, or else the first one. */
export function toCompileError(output: string, source: Source, tree: PackageTree): CompileError {
  const messages = parseMessages(output);
  const own = messages.find(({ path }) => path.startsWith('source/'));
  const message = own ?? messages[0];
  if (!message)
    return new CompileError('The compiler ended without a message.', { file: MAIN, line: 1, column: 1 });
  if (own) return ownFault(own, source, tree);
  const node = findNode(message, tree);
  return node
    ? new CompileError(packageFault(message, node), locatePackage(source, node.specifier))
    : new CompileError(message.text, { file: MAIN, line: 1, column: 1 });
}

/** The first import of the owner's that names a package which could not be installed. */
export function failedImport(output: string, source: Source, tree: PackageTree): CompileError | undefined {
  const message = parseMessages(output).find((each) => {
    const wanted = each.path.startsWith('source/') ? unresolvedImport(each) : undefined;
    return wanted !== undefined && tree.failures.has(toPackageSpecifier(wanted) ?? '');
  });
  return message && ownFault(message, source, tree);
}

function ownFault(message: Message, source: Source, tree: PackageTree): CompileError {
  const file = message.path.slice('source/'.length);
  const code = file === MAIN ? source.code : (source.files[file] ?? '');
  const location = { file, line: message.line, column: findColumn(code, message) };
  const wanted = unresolvedImport(message);
  return wanted === undefined
    ? new CompileError(message.text, location)
    : toImportError(wanted, location, tree);
}

/** Why a module of the owner's cannot be imported, and what to write instead. */
export function toImportError(wanted: string, location: ModuleLocation, tree: PackageTree): CompileError {
  const specifier = toPackageSpecifier(wanted) ?? '';
  const failure = tree.failures.get(specifier);
  if (failure) return new CompileError(failure.message, location, failure.isOurs, true);
  const node = tree.roots.get(specifier);
  const text = node ? noModule(wanted, specifier, node) : unresolvedText(wanted);
  if (text !== undefined) return new CompileError(text, location, false, true);
  return new CompileError(`No such module "${wanted}".`, location, false, true, specifier);
}

const noModule = (wanted: string, specifier: string, node: TreeNode) =>
  `The package ${formatNode(node)} has no module ${JSON.stringify(wanted.slice(specifier.length + 1) || '.')}.`;

/** Undefined if the import may mean a package. */
function unresolvedText(wanted: string): string | undefined {
  const missing = missingNodeModule(wanted);
  if (missing) return `No such module "${missing}". ${NOT_IN_RUNTIME}`;
  if (isNative(wanted)) return `"${wanted}" is native code. ${NO_NATIVE_CODE}`;
  if (wanted.startsWith(NO_JSX_LIBRARY))
    return 'JSX needs a library. Import its function, for example React, or begin the file with /** @jsxImportSource npm:preact@10 */.';
  const hint = hintImport(wanted);
  if (hint !== undefined) return `No such module "${wanted}". ${hint}`;
  if (/^\.{0,2}\//.test(wanted)) return `No such module "${wanted}". Add it to files.`;
  if (wanted.startsWith('npm:'))
    return `"${wanted}" is not a package. Write its name and a version, for example "npm:zod@4" or "npm:zod@^4.1.0".`;
  return undefined;
}

function packageFault(message: Message, node: TreeNode): string {
  const wanted = unresolvedImport(message);
  const named = `The package ${formatNode(node)}`;
  if (wanted === undefined) return `${named} cannot be compiled: ${message.text}`;
  const missing = missingNodeModule(wanted);
  if (missing) return `${named} needs ${missing}. ${NOT_IN_RUNTIME}`;
  if (isNative(wanted)) return `${named} has native code (${wanted}). ${NO_NATIVE_CODE}`;
  return `${named} imports "${wanted}", which is not one of its dependencies.`;
}

const NOT_IN_RUNTIME = 'Functions do not have this module of Node.js.';
const NO_NATIVE_CODE = 'Functions run JavaScript and WebAssembly only.';
const isNative = (wanted: string) => wanted.endsWith('.node');

export const formatNode = ({ name, version }: TreeNode) => `${name}@${version}`;

function findNode({ path }: Message, { nodes }: PackageTree): TreeNode | undefined {
  const [, index] = /^node_modules\/\.q\/(\d+)\//.exec(path) ?? [];
  return index === undefined ? undefined : nodes[Number(index)];
}

function findColumn(text: string, { line, byte }: Message): number {
  const bytes = Buffer.from(text.split('\n', line)[line - 1] ?? '');
  return bytes.subarray(0, byte).toString().length + 1;
}
