import { momentEndpoints } from '../../../contract/pages/history/moment-endpoints.ts';
import type {
  Moment,
  MomentDetail,
  MomentList,
  Part,
  RestoreChanges,
  RestoreState,
} from '../../../contract/pages/history/moments.ts';
import { call } from '../../api.ts';

/** The endpoints that the history of a page uses. */

export type { Moment, MomentDetail, MomentList, Part, RestoreChanges, RestoreState };

/** What a restore is asked for. */
export interface RestoreWish {
  at: string;
  parts: Part[];
  /** The only collections to restore; all without it. */
  collections?: string[] | undefined;
}

/** How many moments are read at a time. */
export const MOMENTS_AT_ONCE = 500;

export const listMoments = (
  id: number,
  span: { from?: string; to?: string },
  signal?: AbortSignal,
): Promise<MomentList> =>
  call(momentEndpoints.listMoments, { params: { id }, query: { ...span, limit: MOMENTS_AT_ONCE }, signal });

export const getMoment = (id: number, at: string, signal?: AbortSignal) =>
  call(momentEndpoints.getMoment, { params: { id, at }, signal });

export const keepMoment = (id: number, name: string) =>
  call(momentEndpoints.keepMoment, { params: { id }, body: { name } });

export const deleteMoment = (id: number, at: string) =>
  call(momentEndpoints.deleteMoment, { params: { id, at } });

export const restoreMoment = (id: number, { at, parts, collections }: RestoreWish) =>
  call(momentEndpoints.restoreMoment, {
    params: { id },
    body: { at, parts, ...(collections && { collections }) },
  });

/** What a restore would change. */
export const tryRestore = async (id: number, wish: RestoreWish, signal?: AbortSignal) =>
  (
    await call(momentEndpoints.restoreMoment, {
      params: { id },
      body: { at: wish.at, parts: wish.parts, dry_run: true },
      signal,
    })
  ).changes;

/** The restore that runs, or the last one. */
export const getRestore = async (id: number, signal?: AbortSignal) =>
  (await call(momentEndpoints.getRestore, { params: { id }, signal })).restore;
