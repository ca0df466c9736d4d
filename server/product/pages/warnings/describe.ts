import { translatable } from '../../../../contract/errors.ts';
import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import type { Finding } from './document.ts';

/** Findings in words. */

/** Characters of a quote from a page. */
const MAX_QUOTED = 120;

/** The file that an address such as `about` can lead to: it is served without its ending. */
export const toFileName = (path: string) =>
  /(?:^|\/)[^/.]+$/.test(path) ? `${path}.html` : path.replace(/\/$/, '/index.html');

export function sayAstray(name: string, count: number) {
  if (count < 2)
    return translatable(
      '{name} leads to the service, not to the file of the page. Write it without the slash at its start.',
      { name },
    );
  return translatable(
    '{count} addresses such as {name} lead to the service, not to files of the page. Build it with a relative base (with Vite: base: "./") or for the path of the page (base: "/p/<slug>/"), or write them without the slash at their start.',
    { name, count },
  );
}

export function describe(
  each: Exclude<Finding, { kind: 'file' }>,
  known: Map<string, 'public' | 'private'>,
): Omit<PageWarning, 'line' | 'column'> | undefined {
  if (each.kind === 'syntax')
    return {
      code: 'SCRIPT_SYNTAX',
      ...translatable('The script does not run: {reason}.', { reason: quote(each.message) }),
    };
  if (each.kind === 'too much script')
    return {
      code: 'NOT_CHECKED',
      ...translatable(
        'This script and those after it were not checked: together they have more than 512 KB.',
      ),
    };
  if (each.kind === 'too deep')
    return {
      code: 'NOT_CHECKED',
      ...translatable(
        'The script was not checked: it is nested too deeply, or a pattern in it is too large.',
      ),
    };
  if (each.kind === 'source')
    return {
      code: 'SOURCE_FILE',
      ...translatable(
        'Browsers cannot run {name}. Build the project first, and publish what the build makes.',
        {
          name: quote(each.path),
        },
      ),
    };
  const slug = quote(each.slug);
  const visibility = known.get(each.slug);
  if (visibility === 'public') return undefined;
  return visibility === 'private'
    ? {
        code: 'PRIVATE_FUNCTION',
        ...translatable(
          'The function {slug} is private, so visitors of the page cannot call it. Set isPublic to true.',
          { slug },
        ),
      }
    : {
        code: 'UNKNOWN_FUNCTION',
        ...translatable('There is no function {slug}. Deploy it, or correct the name.', { slug }),
      };
}

/** Text of the page, in one line and not too long. */
export function quote(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').toWellFormed();
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…`.toWellFormed() : line;
}
