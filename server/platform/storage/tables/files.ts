import type { Generated } from 'kysely';

/** The tables of pages' files. */

/** Bytes of files, once for the whole service. The row goes with the last page that uses it. */
export interface FileBlobsTable {
  /** The SHA-256 of the bytes, in hexadecimal. */
  hash: string;
  /** The key of the blob. Random in part: a key that was released is never used again. */
  key: string;
  size: number;
  /** The checksum for archives, which have it before the bytes. */
  crc32: number;
  /** How many pages have the blob in `page_blobs`. */
  pages: number;
}

/** Every blob that some version or draft of a page uses. The page's owner is charged for each once. */
export interface PageBlobsTable {
  page_id: number;
  hash: string;
  /** 1 if no version uses the blob. */
  only_in_drafts: Generated<number | null>;
}

/** Lists of files. Versions and drafts of a page with the same files have the same manifest. */
export interface PageManifestsTable {
  id: Generated<number>;
  page_id: number;
  /** The SHA-256 of the paths and the hashes of their files. */
  hash: string;
  /** `{ path: { hash, size, updatedAt } }` as JSON, sorted by path. */
  files: string;
  /** 1 if no version has the manifest. */
  only_in_drafts: Generated<number | null>;
}
