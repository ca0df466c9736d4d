import { folderSizes } from '../platform/operations/index.ts';
import type { Providers } from '../platform/providers/index.ts';
import { postgresBytes } from '../platform/storage/index.ts';
import { checkProvider, findConfirmedEmail, listAdministrators } from '../product/accounts/index.ts';
import { createProviderTests, type ProviderTests } from '../product/admin/index.ts';
import type { PageDirectory, Pages } from '../product/pages/index.ts';
import { createReports, type ReportsSlice } from '../product/reports/index.ts';
import type { Platform } from '../start-platform.ts';

/** Where administrators find out what fills the disk. */
export function storageSources({ config, db, storage }: Platform) {
  const isElsewhere = storage.engine === 'postgres';
  return {
    folder: () => folderSizes(config.dataFolder),
    ...(isElsewhere && { externalDatabaseBytes: () => postgresBytes(db) }),
    bucket: config.s3?.bucket,
  };
}

/** The services that this one uses, and how to try each. */
export function providerTests(platform: Platform, { providers }: { providers: Providers }): ProviderTests {
  const { oidc } = platform.config;
  const checkLogin = async () => (oidc ? checkProvider(oidc) : '');
  return createProviderTests({ ...platform, providers, checkLogin });
}

/** Reports of pages, for administrators and owners. */
export function startReports(
  platform: Platform,
  { directory, pages }: { directory: PageDirectory; pages: Pages },
): ReportsSlice {
  return createReports({
    ...platform,
    pages: directory,
    findPageOfDomain: async (domain) => pages.domains.table.find(domain),
    describePages: (ids) => pages.administration.describe(ids),
    findConfirmedEmail,
    listAdministrators,
    photograph: pages.photograph,
  });
}
