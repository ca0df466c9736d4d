import { AppError, badRequest } from '../../../../../lib/errors.ts';
import type { Input } from '../definition.ts';

/** Replaces a passage of a text as an agent asks for: the only one, or all that are equal. */
export function replaceText(text: string, { find, replace, all = false }: Input): string {
  if (typeof find !== 'string' || find === '')
    throw badRequest([{ path: 'find', message: 'must be text, and not empty' }]);
  if (typeof replace !== 'string') throw badRequest([{ path: 'replace', message: 'must be text' }]);
  const parts = text.split(find);
  if (parts.length === 1)
    throw new AppError(
      'BAD_REQUEST',
      'find: does not occur in the file. Read it again, and copy the passage exactly.',
    );
  if (parts.length > 2 && all !== true)
    throw new AppError(
      'BAD_REQUEST',
      'find: occurs {count} times. Copy more of what is around it, or send all=true.',
      { count: parts.length - 1 },
    );
  return parts.join(replace);
}
