import type { z } from 'zod';
import type { PreviewBody } from '../../../contract/features/features.ts';
import { TOKENS_PER_CREDIT } from '../../../contract/rules/credit-amounts.ts';
import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../../platform/http/index.ts';
import {
  CARD_HEIGHT,
  CARD_WIDTH,
  describeHtml,
  drawCard,
  findColors,
  reencode,
} from '../../platform/pictures/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { FeaturesContext } from './context.ts';
import { createSpending, payFor } from './credits.ts';
import { assertStorage, drawImage, keepImage } from './images.ts';

const PREVIEW_TOKENS = 4 * TOKENS_PER_CREDIT;
const MAX_PROMPT_LETTERS = 2_000;

/**
 * Makes the image that links to a page show: with the image provider if there is one, else a card of ours.
 */
export async function makePreview(
  context: FeaturesContext,
  actor: Actor,
  idOrSlug: string,
  body: z.infer<typeof PreviewBody>,
  signal: AbortSignal,
) {
  const { db, pages } = context;
  // Only the owner can make a preview, as only the owner can delete the page.
  const page = await pages.require(db, await pages.find(db, idOrSlug), actor, 'own');
  await context.previewLimit.take(String(actor.userId));
  if (body.html !== undefined) context.publishing.measureHtml(body.html, 'html');
  if (body.source === 'screenshot') return say(await useScreenshot(context, page));
  const imageUrl = context.providers.isDemo.images
    ? await keep(context, page, await drawCard(makeCard(page, body.html)))
    : await paint(context, actor, page, body, signal);
  return say(imageUrl);
}

const say = (imageUrl: string) => ({
  success: true as const,
  imageUrl,
  message: 'Links to the page now show this picture.',
});

/** Copies the picture of the last check, because that one expires. */
async function useScreenshot(context: FeaturesContext, page: PageRow): Promise<string> {
  const screenshot = await context.latestScreenshot(page.id);
  if (!screenshot)
    throw new AppError(
      'CONFLICT',
      'There is no screenshot of this page. Check it first: POST /api/pages/{id}/check.',
      { id: String(page.id) },
    );
  const frame = { maxWidth: CARD_WIDTH, maxHeight: CARD_HEIGHT, fit: 'cover', position: 'top' } as const;
  return keep(context, page, await reencode(screenshot, frame));
}

async function keep(context: FeaturesContext, page: PageRow, png: Uint8Array): Promise<string> {
  const imageUrl = await keepImage(context, { ownerId: page.owner_id, pageId: page.id, png });
  await context.publishing.setPreviewImage(page.id, new URL(imageUrl).pathname);
  return imageUrl;
}

function makeCard(page: PageRow, html: string | undefined) {
  if (html === undefined) return { name: page.name };
  const description = page.description || describeHtml(html).description;
  return { name: page.name, description, colors: findColors(html) };
}

async function paint(
  context: FeaturesContext,
  actor: Actor,
  page: PageRow,
  { html, customInstructions }: z.infer<typeof PreviewBody>,
  signal: AbortSignal,
): Promise<string> {
  const spending = createSpending(context, { actor, page }, 'preview_image');
  const prompt = promptFor(page.name, html, customInstructions);
  const { result } = await payFor(spending, {
    tokens: PREVIEW_TOKENS,
    left: signal,
    prepare: () => assertStorage(context, page.owner_id),
    ask: () =>
      drawImage(
        context,
        { prompt, aspectRatio: '16:9', signal },
        { maxWidth: CARD_WIDTH, maxHeight: CARD_HEIGHT, fit: 'cover' },
      ),
    finish: (png) => keep(context, page, png),
  });
  return result;
}

function promptFor(name: string, html: string | undefined, instructions: string | undefined): string {
  const about = html === undefined ? undefined : describeHtml(html);
  const parts = [
    `A picture for the social preview of a web page called “${name}”. No text in the picture.`,
    about?.title && `Its title: ${about.title}.`,
    about?.description && `What it is about: ${about.description}.`,
    about?.heading && `It says: ${about.heading}.`,
    instructions && `The author asks: ${instructions}`,
  ];
  return parts.filter(Boolean).join('\n').slice(0, MAX_PROMPT_LETTERS);
}
