import type { z } from 'zod';
import { specEndpoints } from '../../../../contract/agents/spec-endpoints.ts';
import { recordEndpoints } from '../../../../contract/data/endpoints.ts';
import { functionEndpoints } from '../../../../contract/functions/endpoints.ts';
import type { CreateFunction } from '../../../../contract/functions/functions.ts';
import { findStorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import { requireApi } from '../../../platform/http/index.ts';
import { assertWanted, type Publishing } from './publishing.ts';

/** Steps that every publication has. */

type NewFunction = z.input<typeof CreateFunction>;

/** Slugs are unique on the whole server. After these many numbers, one is drawn. */
const NUMBERED = 3;
const MAX_ATTEMPTS = 6;

/** Deploys a function under its slug or, if that is taken and another is allowed, under one that begins like it. */
export async function deployFunction(
  publishing: Publishing,
  slug: string,
  canBeRenamed: boolean,
  toBody: (slug: string) => NewFunction,
) {
  const { api, exchange } = publishing;
  for (let attempt = 1; ; attempt++) {
    assertWanted(publishing);
    const ending = attempt <= NUMBERED ? String(attempt) : Math.random().toString(36).slice(2, 8);
    try {
      const body = toBody(attempt === 1 ? slug : `${slug}-${ending}`);
      return await requireApi(api, exchange, functionEndpoints.createFunction, { body });
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'SLUG_TAKEN';
      if (!isTaken || !canBeRenamed || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Sets the schemas and the agent spec of a page. */
export async function describePage(
  publishing: Publishing,
  id: number,
  page: { storageMode: string; schemas: Record<string, unknown>; spec: string | null | undefined },
): Promise<void> {
  const { api, exchange } = publishing;
  const type = findStorageType(page.storageMode);
  for (const [collection, schema] of Object.entries(type ? page.schemas : {}))
    if (type)
      await requireApi(api, exchange, recordEndpoints[type].setSchema, {
        params: { id, collection },
        body: { schema },
      });
  const spec = page.spec?.replaceAll('{{PAGE_ID}}', String(id));
  if (spec) await requireApi(api, exchange, specEndpoints.setAgentSpec, { params: { id }, body: { spec } });
}
