/** What the editors of pages and of functions share for their files. */
export { chooseLanguage, readExtension } from './language.ts';
export {
  affected,
  baseName,
  freePath,
  isInside,
  listRows,
  parentFolder,
  parentFolders,
  renamed,
  type TreeRow,
} from './paths.ts';
export { relativePath } from './relative.ts';
