/** All dependencies of all packages of a deploy. */
export const MAX_LINKS = 4_000;
/** The list of a package's versions. It is on disk while it is read, and only a version at a time in memory. */
export const MAX_PACKUMENT_BYTES = 64 * 1024 * 1024;
/** What the registry says about one version. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;
export const MAX_TARBALL_BYTES = 64 * 1024 * 1024;
/** All files of all packages of a deploy, also those that the compiler cannot use. */
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** All files and folders of all packages of a deploy. */
export const MAX_UNPACKED_FILES = 20_000;
/** The time for all lists and packages of a deploy. */
export const FETCH_MS = 25_000;
/** Requests of one deploy at the same time. */
export const FETCHES_AT_ONCE = 3;
/** All tarballs on disk. */
export const MAX_CACHE_BYTES = 512 * 1024 * 1024;
