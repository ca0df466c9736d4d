import { navigate } from '../../router.tsx';
import type { Chosen } from './chosen.ts';

let dropped: Promise<Chosen> | undefined;

/** Opens the import of files that were dropped on another screen. */
export function importDropped(files: Promise<Chosen>): void {
  dropped = files;
  navigate('/pages/import');
}

/** The files that opened the import, once. */
export function takeDropped(): Promise<Chosen> | undefined {
  const files = dropped;
  dropped = undefined;
  return files;
}
