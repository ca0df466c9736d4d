import type { PageWarning } from '../../../../contract/pages/warnings.ts';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';

/** What was found in the texts that were saved, after what is known of the others. */
export function addWarnings(
  known: readonly PageWarning[],
  found: readonly PageWarning[],
  saved: ReadonlyMap<string, string>,
): PageWarning[] {
  const isOutdated = ({ file = INDEX_PATH, message }: PageWarning) =>
    saved.has(file) || found.some((each) => each.message === message);
  return [...known.filter((warning) => !isOutdated(warning)), ...found];
}
