import { done } from '../../../../contract/fields.ts';
import type { PublishedPage } from '../../../../contract/pages/pages.ts';
import { findStorageType } from '../../../../contract/rules/storage-modes.ts';
import { templateEndpoints } from '../../../../contract/templates/endpoints.ts';
import type { Actor, OwnApi, OwnCaller, Route } from '../../../platform/http/index.ts';
import { handle, readBearer } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { requireTemplate, type TemplateShelf } from '../../../sites/templates/index.ts';
import type { PageDirectory, PageFromTemplate } from '../../ports.ts';
import { startPublishing } from '../publishing/publishing.ts';
import { makeOnce } from './make-once.ts';
import { publishTemplate } from './publish-template.ts';
import { removeSamples } from './samples.ts';
import { findSamples, insertSamples, replaceSamples } from './store.ts';

export interface TemplatesContext {
  db: Db;
  pages: PageDirectory;
  templates: () => TemplateShelf;
}

/** Publishes a template for a person, whose bearer token the caller has. */
export type PublishForCaller = (
  caller: OwnCaller,
  client: AbortSignal,
  wanted: PageFromTemplate,
) => Promise<PublishedPage>;

export function createPublishForCaller({ db }: TemplatesContext, api: () => OwnApi): PublishForCaller {
  return (caller, client, wanted) => {
    const publishing = startPublishing(api(), caller, client);
    return makeOnce(db, publishing, wanted, (onMade) =>
      publishTemplate(publishing, wanted, (pageId, samples) => insertSamples(db, pageId, samples), onMade),
    );
  };
}

export function templatePageRoutes(
  context: TemplatesContext,
  api: () => OwnApi,
  publish: PublishForCaller,
): Route[] {
  const { db, pages, templates } = context;
  const require = async (id: number, actor: Actor, action: 'read' | 'write') =>
    pages.require(db, await pages.find(db, String(id)), actor, action);
  return [
    handle(templateEndpoints.publishTemplate, async (asked) => {
      const { params, body, actor, request } = asked;
      const { language, request_key: requestKey, ...fields } = body;
      const template = requireTemplate(templates(), params.key, language);
      const { username } = actor;
      return publish(toCaller(asked), request.signal, { ...fields, template, username, requestKey });
    }),
    handle(templateEndpoints.getSamples, async ({ params, actor }) => {
      const page = await require(params.id, actor, 'read');
      return { has_samples: (await findSamples(db, page.id)) !== undefined };
    }),
    handle(templateEndpoints.removeSamples, async (asked) => {
      const page = await require(asked.params.id, asked.actor, 'write');
      const samples = await findSamples(db, page.id);
      const removing = startPublishing(api(), toCaller(asked), asked.request.signal);
      const storageType = findStorageType(page.storage_mode);
      const target = { id: page.id, storageType, isOwn: page.owner_id === asked.actor.userId };
      const left = samples && (await removeSamples(removing, target, samples));
      await replaceSamples(db, page.id, left);
      if (!left) return { ...done('The samples are removed.'), has_samples: false };
      return {
        ...done('The samples that you may remove are gone. The owner of the page can remove the others.'),
        has_samples: true,
      };
    }),
  ];
}

function toCaller({ request, address, requestId }: Omit<OwnCaller, 'bearer'> & { request: Request }) {
  return { bearer: readBearer(request) ?? '', address, requestId };
}
