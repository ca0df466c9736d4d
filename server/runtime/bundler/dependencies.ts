import { CompileError } from './faults.ts';
import type { Dependencies, Source } from './source.ts';

const FIELDS = ['devDependencies', 'peerDependencies', 'optionalDependencies', 'dependencies'];

/** Characters of a range of versions. Every version of a package is compared with it. */
const MAX_RANGE = 500;

/** Reads `package.json` among the files of a function. */
export function readDependencies({ files }: Source): Dependencies {
  const text = files['package.json'];
  if (text === undefined) return new Map();
  const found: Dependencies = new Map();
  const json = parse(text);
  for (const field of FIELDS)
    for (const [name, range] of Object.entries(json[field] ?? {}))
      if (typeof range === 'string' && range.length <= MAX_RANGE) found.set(name, range.trim() || '*');
  return found;
}

function parse(text: string): Record<string, object | undefined> {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null) return json as Record<string, object | undefined>;
  } catch {
    // Said below.
  }
  throw new CompileError('The file is not a JSON object.', { file: 'package.json', line: 1, column: 1 });
}
