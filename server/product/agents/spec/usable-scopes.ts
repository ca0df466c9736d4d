import { FEATURE_FLAGS } from '../../../../contract/pages/pages.ts';
import { findDataType } from '../../../../contract/rules/storage-modes.ts';
import { type AppScope, CALL_SCOPE, FEATURES_SCOPE, PAGE_SCOPES } from '../../../../contract/scopes.ts';
import type { PageRow } from '../../../platform/storage/index.ts';

/** The scopes that a visitor's app can use on a page: for its data, its features and the functions that it names. */
export function usableScopes(
  page: Pick<PageRow, 'storage_mode' | (typeof FEATURE_FLAGS)[number]>,
  hasFunctions: boolean,
): AppScope[] {
  const data = findDataType(page.storage_mode);
  return PAGE_SCOPES.filter((scope) => {
    if (scope === FEATURES_SCOPE) return FEATURE_FLAGS.some((flag) => page[flag] === 1);
    if (scope === CALL_SCOPE) return hasFunctions;
    return data !== undefined && scope.startsWith(`${data}:`);
  });
}
