import { z } from 'zod';
import {
  CHAT_BODY_LIMIT,
  ChatAnswer,
  ChatBody,
  ChatEvent,
  FeatureFailure,
  ImageGenAnswer,
  ImageGenBody,
  ImageSearchAnswer,
  ImageSearchBody,
  imageParams,
  PaymentRequired,
  PICTURE_BODY_LIMIT,
  PreviewAnswer,
  PreviewBody,
  RecognitionAnswer,
  RecognitionBody,
  SMALL_BODY_LIMIT,
  SpawnAnswer,
  SpawnBody,
} from '../../../contract/features/features.ts';
import { binary, idOrSlugParams } from '../../../contract/fields.ts';
import { PAGE_BODY_LIMIT } from '../../../contract/pages/pages.ts';
import { type Answer, type Route, route, signedIn } from '../../platform/http/index.ts';
import { chat } from './chat.ts';
import type { FeaturesContext } from './context.ts';
import type { Entered, Feature } from './gate.ts';
import { sendDemoImage, sendImage } from './images.ts';
import { generateImage, recognizeImage, searchImages } from './pictures.ts';
import { makePreview } from './preview.ts';
import { FEATURE_FAILURE, toRefusal } from './refusal.ts';
import { spawnPage } from './spawn.ts';

/** Images of the demo search are drawn when they are requested. */
export const DEMO_IMAGES = '/images/demo/';

/** Errors of features that use a provider and cost credits. */
const PROVIDER_ANSWERS: Answer[] = [
  {
    status: 402,
    description: 'The visitor has not consented, or has no credits left.',
    schema: PaymentRequired,
  },
  { status: 502, description: 'The provider failed; nothing was deducted.', schema: FeatureFailure },
  { status: 504, description: 'The provider took too long; nothing was deducted.', schema: FeatureFailure },
];

export function featureRoutes(context: FeaturesContext): Route[] {
  return [...paidRoutes(context), ...freeRoutes(context), previewRoute(context), ...imageRoutes(context)];
}

/** Features that are paid with the visitor's credits. */
function paidRoutes(context: FeaturesContext): Route[] {
  return [
    featureRoute(context, {
      feature: 'chat',
      path: 'page-api-ai',
      operationId: 'chat',
      summary: 'Chat with the AI, for the visitor’s credits',
      body: ChatBody,
      bodyLimit: CHAT_BODY_LIMIT,
      response: ChatAnswer,
      answers: [
        {
          status: 200,
          description: 'With stream, one event for each piece, and one at the end.',
          type: 'text/event-stream',
          events: ChatEvent,
        },
      ],
      work: (entered) => chat(context, entered),
    }),
    featureRoute(context, {
      feature: 'image generation',
      path: 'page-api-image-gen',
      operationId: 'generateImage',
      summary: 'Make a picture, for 4 of the visitor’s credits',
      body: ImageGenBody,
      bodyLimit: SMALL_BODY_LIMIT,
      response: ImageGenAnswer,
      work: (entered) => generateImage(context, entered),
    }),
    featureRoute(context, {
      feature: 'image recognition',
      path: 'page-api-image-recognition',
      operationId: 'recognizeImage',
      summary: 'Describe a picture, for one of the visitor’s credits',
      body: RecognitionBody,
      bodyLimit: PICTURE_BODY_LIMIT,
      response: RecognitionAnswer,
      work: (entered) => recognizeImage(context, entered),
    }),
  ];
}

function freeRoutes(context: FeaturesContext): Route[] {
  return [
    featureRoute(context, {
      feature: 'image search',
      path: 'page-api-image-search',
      operationId: 'searchImages',
      summary: 'Find pictures',
      body: ImageSearchBody,
      bodyLimit: SMALL_BODY_LIMIT,
      response: ImageSearchAnswer,
      work: (entered) => searchImages(context, entered),
    }),
    featureRoute(context, {
      feature: 'spawn',
      path: 'page-api-spawn',
      operationId: 'spawnPage',
      summary: 'Publish a page in the visitor’s name',
      body: SpawnBody,
      bodyLimit: PAGE_BODY_LIMIT,
      status: 201,
      response: SpawnAnswer,
      work: (entered) => spawnPage(context, entered),
    }),
  ];
}

function previewRoute(context: FeaturesContext): Route {
  return route({
    method: 'POST',
    path: '/api/pages/:id/generate-preview-image',
    operationId: 'generatePreviewImage',
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    answers: PROVIDER_ANSWERS,
    access: { kind: 'owner', scope: 'pages:write' },
    summary: 'Create the preview image of a page',
    params: idOrSlugParams,
    body: PreviewBody,
    bodyLimit: PAGE_BODY_LIMIT,
    bodyOptional: true,
    response: PreviewAnswer,
    handle: ({ params, body, actor, request }) =>
      withRefusals(request.signal, () =>
        makePreview(context, signedIn(actor), params.id, body, request.signal),
      ),
  });
}

function imageRoutes(context: FeaturesContext): Route[] {
  return [
    route({
      method: 'GET',
      path: `${DEMO_IMAGES}:name`,
      access: { kind: 'public to pages' },
      summary: 'A picture of the demo search',
      params: z.object({ name: z.string() }),
      handle: ({ params }) => sendDemoImage(params.name),
    }),
    route({
      method: 'GET',
      path: '/images/:file',
      operationId: 'getImage',
      answers: [{ status: 200, description: 'The picture.', type: 'image/png', schema: binary }],
      access: { kind: 'open read' },
      summary: 'A generated picture, or the picture of a page, for those who can see the page',
      params: imageParams,
      handle: ({ params, caller }) => sendImage(context, params.file, caller),
    }),
  ];
}

interface FeatureDefinition<Schema extends z.ZodType> {
  feature: Feature;
  path: string;
  operationId: string;
  summary: string;
  body: Schema;
  bodyLimit: number;
  status?: number;
  response: z.ZodType;
  answers?: Answer[];
  work(entered: Entered<z.infer<Schema>>): Promise<unknown>;
}

/** The route of a feature. The gate does everything before the work itself. */
function featureRoute<Schema extends z.ZodType>(
  context: FeaturesContext,
  definition: FeatureDefinition<Schema>,
): Route {
  const { feature, path, body: schema, bodyLimit, status = 200, answers = [], work } = definition;
  return route({
    method: 'POST',
    path: `/api/pages/:id/${path}`,
    access: { kind: 'visitor or guest' },
    stores: true,
    operationId: definition.operationId,
    summary: definition.summary,
    params: idOrSlugParams,
    body: schema,
    bodyLimit,
    readsBody: true,
    status,
    response: definition.response,
    failures: ['UNAUTHORIZED', 'QUOTA_EXCEEDED'],
    failureShape: FEATURE_FAILURE,
    answers: [...answers, ...PROVIDER_ANSWERS],
    handle: ({ params, caller, request }) =>
      withRefusals(request.signal, async () =>
        work(await context.gate.enter(feature, request, { id: params.id, caller, schema, bodyLimit })),
      ),
  });
}

/** Does the work. A provider's failure becomes a refusal. */
async function withRefusals(left: AbortSignal, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    // The client has disconnected.
    if (left.aborted) return new Response(null, { status: 499 });
    throw toRefusal(error);
  }
}
