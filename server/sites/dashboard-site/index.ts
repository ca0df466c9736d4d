import { z } from 'zod';
import { notFound } from '../../lib/errors.ts';
import { language, type Route, route, sendVariants, toLogin } from '../../platform/http/index.ts';
import { Dashboard } from './build.ts';
import { growingRoute, type PreviewContext, previewRoute } from './preview.ts';
import { shell } from './shell.ts';
import { createStartScreen, type StartContext } from './start/start-screen.ts';

/** The paths of the dashboard's screens. Its script decides which screen to show. */
const SCREENS = ['/pages', '/functions', '/databases', '/connect', '/account', '/admin'].flatMap((area) => [
  area,
  `${area}/:item`,
  `${area}/:item/:part`,
  `${area}/:item/:part/:detail`,
  `${area}/:item/:part/:detail/:more`,
  `${area}/:item/:part/:detail/:more/:view`,
]);

/** The dashboard: one document for all its screens, and its files. */
export function dashboardRoutes(
  context: PreviewContext & StartContext & Parameters<typeof shell>[1],
): Route[] {
  const startScreen = createStartScreen(context);
  const files = new Dashboard();
  const dashboard = async () => shell(await files.bundle(language()), context);

  return [
    route({
      method: 'GET',
      path: '/',
      access: { kind: 'screen' },
      summary: 'The dashboard, or for guests the start page',
      handle: async ({ actor, request }) => (actor ? dashboard() : startScreen(request)),
    }),
    ...SCREENS.map((path) =>
      route({
        method: 'GET',
        path,
        access: { kind: 'screen' },
        summary: 'A screen of the dashboard',
        async handle({ actor, request }) {
          if (actor) return dashboard();
          return toLogin(new URL(request.url).pathname);
        },
      }),
    ),
    previewRoute(context),
    growingRoute(context),
    route({
      method: 'GET',
      path: '/assets/dashboard/:file',
      access: { kind: 'public' },
      summary: 'A file of the dashboard',
      params: z.object({ file: z.string() }),
      async handle({ params, request }) {
        const file = await files.file(params.file);
        if (!file) throw notFound('This file was not found.');
        return sendVariants(file.variants, request, {
          'content-type': file.type,
          'cache-control': 'public, max-age=31536000, immutable',
        });
      },
    }),
  ];
}
