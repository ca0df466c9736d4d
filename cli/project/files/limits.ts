import { MAX_PAGE_FILE_BYTES, MAX_PAGE_FILES, MAX_PAGE_FILES_BYTES } from '../../../contract/rules/limits.ts';
import { count, saySize } from '../../terminal/amounts.ts';
import { WHAT_TO_DO } from './read.ts';

/** Counting ends here, for someone who pushes their home folder. */
export const MAX_COUNTED = 20_000;

/** What is too large or too much. */
export function faultsOfSize(
  folder: string,
  found: Array<{ path: string; file: string; size: number }>,
): string[] {
  const faults = found
    .filter(({ size }) => size > MAX_PAGE_FILE_BYTES)
    .map(
      ({ file, size }) =>
        `${file} has ${saySize(size)}. A file can have ${saySize(MAX_PAGE_FILE_BYTES)}. ${WHAT_TO_DO}`,
    );
  if (found.length > MAX_PAGE_FILES) {
    const most = mostIn(found);
    const more = found.length > MAX_COUNTED ? 'more than ' : '';
    faults.push(
      `${folder} has ${more}${count(Math.min(found.length, MAX_COUNTED), 'file')}${most}. A page can have ${count(MAX_PAGE_FILES, 'file')}. Add those that do not belong to it to .quireignore.`,
    );
  }
  const total = found.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_PAGE_FILES_BYTES) {
    const largest = found.reduce((a, b) => (b.size > a.size ? b : a));
    faults.push(
      `${folder} has ${saySize(total)}; the largest file is ${largest.file} (${saySize(largest.size)}). A page can have ${saySize(MAX_PAGE_FILES_BYTES)}.`,
    );
  }
  return faults;
}

/** The folder at the top with the most files. */
function mostIn(found: Array<{ path: string }>): string {
  const counts = new Map<string, number>();
  for (const { path } of found) {
    const [top = '', rest] = path.split('/');
    if (rest !== undefined) counts.set(top, (counts.get(top) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most ? `, ${most[1].toLocaleString('en')} of them in ${most[0]}/` : '';
}
