/** What the editors of pages and of functions share for their files. */
export { extensionOf, languageOf } from './language.ts';
export {
  affected,
  folderOf,
  foldersOf,
  freePath,
  isInside,
  nameOf,
  renamed,
  rowsOf,
  type TreeRow,
} from './paths.ts';
export { relativePath } from './relative.ts';
