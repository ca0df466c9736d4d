import type { z } from 'zod';
import { endpoint, endpoints, type ResponseSpec } from '../endpoint.ts';
import { binary, idOrSlugParams } from '../fields.ts';
import { PAGE_BODY_LIMIT } from '../pages/pages.ts';
import { CHAT_BODY_LIMIT, ChatAnswer, ChatBody, ChatEvent, ModelsAnswer } from './chat.ts';
import {
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
} from './features.ts';

/** Errors of features that use a provider and cost credits. */
const PROVIDER_ANSWERS: ResponseSpec[] = [
  {
    status: 402,
    description: 'The visitor has not consented, or has no credits left.',
    schema: PaymentRequired,
  },
  { status: 502, description: 'The provider failed; nothing was deducted.', schema: FeatureFailure },
  { status: 504, description: 'The provider took too long; nothing was deducted.', schema: FeatureFailure },
];

/** A feature that the owner of a page offers to its visitors. */
function feature<Body extends z.ZodType, Response extends z.ZodType>(described: {
  name: string;
  summary: string;
  body: Body;
  bodyLimit: number;
  response: Response;
  status?: number;
  answers?: ResponseSpec[];
}) {
  const { name, answers = [], body, bodyLimit, ...rest } = described;
  const whole = endpoint({
    ...rest,
    body,
    bodyLimit,
    method: 'POST',
    path: `/api/pages/:id/page-api-${name}`,
    access: { kind: 'visitor or guest' },
    stores: true,
    params: idOrSlugParams,
    readsBody: true,
    failures: ['UNAUTHORIZED', 'QUOTA_EXCEEDED'],
    failureBody: FeatureFailure,
    answers: [...answers, ...PROVIDER_ANSWERS],
  });
  return { ...whole, body, bodyLimit };
}

export const featureEndpoints = endpoints({
  chat: feature({
    name: 'ai',
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
  }),
  listModels: endpoint({
    method: 'GET',
    path: '/api/pages/:id/page-api-models',
    access: { kind: 'visitor or guest' },
    summary: 'The models that answer chats of this page, each with its price',
    params: idOrSlugParams,
    failureBody: FeatureFailure,
    failures: ['FORBIDDEN'],
    response: ModelsAnswer,
  }),
  generateImage: feature({
    name: 'image-gen',
    summary: 'Make a picture, for 4 of the visitor’s credits',
    body: ImageGenBody,
    bodyLimit: SMALL_BODY_LIMIT,
    response: ImageGenAnswer,
  }),
  recognizeImage: feature({
    name: 'image-recognition',
    summary: 'Describe a picture, for one of the visitor’s credits',
    body: RecognitionBody,
    bodyLimit: PICTURE_BODY_LIMIT,
    response: RecognitionAnswer,
  }),
  searchImages: feature({
    name: 'image-search',
    summary: 'Find pictures',
    body: ImageSearchBody,
    bodyLimit: SMALL_BODY_LIMIT,
    response: ImageSearchAnswer,
  }),
  spawnPage: feature({
    name: 'spawn',
    summary: 'Publish a page in the visitor’s name',
    body: SpawnBody,
    bodyLimit: PAGE_BODY_LIMIT,
    status: 201,
    response: SpawnAnswer,
  }),
  generatePreviewImage: endpoint({
    method: 'POST',
    path: '/api/pages/:id/generate-preview-image',
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    answers: PROVIDER_ANSWERS,
    access: { kind: 'owner', scope: 'pages:write' },
    summary: 'Create the preview image of a page',
    params: idOrSlugParams,
    body: PreviewBody,
    bodyLimit: PAGE_BODY_LIMIT,
    bodyOptional: true,
    response: PreviewAnswer,
  }),
  getImage: endpoint({
    method: 'GET',
    path: '/images/:file',
    answers: [{ status: 200, description: 'The picture.', type: 'image/png', schema: binary }],
    access: { kind: 'open read' },
    summary: 'A generated picture, or the picture of a page, for those who can see the page',
    params: imageParams,
  }),
});
