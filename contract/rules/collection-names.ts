export const COLLECTION_NAME = /^[a-z][a-z0-9_]*$/;
export const MAX_COLLECTION_NAME = 100;

/** True for a name that a collection can have. */
export const isCollectionName = (name: string) =>
  COLLECTION_NAME.test(name) && name.length <= MAX_COLLECTION_NAME;
