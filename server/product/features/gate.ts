import type { z } from 'zod';
import { FEATURES_SCOPE } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import type { Limit, Limits } from '../../platform/coordination/limits/index.ts';
import {
  type Actor,
  type Caller,
  identifySender,
  readJson,
  type SignedInCaller,
  validate,
} from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';
import {
  authRequired,
  cannotPublish,
  disabled,
  notInChecks,
  pageMissing,
  tokenWithoutScope,
} from './feature-error.ts';

/** The five features: the setting that enables each, its name in errors, and its rate. */
export const FEATURES = {
  chat: { flag: 'page_api_ai_enabled', word: 'ai', perMinute: 20 },
  'image generation': { flag: 'page_api_image_gen_enabled', word: 'image_gen', perMinute: 10 },
  'image search': { flag: 'page_api_image_search_enabled', word: 'image_search', perMinute: 30 },
  'image recognition': {
    flag: 'page_api_image_recognition_enabled',
    word: 'image_recognition',
    perMinute: 30,
  },
  spawn: { flag: 'page_api_spawn_enabled', word: 'spawn', perMinute: 5 },
} as const satisfies Record<string, { flag: keyof PageRow; word: string; perMinute: number }>;

export type Feature = keyof typeof FEATURES;

/** A visitor who can use a feature, with their request. */
export interface Entered<Body> {
  page: PageRow;
  actor: Actor;
  /** The visitor as the caller, with the passes that they have. */
  caller: SignedInCaller;
  body: Body;
  signal: AbortSignal;
}

export interface Gate {
  /** The page, if the visitor can see it and its owner has enabled the feature. */
  see(feature: Feature, id: string, caller: Caller): Promise<PageRow>;
  /** Admits a visitor to a feature. Every feature calls this. Checks follow the order of the contract. */
  enter<Schema extends z.ZodType>(
    feature: Feature,
    request: Request,
    asked: { id: string; caller: Caller; schema: Schema; bodyLimit: number },
  ): Promise<Entered<z.infer<Schema>>>;
}

export function createGate(options: { db: Db; limits: Limits; pages: PageDirectory }): Gate {
  const { db, pages } = options;
  const limits = Object.fromEntries(
    Object.entries(FEATURES).map(([feature, { perMinute: points }]) => [
      feature,
      options.limits.limit(
        `feature ${feature}`,
        { points, seconds: 60 },
        'Too many requests on this page. Try again {wait}.',
      ),
    ]),
  ) as Record<Feature, Limit>;

  const see = async (id: string, caller: Caller) =>
    pages.see(db, await pages.find(db, id), caller).catch((error: unknown) => {
      throw error instanceof AppError && error.status === 404 ? pageMissing() : error;
    });

  return {
    async see(feature, id, caller) {
      const page = await see(id, caller);
      assertEnabled(page, feature);
      return page;
    },
    async enter(feature, request, { id, caller, schema, bodyLimit }) {
      // 1. The visitor can see the page.
      const page = await see(id, caller);
      // 2. The visitor is logged in, or a program has their permission.
      const { actor } = caller;
      if (!actor) throw authRequired();
      if (actor.via === 'bearer') assertScopes(actor, feature);
      // A page check must not cost anything, and the person who started it may have no right to publish.
      if (actor.isCheck) throw notInChecks();
      // 3. The owner has enabled the feature.
      assertEnabled(page, feature);
      // 4. The request is valid.
      const body = validate(
        schema,
        await readJson(request, { limit: bodyLimit, sender: identifySender(actor, '') }),
      );
      // 5. The rate is not exceeded. Consent, credits and the provider follow where they are needed.
      await limits[feature].take(`${actor.userId} ${page.id}`);
      return { page, actor, caller: { ...caller, actor }, body, signal: request.signal };
    },
  };
}

function assertEnabled(page: PageRow, feature: Feature): void {
  const { flag, word } = FEATURES[feature];
  if (page[flag] !== 1) throw disabled(word);
}

/** Spawning also publishes a page on behalf of the token's owner. */
function assertScopes({ scopes }: Actor, feature: Feature): void {
  if (!scopes.includes(FEATURES_SCOPE)) throw tokenWithoutScope();
  if (feature === 'spawn' && !scopes.includes('pages:write')) throw cannotPublish();
}
