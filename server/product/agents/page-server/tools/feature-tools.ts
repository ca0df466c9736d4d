import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { featureEndpoints } from '../../../../../contract/features/endpoints.ts';
import { FEATURE_FLAGS } from '../../../../../contract/pages/pages.ts';
import { FEATURES_SCOPE } from '../../../../../contract/scopes.ts';
import type { PageRow } from '../../../../platform/storage/index.ts';
import { jsonSchema, type Schema } from '../../../../sites/docs-site/index.ts';
import type { PageTool } from './tool.ts';

type Flag = (typeof FEATURE_FLAGS)[number];

interface Feature {
  name: string;
  title: string;
  description: string;
  endpoint: Endpoint;
  /** Arguments of the endpoint that make no sense for a tool. */
  hidden?: string[];
  scopes: readonly string[];
}

const PAID = 'It costs credits of your user, who has to allow that for this page once.';

const FEATURES: Record<Flag, Feature> = {
  page_api_ai_enabled: {
    name: 'chat',
    title: 'Chat',
    description: `Asks the language model of this service. ${PAID}`,
    endpoint: featureEndpoints.chat,
    hidden: ['stream', 'tools', 'response_format', 'model'],
    scopes: [FEATURES_SCOPE],
  },
  page_api_image_gen_enabled: {
    name: 'generate_image',
    title: 'Generate an image',
    description: `Draws an image and returns its address. ${PAID}`,
    endpoint: featureEndpoints.generateImage,
    scopes: [FEATURES_SCOPE],
  },
  page_api_image_search_enabled: {
    name: 'search_images',
    title: 'Search images',
    description: 'Finds images with their sources.',
    endpoint: featureEndpoints.searchImages,
    scopes: [FEATURES_SCOPE],
  },
  page_api_image_recognition_enabled: {
    name: 'describe_image',
    title: 'Describe an image',
    description: `Answers a question about an image. ${PAID}`,
    endpoint: featureEndpoints.recognizeImage,
    scopes: [FEATURES_SCOPE],
  },
  page_api_spawn_enabled: {
    name: 'publish_page',
    title: 'Publish a page',
    description: 'Publishes a page on behalf of your user: a copy of this one, or another document.',
    endpoint: featureEndpoints.spawnPage,
    scopes: [FEATURES_SCOPE, 'pages:write'],
  },
};

/** A tool for each feature that the page's owner has turned on. */
export function featureTools(page: PageRow): PageTool[] {
  return FEATURE_FLAGS.filter((flag) => page[flag] === 1).map((flag) => {
    const { name, title, description, endpoint, scopes } = FEATURES[flag];
    return {
      name,
      title,
      description,
      inputSchema: makeInputSchema(flag),
      effect: 'write',
      needsLogin: true,
      scopes,
      source: 'a feature of the page, whose provider wrote it',
      more: 'Ask for less.',
      slow: 'The provider is at work',
      endpoint,
      fixed: { id: page.id },
    };
  });
}

const schemas = new Map<Flag, Schema>();

/** The input schema of a feature, made once because it does not depend on the page. */
function makeInputSchema(flag: Flag): Schema {
  const known = schemas.get(flag);
  if (known) return known;
  const { endpoint, hidden = [] } = FEATURES[flag];
  const { properties = {}, ...schema } = endpoint.body ? jsonSchema(endpoint.body, 'input') : {};
  const shown = Object.entries(properties).filter(([name]) => !hidden.includes(name));
  const made = { ...schema, properties: Object.fromEntries(shown) };
  schemas.set(flag, made);
  return made;
}
