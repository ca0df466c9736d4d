import { z } from 'zod';
import { featureEndpoints } from '../../../contract/features/endpoints.ts';
import { type Caller, handle, type Route, route } from '../../platform/http/index.ts';
import { chat } from './chat.ts';
import type { FeaturesContext } from './context.ts';
import { toFailureBody, toFeatureError } from './feature-error.ts';
import type { Entered, Feature } from './gate.ts';
import { sendDemoImage, sendImage } from './images.ts';
import { generateImage, recognizeImage, searchImages } from './pictures.ts';
import { makePreview } from './preview.ts';
import { spawnPage } from './spawn.ts';

/** The path of the images of the demo search, which are drawn when they are requested. */
export const DEMO_IMAGES = '/images/demo/';

export function featureRoutes(context: FeaturesContext): Route[] {
  return [...visitorRoutes(context), previewRoute(context), ...imageRoutes(context)];
}

function visitorRoutes(context: FeaturesContext): Route[] {
  const { chat: talk, generateImage: paint, recognizeImage: look, searchImages: search } = featureEndpoints;
  const { spawnPage: spawn } = featureEndpoints;
  const { gate, providers } = context;
  const enter = entrance(context);
  const shaped = { toFailureBody };
  return [
    handle(talk, (input) => enter('chat', talk, input, (entered) => chat(context, entered)), shaped),
    handle(
      featureEndpoints.listModels,
      async ({ params, caller }) => {
        await gate.see('chat', params.id, caller);
        return {
          success: true as const,
          models: providers.models.map(({ name, price }, index) => ({ name, price, default: index === 0 })),
        };
      },
      shaped,
    ),
    handle(
      paint,
      (input) => enter('image generation', paint, input, (entered) => generateImage(context, entered)),
      shaped,
    ),
    handle(
      look,
      (input) => enter('image recognition', look, input, (entered) => recognizeImage(context, entered)),
      shaped,
    ),
    handle(
      search,
      (input) => enter('image search', search, input, (entered) => searchImages(context, entered)),
      shaped,
    ),
    handle(spawn, (input) => enter('spawn', spawn, input, (entered) => spawnPage(context, entered)), shaped),
  ];
}

function previewRoute(context: FeaturesContext): Route {
  return handle(featureEndpoints.generatePreviewImage, ({ params, body, actor, request }) =>
    withRefusals(request.signal, () => makePreview(context, actor, params.id, body, request.signal)),
  );
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
    handle(featureEndpoints.getImage, ({ params, caller }) => sendImage(context, params.file, caller)),
  ];
}

/** Creates routes of features. The gate does everything before the work itself. */
function entrance({ gate }: FeaturesContext) {
  return <Body extends z.ZodType, Result>(
    feature: Feature,
    { body: schema, bodyLimit }: { body: Body; bodyLimit: number },
    { params: { id }, caller, request }: { params: { id: string }; caller: Caller; request: Request },
    work: (entered: Entered<z.infer<Body>>) => Promise<Result>,
  ): Promise<Result | Response> =>
    withRefusals(request.signal, async () =>
      work(await gate.enter(feature, request, { id, caller, schema, bodyLimit })),
    );
}

/** Does the work of a feature. A provider's failure becomes a refusal. */
async function withRefusals<Result>(
  left: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result | Response> {
  try {
    return await work();
  } catch (error) {
    // The client has disconnected, so nobody reads this response.
    if (left.aborted) return new Response(null, { status: 499 });
    throw toFeatureError(error);
  }
}
