import { endpoint, endpoints } from '../endpoint.ts';
import { idParams } from '../fields.ts';
import { ADMIN_SCOPE } from '../scopes.ts';
import { CreatedInvite, InviteList, InviteRequest, RegistrationSetting } from './invites.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

export const registrationEndpoints = endpoints({
  getRegistration: endpoint({
    method: 'GET',
    path: '/api/admin/registration',
    access,
    summary: 'Who can create an account: everyone, people with an invite, or nobody',
    response: RegistrationSetting,
  }),
  setRegistration: endpoint({
    method: 'PUT',
    path: '/api/admin/registration',
    access,
    summary: 'Set who can create an account, at once and on all nodes',
    body: RegistrationSetting,
    response: RegistrationSetting,
  }),
  createRegistrationInvite: endpoint({
    method: 'POST',
    path: '/api/admin/invites',
    failures: ['QUOTA_EXCEEDED'],
    access,
    summary: 'Make a link that lets people register; it is shown only once',
    body: InviteRequest,
    bodyOptional: true,
    status: 201,
    response: CreatedInvite,
  }),
  listRegistrationInvites: endpoint({
    method: 'GET',
    path: '/api/admin/invites',
    access,
    summary: 'List the invites, the newest first',
    response: InviteList,
  }),
  revokeRegistrationInvite: endpoint({
    method: 'DELETE',
    path: '/api/admin/invites/:id',
    access,
    summary: 'Revoke an invite',
    params: idParams,
    status: 204,
  }),
});
