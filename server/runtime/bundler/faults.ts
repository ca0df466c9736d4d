import { type Message, parseMessages, unresolvedImport } from './messages.ts';
import { missingNodeModule } from './node-modules.ts';
import type { PackageTree, TreeNode } from './packages/tree.ts';
import { MAIN, type Place, parseSpecifier, placeOf, type Source } from './source.ts';

/** Why a source cannot be compiled, and where. */
export class CompileError extends Error {
  constructor(
    message: string,
    readonly place: Place,
    /** True if the same source may compile later: the registry does not answer. */
    readonly isOurs = false,
    /** True if the source could be read, but not what it imports. */
    readonly isUnresolved = false,
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
  const node = nodeOf(message, tree);
  return node
    ? new CompileError(packageFault(message, node), placeOf(source, node.specifier))
    : new CompileError(message.text, { file: MAIN, line: 1, column: 1 });
}

/** The first import of the owner's that names a package which could not be installed. */
export function failedImport(output: string, source: Source, tree: PackageTree): CompileError | undefined {
  const message = parseMessages(output).find((each) => {
    const wanted = each.path.startsWith('source/') ? unresolvedImport(each) : undefined;
    return wanted !== undefined && tree.failures.has(parseSpecifier(wanted)?.specifier ?? '');
  });
  return message && ownFault(message, source, tree);
}

function ownFault(message: Message, source: Source, tree: PackageTree): CompileError {
  const file = message.path.slice('source/'.length);
  const text = file === MAIN ? source.code : (source.files[file] ?? '');
  const place = { file, line: message.line, column: columnOf(text, message) };
  const wanted = unresolvedImport(message);
  if (wanted === undefined) return new CompileError(message.text, place);
  const specifier = parseSpecifier(wanted)?.specifier ?? '';
  const failure = tree.failures.get(specifier);
  if (failure) return new CompileError(failure.message, place, failure.isOurs, true);
  return new CompileError(unresolvedText(wanted, tree.roots.get(specifier)), place, false, true);
}

function unresolvedText(wanted: string, node: TreeNode | undefined): string {
  if (node) {
    const path = parseSpecifier(wanted)?.specifier.length ?? 0;
    return `The package ${titleOf(node)} has no module ${JSON.stringify(wanted.slice(path + 1) || '.')}.`;
  }
  const missing = missingNodeModule(wanted);
  if (missing) return `No such module "${missing}". ${NOT_IN_RUNTIME}`;
  if (isNative(wanted)) return `"${wanted}" is native code. ${NO_NATIVE_CODE}`;
  if (/^\.{0,2}\//.test(wanted)) return `No such module "${wanted}". Add it to files.`;
  if (wanted.startsWith('npm:'))
    return `"${wanted}" is not a package. Write its name and a version, for example "npm:zod@4" or "npm:zod@^4.1.0".`;
  return `No such module "${wanted}". Packages are imported with npm: and a version, for example "npm:${wanted}@1".`;
}

function packageFault(message: Message, node: TreeNode): string {
  const wanted = unresolvedImport(message);
  const named = `The package ${titleOf(node)}`;
  if (wanted === undefined) return `${named} cannot be compiled: ${message.text}`;
  const missing = missingNodeModule(wanted);
  if (missing) return `${named} needs ${missing}. ${NOT_IN_RUNTIME}`;
  if (isNative(wanted)) return `${named} has native code (${wanted}). ${NO_NATIVE_CODE}`;
  return `${named} imports "${wanted}", which is not one of its dependencies.`;
}

const NOT_IN_RUNTIME = 'Functions do not have this module of Node.js.';
const NO_NATIVE_CODE = 'Functions run JavaScript and WebAssembly only.';
const isNative = (wanted: string) => wanted.endsWith('.node');

export const titleOf = ({ name, version }: TreeNode) => `${name}@${version}`;

function nodeOf({ path }: Message, { nodes }: PackageTree): TreeNode | undefined {
  const [, index] = /^node_modules\/\.q\/(\d+)\//.exec(path) ?? [];
  return index === undefined ? undefined : nodes[Number(index)];
}

function columnOf(text: string, { line, byte }: Message): number {
  const bytes = Buffer.from(text.split('\n', line)[line - 1] ?? '');
  return bytes.subarray(0, byte).toString().length + 1;
}
