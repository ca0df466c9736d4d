import { CompileError } from './faults.ts';
import { hintImport } from './import-hints.ts';
import { locatePackage, type Source } from './source.ts';

/** What the runtime's error about a missing module means, and where the source imports it. Undefined for other errors. */
export function explainMissingModule(message: string, source: Source): CompileError | undefined {
  const [, found = ''] = /No such module "([^"]*)"/.exec(message) ?? [];
  // The runtime leaves out a slash.
  const wanted = found.replace(/^(https?:)\/(?!\/)/, '$1//');
  const hint = hintImport(wanted);
  if (hint === undefined) return undefined;
  return new CompileError(`No such module "${wanted}". ${hint}`, locatePackage(source, wanted));
}
