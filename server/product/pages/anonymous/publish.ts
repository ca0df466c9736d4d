import { randomBytes } from 'node:crypto';
import {
  ANONYMOUS_PAGES_PER_DAY,
  type PublishedAnonymously,
  UNCLAIMED_HOURS,
} from '../../../../contract/pages/anonymous/anonymous.ts';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import { type AddContext, addPage } from '../editing/create.ts';
import { measureHtml } from '../model/measure-html.ts';
import { updatePage } from '../model/page-store.ts';
import { toColumns } from '../model/switches.ts';
import { makeClaimPath } from './claim.ts';
import { readTitle } from './title.ts';

const HOUR_MS = 3600 * 1000;

export type PublishContext = Omit<AddContext, 'pictures'> & {
  baseUrl: string;
  limits: Limits;
  /** The account that pages belong to until somebody claims them. Its quota is the limit of the whole server. */
  findAnonymousOwner(): Promise<number>;
};

type Publish = (html: string, address: string) => Promise<PublishedAnonymously>;

/** Creates the function that publishes a document of somebody without an account, for a day. */
export function createPublish(context: PublishContext): Publish {
  const perAddress = context.limits.limit(
    'anonymous-pages',
    { points: ANONYMOUS_PAGES_PER_DAY, seconds: 24 * 3600 },
    'Your address has published {points} pages without an account in the last day, which is the limit. Log in to publish more, or try again {wait}.',
  );
  return async (html, address) => {
    measureHtml(html);
    await perAddress.take(limitKey(address));
    const secret = randomSecret();
    const expiresAt = context.now() + UNCLAIMED_HOURS * HOUR_MS;
    const page = await add(context, html, { claimHash: hashSecret(secret), expiresAt });
    return {
      url: pageUrl(context.baseUrl, page.slug),
      slug: page.slug,
      expires_at: toTimestamp(expiresAt),
      claim: context.baseUrl + makeClaimPath(page.id, secret),
    };
  };
}

async function add(
  context: PublishContext,
  html: string,
  { claimHash, expiresAt }: { claimHash: string; expiresAt: number },
) {
  const userId = await context.findAnonymousOwner();
  const settings = {
    // A slug that somebody chose could seem to speak for others, or take an address that others want.
    slug: `page-${randomBytes(6).toString('hex')}`,
    name: readTitle(html) ?? 'Untitled page',
    description: '',
    storage_mode: 'page' as const,
    is_published: 1,
    isolation: '{}',
    access_mode: 'public' as const,
    access_stamp: '',
    access_expires_at: expiresAt,
    ...toColumns({ is_unlisted: true }),
  };
  try {
    return await addPage(context, { userId }, html, settings, (tx, page) =>
      updatePage(tx, page.id, { claim_hash: claimHash }),
    );
  } catch (error) {
    // The account is at its quota, or an administrator has suspended it.
    const isRefused = error instanceof AppError && ['QUOTA_EXCEEDED', 'FORBIDDEN'].includes(error.code);
    throw isRefused ? notNow() : error;
  }
}

function notNow(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'This server takes no more pages from people without an account at the moment. Log in to publish, or try again later.',
    {},
    { headers: { 'retry-after': '3600' } },
  );
}
