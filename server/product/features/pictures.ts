import type { z } from 'zod';
import {
  type ImageGenBody,
  type ImageSearchBody,
  MAX_PICTURE_BYTES,
  type RecognitionBody,
} from '../../../contract/features/features.ts';
import { PICTURE_PRICES, TOKENS_PER_CREDIT } from '../../../contract/rules/credit-amounts.ts';
import { checkPicture, PictureError } from '../../platform/pictures/index.ts';
import { ExternalFetchError } from '../../runtime/egress/index.ts';
import type { FeaturesContext } from './context.ts';
import { createSpending, payFor } from './credits.ts';
import { invalid } from './feature-error.ts';
import type { Entered } from './gate.ts';
import { assertStorage, drawImage, keepImage, readOwnImage } from './images.ts';

type Body<Schema extends z.ZodType> = z.infer<Schema>;

const GENERATION_TOKENS = PICTURE_PRICES.generation * TOKENS_PER_CREDIT;
const RECOGNITION_TOKENS = PICTURE_PRICES.recognition * TOKENS_PER_CREDIT;
const MAX_PIXELS_A_SIDE = 2048;
const FETCH_MS = 10_000;

/** Generates an image and stores it permanently. */
export async function generateImage(context: FeaturesContext, entered: Entered<Body<typeof ImageGenBody>>) {
  const { body, actor, signal } = entered;
  const spending = createSpending(context, entered, 'image_gen');
  const { result: image_url } = await payFor(spending, {
    tokens: GENERATION_TOKENS,
    left: signal,
    prepare: () => assertStorage(context, actor.userId),
    ask: () =>
      drawImage(context, { ...body, signal }, { maxWidth: MAX_PIXELS_A_SIDE, maxHeight: MAX_PIXELS_A_SIDE }),
    finish: (png) => keepImage(context, { ownerId: actor.userId, pageId: null, png }),
  });
  return { image_url };
}

export async function searchImages(context: FeaturesContext, entered: Entered<Body<typeof ImageSearchBody>>) {
  const { query, count } = entered.body;
  const results = await context.providers.imageSearch.search({ query, count, signal: entered.signal });
  context.used(entered.page.id, 'image_search', 0);
  return { success: true as const, query, results: results.slice(0, count) };
}

/** Describes an image: an uploaded one, or one at a URL, which is fetched through the egress. */
export async function recognizeImage(
  context: FeaturesContext,
  entered: Entered<Body<typeof RecognitionBody>>,
) {
  const { body, signal } = entered;
  const spending = createSpending(context, entered, 'image_recognition');
  // An uploaded image is input: its errors need no consent and cost nothing.
  const sent = body.image_base64 === undefined ? undefined : await checkSent(decode(body.image_base64));
  const { result: text, credits } = await payFor(spending, {
    tokens: RECOGNITION_TOKENS,
    left: signal,
    prepare: async () => sent ?? checkSent(await readPicture(context, body.image_url ?? '', entered)),
    ask: (image) => context.providers.vision.describe({ prompt: body.prompt, image, signal }),
    finish: async (described) => described,
  });
  return { success: true as const, text, credits };
}

/** Decodes base64. Ignores line breaks and all other characters that are not base64. */
export function decode(base64: string): Uint8Array {
  const bytes = Buffer.from(base64.replace(/^data:[^,]{0,100};base64,/, ''), 'base64');
  if (bytes.length === 0) throw invalid('The picture is not base64.');
  return bytes;
}

export async function checkSent(bytes: Uint8Array) {
  try {
    return await checkPicture(bytes);
  } catch (error) {
    if (error instanceof PictureError) throw invalid(`The picture cannot be used: ${error.message}`);
    throw error;
  }
}

/** Reads a picture by its URL. Our own images are read directly, because the egress may not lead back to us. */
export async function readPicture(
  context: FeaturesContext,
  address: string,
  { caller, signal }: Pick<Entered<unknown>, 'caller' | 'signal'>,
): Promise<Uint8Array> {
  return (await readOwnImage(context, address, caller)) ?? fetchPicture(context, address, signal);
}

async function fetchPicture(
  { fetchExternal }: FeaturesContext,
  address: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const options = { signal: deadline, maxBytes: MAX_PICTURE_BYTES, accept: 'image/*' };
  const answer = await fetchExternal(address, options).catch((error: unknown) => {
    if (error instanceof ExternalFetchError) throw invalid(`image_url: ${error.message}.`);
    throw invalid('image_url: could not be read.');
  });
  if (answer.status !== 200) throw invalid(`image_url: was answered with status ${answer.status}.`);
  return answer.bytes;
}
