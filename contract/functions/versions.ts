/** The wire shapes of the versions of functions. */

/** How many versions of a function are kept, with the current one. */
export const MAX_FUNCTION_VERSIONS = 50;
