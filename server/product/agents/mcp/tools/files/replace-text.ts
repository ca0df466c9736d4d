import { MAX_PAGE_FILE_BYTES } from '../../../../../../contract/rules/limits.ts';
import { AppError, badRequest } from '../../../../../lib/errors.ts';
import type { Input } from '../definition.ts';

/** The most passages that are replaced together. */
export const MAX_PASSAGES = 10_000;

/** Replaces a passage of a text as an agent asks for: the only one, or all that are equal. */
export function replaceText(text: string, { find, replace, all = false }: Input): string {
  if (typeof find !== 'string' || find === '')
    throw badRequest([{ path: 'find', message: 'must be text, and not empty' }]);
  if (typeof replace !== 'string') throw badRequest([{ path: 'replace', message: 'must be text' }]);
  const count = countPassages(text, find);
  if (count === 0)
    throw new AppError(
      'BAD_REQUEST',
      'find: does not occur in the file. Read it again, and copy the passage exactly.',
    );
  if (count > MAX_PASSAGES)
    throw new AppError(
      'BAD_REQUEST',
      'find: occurs more than {count} times. Copy more of what is around it, or write the whole file.',
      { count: MAX_PASSAGES },
    );
  if (count > 1 && all !== true)
    throw new AppError(
      'BAD_REQUEST',
      'find: occurs {count} times. Copy more of what is around it, or send all=true.',
      { count },
    );
  // Checked before the text is made: a short request can ask for one of gigabytes.
  if (text.length + count * (replace.length - find.length) > MAX_PAGE_FILE_BYTES)
    throw new AppError('PAYLOAD_TOO_LARGE', 'The file would have more than {count} bytes.', {
      count: MAX_PAGE_FILE_BYTES,
    });
  return text.split(find).join(replace);
}

/** How often a passage occurs. Stops counting after the most that can be replaced. */
function countPassages(text: string, passage: string): number {
  let count = 0;
  for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + passage.length))
    if (++count > MAX_PASSAGES) break;
  return count;
}
