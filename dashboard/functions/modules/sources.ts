import {
  isFunctionPath,
  MAIN_MODULE as MAIN,
  MAX_FUNCTION_FILES,
  MAX_FUNCTION_PATH,
} from '../../../contract/rules/function-names.ts';
import { isInside, readExtension } from '../../editor/files/index.ts';
import { t } from '../../texts/index.ts';
import type { Code } from '../api.ts';

/** The texts of all modules of a function by their path, with the main one. */
export type Sources = Readonly<Record<string, string>>;

type Sent = Pick<Code, 'code' | 'files'>;

export const toSources = ({ code, files }: Sent): Sources => ({ ...files, [MAIN]: code });

/** The modules as the service takes them. */
export function fromSources({ [MAIN]: code = '', ...files }: Sources): Sent {
  return { code, files };
}

export function isSame(a: Sources, b: Sources): boolean {
  const paths = Object.keys(a);
  return paths.length === Object.keys(b).length && paths.every((path) => a[path] === b[path]);
}

const ENDINGS = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'];
const TEXT_ENDINGS = ['json', 'txt', 'css', 'html', 'md', 'sql', 'svg'];

/** Why a function with these modules cannot have one more at this path. */
export function pathFault(paths: string[], wanted: string): string | undefined {
  if (wanted === MAIN) return t('{path} is the main module.', { path: MAIN });
  if (paths.includes(wanted)) return t('There is already a file {path}.', { path: wanted });
  if (!isFunctionPath(wanted)) return nameFault(wanted);
  if (paths.length > MAX_FUNCTION_FILES)
    return t('A function can have at most {max} files.', { max: MAX_FUNCTION_FILES });
  const clash = paths.find((path) => isInside(wanted, path) || isInside(path, wanted));
  return clash && t('The function has {path}, and a file cannot be a folder too.', { path: clash });
}

function nameFault(path: string): string {
  if (path.length > MAX_FUNCTION_PATH) return t('Use at most {max} characters.', { max: MAX_FUNCTION_PATH });
  if (![...ENDINGS, ...TEXT_ENDINGS].includes(readExtension(path)))
    return t('The name must end in .ts, .tsx, .js, .jsx, or in {endings}.', {
      endings: `.${TEXT_ENDINGS.join(', .')}`,
    });
  return t(
    'Use letters, digits, dots, hyphens and underscores. With a slash it goes into a folder: lib/text.ts.',
  );
}
