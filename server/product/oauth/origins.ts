import type { OAuthContext } from './context.ts';
import { findClient, findGrant } from './store.ts';

/**
 * True if a web page of this origin may use this token: the token is one of a connected app, and the app returns people
 * to that origin or is published there.
 */
export async function isOriginOfApp(
  { db, now, logins }: Pick<OAuthContext, 'db' | 'now' | 'logins'>,
  token: string,
  origin: string,
): Promise<boolean> {
  // Every sandboxed page has this origin, and so has every URL with the scheme of an app.
  if (origin === 'null') return false;
  const grant = await findConnectedGrant({ db, now, logins }, token);
  if (!grant) return false;
  const client = await findClient(db, grant.client_id);
  // The id of an app that is not registered is the URL of its document.
  const places = client ? (JSON.parse(client.redirect_uris) as string[]) : [grant.client_id];
  return places.some((place) => URL.parse(place)?.origin === origin);
}

/** The name of the connected app that a token belongs to; undefined if it is another token. */
export async function readAppName(
  context: Pick<OAuthContext, 'db' | 'now' | 'logins'>,
  token: string,
): Promise<string | undefined> {
  return (await findConnectedGrant(context, token))?.name;
}

async function findConnectedGrant(
  { db, now, logins }: Pick<OAuthContext, 'db' | 'now' | 'logins'>,
  token: string,
) {
  const id = await logins.find(token);
  return id === undefined ? undefined : findGrant(db, id, now());
}
