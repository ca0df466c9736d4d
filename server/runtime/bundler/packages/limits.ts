/** What one deploy may need of the registry. The largest useful trees are far smaller. */
export const MAX_PACKAGES = 200;
/** All dependencies of all packages of a deploy. */
export const MAX_LINKS = 4_000;
/** The list of a package's versions. The lists of the largest packages have about 10 MB. */
export const MAX_PACKUMENT_BYTES = 16 * 1024 * 1024;
export const MAX_TARBALL_BYTES = 16 * 1024 * 1024;
/** All files of all packages of a deploy, also those that the compiler cannot use. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
/** All files and folders of all packages of a deploy. */
export const MAX_UNPACKED_FILES = 20_000;
/** The time for all lists and packages of a deploy. */
export const FETCH_MS = 25_000;
/** Requests of one deploy at the same time. Each response can have 16 MB in memory. */
export const FETCHES_AT_ONCE = 3;
/** All tarballs on disk. */
export const MAX_CACHE_BYTES = 512 * 1024 * 1024;
