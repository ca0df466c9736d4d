import type { OAuthErrorCode } from '../../../../contract/oauth/protocol.ts';
import { ENGLISH, type TextValues } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Client } from '../clients/client.ts';
import type { OAuthContext } from '../context.ts';
import { OAuthError } from '../errors.ts';
import type { AccessRequest } from '../ports.ts';
import { describeRedirect, isRegistered, withAnswer } from '../redirect-uris.ts';
import { wantedScopes } from '../scopes.ts';

/** Characters of a request. Longer ones would not fit in the URL of the login screen. */
export const MAX_REQUEST = 3_500;

/** A request of an app that a person can be asked about. */
export interface AuthorizationRequest {
  asked: AccessRequest;
  redirectUri: string;
  challenge: string;
  state: string | undefined;
}

/** A request that nobody is asked about. With `back`, the app learns of it if the person returns there. */
export class RefusedRequest extends Error {
  constructor(
    readonly sentence: string,
    readonly back?: { uri: string; place: string },
    readonly values?: TextValues,
  ) {
    super(ENGLISH.say(sentence, values));
  }
}

/**
 * Reads the query of an authorization request. As long as the app and its address are not known, the browser is not
 * sent anywhere. Afterwards it is only sent there by the person: anyone can register an app, and a link to us must not
 * lead to any site at once.
 */
export async function readRequest(
  context: OAuthContext,
  search: string,
  actor: Actor,
  address: string,
): Promise<AuthorizationRequest> {
  if (search.length > MAX_REQUEST) throw new RefusedRequest('The request of the app is too long.');
  const query = new URLSearchParams(search);
  const twice = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) throw new RefusedRequest('The app sent a parameter more than once.');
  const given = Object.fromEntries(query);
  const client = await findClient(context, given.client_id, address);
  const redirectUri = given.redirect_uri ?? '';
  if (!isRegistered(redirectUri, client.redirectUris)) {
    throw new RefusedRequest(
      'The app wants you to return to an address that it has not registered. It may be an attempt to deceive you.',
    );
  }
  const { state } = given;
  const refuse = (error: OAuthErrorCode, sentence: string, values?: TextValues) => {
    const description = ENGLISH.say(sentence, values);
    const uri = withAnswer(redirectUri, {
      error,
      error_description: description,
      state,
      iss: context.baseUrl,
    });
    return new RefusedRequest(sentence, { uri, place: describeRedirect(redirectUri) }, values);
  };
  if (given.response_type !== 'code')
    throw refuse('unsupported_response_type', 'The app asked for something other than a code.');
  const challenge = given.code_challenge ?? '';
  if (given.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    throw refuse('invalid_request', 'The app did not protect its request with PKCE and S256.');
  const resource = await context.resources.find(given.resource, actor);
  if (!resource)
    throw refuse('invalid_target', 'The app asked for access to something that does not exist here.');
  try {
    const scopes = wantedScopes(given.scope, resource);
    const asked = { ...describe(client, redirectUri), resource: resource.uri, page: resource.page, scopes };
    return { asked, redirectUri, challenge, state };
  } catch (error) {
    if (error instanceof OAuthError) throw refuse(error.code, '{message}', { message: error.message });
    throw error;
  }
}

async function findClient(context: OAuthContext, id: string | undefined, address: string): Promise<Client> {
  try {
    const client = id ? await context.clients.find(id, address) : undefined;
    if (client) return client;
  } catch (error) {
    if (error instanceof AppError) throw new RefusedRequest(error.text.text, undefined, error.text.values);
    if (error instanceof OAuthError)
      throw new RefusedRequest('{message}', undefined, { message: error.message });
    throw error;
  }
  throw new RefusedRequest(
    'This app is not registered here, or its registration has expired. Connect it again.',
  );
}

/** What the person sees of an app, and later finds in the list of connected apps. */
function describe({ id, name, publishedBy }: Client, redirectUri: string) {
  return {
    clientId: id,
    name,
    origin: publishedBy ?? describeRedirect(redirectUri),
    isVerified: publishedBy !== undefined,
  };
}
