import { endpoint, endpoints } from '../endpoint.ts';
import { Done } from '../fields.ts';
import { LOGO_TYPES } from '../rules/limits.ts';
import { ADMIN_SCOPE } from '../scopes.ts';
import { Instance, PatchInstance } from './instance.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

export const instanceEndpoints = endpoints({
  getInstance: endpoint({
    method: 'GET',
    path: '/api/instance',
    access: { kind: 'public' },
    summary: 'The name, colour, logo and text of this server',
    response: Instance,
  }),
  updateInstance: endpoint({
    method: 'PATCH',
    path: '/api/admin/instance',
    access,
    summary: 'Change the name, colour and text of this server, at once and on all nodes',
    body: PatchInstance,
    response: Instance,
  }),
  setLogo: endpoint({
    method: 'PUT',
    path: '/api/admin/instance/logo',
    failures: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    access,
    summary: 'Set the logo of this server: PNG, JPEG or WebP, at most 256 KB',
    bodyType: LOGO_TYPES[0],
    bodyTypesToo: LOGO_TYPES.slice(1),
    readsBody: true,
    response: Instance,
  }),
  removeLogo: endpoint({
    method: 'DELETE',
    path: '/api/admin/instance/logo',
    access,
    summary: 'Remove the logo of this server',
    response: Done,
  }),
});
