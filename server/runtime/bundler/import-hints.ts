/** What to write instead of an import that functions do not have. */

/** Sites that have npm packages as modules, and what comes before the name of the package in their addresses. */
const PACKAGE_SITES =
  /^https?:\/{1,2}(?:esm\.sh|esm\.run|unpkg\.com|cdn\.skypack\.dev|(?:cdn|fastly)\.jsdelivr\.net\/npm|ga\.jspm\.io\/npm:|jspm\.dev)\/?(?:v\d+\/|stable\/)?((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@([\w.^~-]+))?((?:\/[\w./~-]+)?)/;

/** A sentence for an import of `jsr:` or of an address. Undefined for others. */
export function hintImport(specifier: string): string | undefined {
  if (specifier.startsWith('jsr:'))
    return `Functions import from npm, not from JSR. If the package is there too, write "npm:" with its name and version; otherwise add its modules to files.`;
  if (!/^https?:/.test(specifier)) return undefined;
  const [, name, version, path = ''] = PACKAGE_SITES.exec(specifier) ?? [];
  if (name === undefined || name === 'jsr' || name === 'gh')
    return 'Functions do not import from addresses. Add the module to files, and import it by its path.';
  // Sites name the file that they made. The package may not have it.
  const inside = /\.m?js$|\/\+esm$/.test(path) ? '' : path;
  return `Functions do not import from addresses. Write "npm:${name}${version === undefined ? '' : `@${version}`}${inside}".`;
}
