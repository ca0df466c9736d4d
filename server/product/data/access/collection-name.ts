import { fault } from '../../../../contract/errors.ts';
import { isCollectionName, MAX_COLLECTION_NAME } from '../../../../contract/rules/collection-names.ts';
import { AppError } from '../../../lib/errors.ts';

/** Checks a collection's name, from a path or a list. */
export function checkCollection(name: string): string {
  if (isCollectionName(name)) return name;
  const shown = JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
  const values = { name: shown, max: MAX_COLLECTION_NAME };
  throw new AppError(
    'BAD_REQUEST',
    "{name} is not a collection's name: a-z, 0-9 and _, beginning with a letter, at most {max} characters.",
    values,
    {
      details: [
        fault(
          'collection',
          "{name} is not a collection's name: a-z, 0-9 and _, beginning with a letter, at most {max} characters",
          values,
        ),
      ],
    },
  );
}
