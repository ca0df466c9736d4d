import { z } from 'zod';
import { endpoint, endpoints } from '../endpoint.ts';
import { binary, idParams } from '../fields.ts';
import { ACCOUNT_SCOPE } from '../scopes.ts';
import {
  AccountDeleted,
  AccountDeletion,
  ExportLink,
  ExportRequest,
  StoredDeleted,
  StoredList,
} from './privacy.ts';

/** A logged-in person, or a program that has their password. */
const access = { kind: 'owner', scope: ACCOUNT_SCOPE } as const;

/** Where an account is exported, with a code. */
export const EXPORT_PATH = '/api/auth/export';

export const privacyEndpoints = endpoints({
  exportAccount: endpoint({
    method: 'GET',
    path: EXPORT_PATH,
    failures: ['FORBIDDEN', 'CONFLICT', 'UNAVAILABLE'],
    answers: [
      {
        status: 200,
        description: 'The archive. It is made while it is read, so its size is not known before.',
        type: 'application/gzip',
        schema: binary,
        headers: ['Content-Disposition'],
      },
    ],
    access,
    summary: 'Export everything in your account as one archive (.tar.gz), within ten minutes of a login',
    query: z.object({
      code: z
        .string()
        .max(1000)
        .optional()
        .meta({ description: 'From POST /api/auth/export. Needed if the login is older than ten minutes.' }),
    }),
  }),
  startExport: endpoint({
    method: 'POST',
    path: EXPORT_PATH,
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    access: { kind: 'account' },
    summary: 'Get a link that exports your account, for one minute',
    body: ExportRequest,
    response: ExportLink,
  }),
  deleteAccount: endpoint({
    method: 'POST',
    path: '/api/auth/account/delete',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'CONFLICT'],
    // Only the person at a login session can delete the account: no token, and no page.
    access: { kind: 'account' },
    summary: 'Delete your account in seven days; until then you can log in and keep it',
    body: AccountDeletion,
    response: AccountDeleted,
  }),
  listStored: endpoint({
    method: 'GET',
    path: '/api/auth/stored',
    access,
    summary: "What you have stored on other people's pages",
    response: StoredList,
  }),
  deleteStored: endpoint({
    method: 'DELETE',
    path: '/api/auth/stored/:id',
    access,
    summary: "Delete what you have stored on someone else's page, some at a time",
    params: idParams,
    response: StoredDeleted,
  }),
});
