import type { z } from 'zod';
import { PAGE_FEATURES } from '../../../../../contract/agents/agent-spec.ts';
import {
  ChatBody,
  ImageGenBody,
  ImageSearchBody,
  RecognitionBody,
  SpawnBody,
} from '../../../../../contract/features/features.ts';
import { FEATURE_FLAGS } from '../../../../../contract/pages/pages.ts';
import { FEATURES_SCOPE } from '../../../../../contract/scopes.ts';
import { jsonSchema, type Schema } from '../../../../platform/docs-site/index.ts';
import type { PageRow } from '../../../../platform/storage/index.ts';
import type { PageTool } from './tool.ts';

type Flag = (typeof FEATURE_FLAGS)[number];

interface Feature {
  name: string;
  title: string;
  description: string;
  body: z.ZodType;
  /** Arguments that make no sense for a tool. */
  hidden?: string[];
  scopes: readonly string[];
}

const PAID = 'It costs credits of your user, who has to allow that for this page once.';

const FEATURES: Record<Flag, Feature> = {
  page_api_ai_enabled: {
    name: 'chat',
    title: 'Chat',
    description: `Asks the language model of this service. ${PAID}`,
    body: ChatBody,
    hidden: ['stream'],
    scopes: [FEATURES_SCOPE],
  },
  page_api_image_gen_enabled: {
    name: 'generate_image',
    title: 'Generate an image',
    description: `Draws an image and returns its address. ${PAID}`,
    body: ImageGenBody,
    scopes: [FEATURES_SCOPE],
  },
  page_api_image_search_enabled: {
    name: 'search_images',
    title: 'Search images',
    description: 'Finds images with their sources.',
    body: ImageSearchBody,
    scopes: [FEATURES_SCOPE],
  },
  page_api_image_recognition_enabled: {
    name: 'describe_image',
    title: 'Describe an image',
    description: `Answers a question about an image. ${PAID}`,
    body: RecognitionBody,
    scopes: [FEATURES_SCOPE],
  },
  page_api_spawn_enabled: {
    name: 'publish_page',
    title: 'Publish a page',
    description: 'Publishes a page on behalf of your user: a copy of this one, or another document.',
    body: SpawnBody,
    scopes: [FEATURES_SCOPE, 'pages:write'],
  },
};

/** A tool for each feature that the page's owner has turned on. */
export function featureTools(page: PageRow): PageTool[] {
  return FEATURE_FLAGS.filter((flag) => page[flag] === 1).map((flag) => {
    const { name, title, description, scopes } = FEATURES[flag];
    return {
      name,
      title,
      description,
      inputSchema: inputOf(flag),
      effect: 'write',
      needsLogin: true,
      scopes,
      source: 'a feature of the page, whose provider wrote it',
      more: 'Ask for less.',
      slow: 'The provider is at work',
      toRequest: (body) => ({
        method: 'POST',
        path: `pages/${page.id}/${PAGE_FEATURES[flag].path}`,
        body,
      }),
    };
  });
}

const schemas = new Map<Flag, Schema>();

/** Made once: they do not depend on the page. */
function inputOf(flag: Flag): Schema {
  const known = schemas.get(flag);
  if (known) return known;
  const { body, hidden = [] } = FEATURES[flag];
  const { properties = {}, ...schema } = jsonSchema(body, 'input');
  const shown = Object.entries(properties).filter(([name]) => !hidden.includes(name));
  const made = { ...schema, properties: Object.fromEntries(shown) };
  schemas.set(flag, made);
  return made;
}
