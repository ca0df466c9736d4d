import type { NewConnection } from '../../../contract/admin/connections.ts';
import type { Connectable } from '../../../contract/rules/provider-kinds.ts';
import type { ChosenProviders } from '../providers/index.ts';

/** A connection with its key. */
export type OpenConnection = Omit<NewConnection, 'key'> & { key?: string | undefined };

/** The end of a shorter key would say too much of it. */
const MIN_SHOWN_KEY = 12;

export const endOfKey = (key: string) => (key.length < MIN_SHOWN_KEY ? '' : key.slice(-4));

export const readOrigin = (url: string | undefined) =>
  url === undefined ? '' : (URL.parse(url)?.origin ?? url);

/** The providers with one of them replaced. */
export function withConnection(
  chosen: ChosenProviders,
  name: Connectable,
  connection: OpenConnection,
): ChosenProviders {
  const { provider, url, key, model, visionModel, embedModel, offersBuilder, models } = connection;
  if (name === 'images') return { ...chosen, images: { url, key, model } };
  if (name === 'image-search')
    return {
      ...chosen,
      imageSearch: { provider: provider as ChosenProviders['imageSearch']['provider'], url },
    };
  return {
    ...chosen,
    ai: {
      provider: provider as ChosenProviders['ai']['provider'],
      ...{ url, key, model, visionModel: visionModel ?? model, embedModel },
      callsTools: offersBuilder ?? true,
      models,
    },
  };
}
