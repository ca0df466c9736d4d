import { endpoint, endpoints } from '../endpoint.ts';
import { Done, idParams, NoFields } from '../fields.ts';
import { ADMIN_SCOPE } from '../scopes.ts';
import {
  AdminFunctionDetail,
  AdminFunctionList,
  AdminFunctionQuery,
  AdminPageDetail,
  AdminPageList,
  AdminPageQuery,
  adminSlugParams,
} from './content.ts';
import { BlockBody } from './users.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

export const contentEndpoints = endpoints({
  listAllPages: endpoint({
    method: 'GET',
    path: '/api/admin/pages',
    access,
    summary: 'List the pages of all users, the newest first; without their content',
    query: AdminPageQuery,
    response: AdminPageList,
  }),
  getAnyPage: endpoint({
    method: 'GET',
    path: '/api/admin/pages/:id',
    access,
    summary: 'Read about a page of any user: its owner, size and access; without its content',
    params: idParams,
    response: AdminPageDetail,
  }),
  takePageDown: endpoint({
    method: 'POST',
    path: '/api/admin/pages/:id/take-down',
    access,
    summary: 'Take down a page: everybody gets 451. Its owner sees the reason',
    params: idParams,
    body: BlockBody,
    response: Done,
  }),
  restorePage: endpoint({
    method: 'POST',
    path: '/api/admin/pages/:id/restore',
    access,
    summary: 'Restore a page that was taken down',
    params: idParams,
    body: NoFields,
    bodyOptional: true,
    response: Done,
  }),
  listAllFunctions: endpoint({
    method: 'GET',
    path: '/api/admin/functions',
    access,
    summary: 'List the functions of all users, the newest first; without their code',
    query: AdminFunctionQuery,
    response: AdminFunctionList,
  }),
  getAnyFunction: endpoint({
    method: 'GET',
    path: '/api/admin/functions/:slug',
    access,
    summary: 'Read about a function of any user: its owner and calls; without its code',
    params: adminSlugParams,
    response: AdminFunctionDetail,
  }),
  takeFunctionDown: endpoint({
    method: 'POST',
    path: '/api/admin/functions/:slug/take-down',
    access,
    summary: 'Take down a function: calls get 451, and its schedules stop. Its owner sees the reason',
    params: adminSlugParams,
    body: BlockBody,
    response: Done,
  }),
  restoreFunction: endpoint({
    method: 'POST',
    path: '/api/admin/functions/:slug/restore',
    access,
    summary: 'Restore a function that was taken down',
    params: adminSlugParams,
    body: NoFields,
    bodyOptional: true,
    response: Done,
  }),
  removeFromGallery: endpoint({
    method: 'POST',
    path: '/api/admin/pages/:id/gallery/remove',
    access,
    summary: 'Remove a page from the gallery. The page itself stays. Its owner sees the reason',
    params: idParams,
    body: BlockBody,
    response: Done,
  }),
  allowInGallery: endpoint({
    method: 'POST',
    path: '/api/admin/pages/:id/gallery/allow',
    access,
    summary: 'Let the owner of a page that was removed from the gallery add it again',
    params: idParams,
    body: NoFields,
    bodyOptional: true,
    response: Done,
  }),
});
